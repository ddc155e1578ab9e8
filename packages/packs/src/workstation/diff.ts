type Step = { readonly sign: ' ' | '-' | '+'; readonly line: string }

const AROUND = 3
// Beyond this many cells comparing costs too much; then the changed middle is shown as taken out and put in whole.
const MOST_CELLS = 4_000_000

/** A unified diff of two texts; empty if they are the same. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return ''
  const steps = compare(lines(before), lines(after))
  return [`--- a/${path}`, `+++ b/${path}`, ...hunks(steps)].join('\n')
}

/** Lines keep their end, so that a missing last newline is a difference. */
const lines = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/))

function compare(a: readonly string[], b: readonly string[]): Step[] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const same = (line: string): Step => ({ sign: ' ', line })
  return [
    ...a.slice(0, start).map(same),
    ...changed(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ]
}

/** The longest common subsequence, and what is not in it. */
function changed(a: readonly string[], b: readonly string[]): Step[] {
  const out: Step[] = []
  let [i, j] = [0, 0]
  if ((a.length + 1) * (b.length + 1) <= MOST_CELLS) {
    const width = b.length + 1
    const common = lengths(a, b)
    while (i < a.length && j < b.length) {
      const line = a[i] ?? ''
      if (line === b[j]) {
        out.push({ sign: ' ', line })
        i++
        j++
      } else if ((common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0)) {
        out.push({ sign: '-', line })
        i++
      } else out.push({ sign: '+', line: b[j++] ?? '' })
    }
  }
  for (const line of a.slice(i)) out.push({ sign: '-', line })
  for (const line of b.slice(j)) out.push({ sign: '+', line })
  return out
}

function lengths(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1
  const table = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const longer = Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0)
      table[i * width + j] = a[i] === b[j] ? (table[(i + 1) * width + j + 1] ?? 0) + 1 : longer
    }
  }
  return table
}

function hunks(steps: readonly Step[]): string[] {
  const out: string[] = []
  let [at, oldLine, newLine] = [0, 1, 1]
  const pass = (until: number): Step[] => {
    const taken = steps.slice(at, until)
    oldLine += count(taken, '+')
    newLine += count(taken, '-')
    at = until
    return taken
  }
  for (;;) {
    const next = steps.findIndex((step, i) => i >= at && step.sign !== ' ')
    if (next < 0) return out
    pass(Math.max(at, next - AROUND))
    const [oldStart, newStart] = [oldLine, newLine]
    const hunk = pass(endOf(steps, next))
    out.push(`@@ -${range(oldStart, oldLine)} +${range(newStart, newLine)} @@`, ...hunk.map(spelled))
  }
}

/** Lines on one side: all but those of the other. */
const count = (steps: readonly Step[], other: '-' | '+'): number => steps.filter(({ sign }) => sign !== other).length
const range = (start: number, end: number): string => (end === start ? `${start - 1},0` : `${start},${end - start}`)
const spelled = ({ sign, line }: Step): string =>
  line.endsWith('\n') ? sign + line.slice(0, -1) : `${sign}${line}\n\\ No newline at end of file`

/** A hunk goes on while the next change is near enough to share its surroundings. */
function endOf(steps: readonly Step[], first: number): number {
  let last = first
  for (let i = first; i < steps.length && i - last <= 2 * AROUND; i++) if (steps[i]?.sign !== ' ') last = i
  return Math.min(steps.length, last + AROUND + 1)
}
