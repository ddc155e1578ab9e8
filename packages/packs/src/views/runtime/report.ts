/** One thing that went wrong in a build or a test run. */
export interface Failure {
  readonly place: string
  readonly title: string
  readonly detail: readonly string[]
}

/** What the words of a build or a test run say. */
export interface RunReport {
  readonly head: string
  readonly failures: readonly Failure[]
  /** How many passed and failed, as the program counts them. */
  readonly summary: readonly string[]
  readonly counts: Readonly<Record<string, number>>
  readonly output: string
}

const PLACE = /^((?:[A-Za-z]:)?[^\s:]+:\d+(?::\d+)?) (.*)$/
const LISTS = /^(?:Failures \(\d+\)|Lines that may tell why):$/
const COUNT = /(\d+) (passed|failed|skipped|passing|failing|pending|todo|errors?|warnings?|ignored)/g
const SAME: Readonly<Record<string, string>> = {
  passing: 'passed',
  failing: 'failed',
  pending: 'skipped',
  ignored: 'skipped',
  error: 'errors',
  warning: 'warnings',
}

/** Read what `ci_build` and `ci_run_tests` answer: a head, failures with their details, counts, and the end of the output. */
export function readReport(words: string): RunReport {
  const lines = words.split('\n')
  const start = lines.findIndex(line => LISTS.test(line))
  const output = lines.findIndex(line => line === '[stdout]' || line === '[stderr]')
  const end = output < 0 ? lines.length : output
  const { failures, rest } = failuresIn(lines.slice(start < 0 ? end : start + 1, end))
  const head = lines.slice(0, start < 0 ? end : start)
  const summary = start < 0 ? head.slice(1).filter(Boolean) : rest.filter(Boolean)
  return {
    head: head[0] ?? '',
    failures,
    summary,
    counts: countsIn(summary),
    output: output < 0 ? '' : lines.slice(output).join('\n'),
  }
}

function failuresIn(lines: readonly string[]): { failures: readonly Failure[]; rest: readonly string[] } {
  const failures: { place: string; title: string; detail: string[] }[] = []
  const rest: string[] = []
  for (const line of lines) {
    const isDetail = line.startsWith('    ') && failures.length > 0 && rest.length === 0
    if (line.startsWith('- ')) failures.push({ ...titled(line.slice(2)), detail: [] })
    else if (isDetail) failures.at(-1)?.detail.push(line.slice(4))
    else rest.push(line)
  }
  return { failures, rest }
}

function titled(line: string): { place: string; title: string } {
  const [, place = '', title = line] = PLACE.exec(line) ?? []
  return { place, title }
}

/** The runner of Node writes `# pass 3`, others `3 passed`. */
const turned = (line: string): string =>
  line.replace(
    /^(?:#|ℹ) (pass|fail|skipped|todo) (\d+)$/,
    (_, word: string, count: string) => `${count} ${NODE[word] ?? word}`,
  )

const NODE: Readonly<Record<string, string>> = { pass: 'passed', fail: 'failed' }

/** Of several lines that count the same, the last counts tests rather than files of them. */
function countsIn(lines: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const line of lines)
    for (const [, count, word = ''] of turned(line).matchAll(COUNT)) counts[SAME[word] ?? word] = Number(count)
  return counts
}
