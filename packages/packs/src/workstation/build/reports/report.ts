import { cargo } from './formats/cargo.ts'
import { dotnet } from './formats/dotnet.ts'
import { eslint } from './formats/eslint.ts'
import { excerpt, plainLines } from './excerpt.ts'
import type { Finding, Parser } from './finding.ts'
import { gcc } from './formats/gcc.ts'
import { go } from './formats/go.ts'
import { gradle } from './formats/gradle.ts'
import { heuristics } from './heuristics.ts'
import { jest } from './formats/jest.ts'
import { maven } from './formats/maven.ts'
import { mocha } from './formats/mocha.ts'
import { spec, tap } from './formats/node-test.ts'
import { pytest, traceback } from './formats/pytest.ts'
import { summaryOf } from './summary.ts'
import { tsc } from './formats/tsc.ts'
import { vitest } from './formats/vitest.ts'

/** What a program wrote, in data that crosses threads. */
export interface Written {
  readonly stdout: string
  readonly stderr: string
  /** Did it do what it was to do? Then a few lines are enough. */
  readonly ok: boolean
}

const COMPILERS: readonly Parser[] = [tsc, eslint, gcc, cargo, go, dotnet, maven, gradle]
const RUNNERS: readonly Parser[] = [vitest, jest, mocha, tap, spec, pytest]
const MOST_LINES = 100_000
const LONGEST_LINE = 400
const MOST_FINDINGS = 20
const FINDINGS_CHARS = 8000
const LONGEST_TITLE = 300
// What is shown of the output of a run that failed: much if nothing was recognised in it.
const OUTPUT_CHARS = 16_000
const REST_CHARS = 6000
const SUCCESS_CHARS = 2000

/** What a run's output says, the most telling first: what failed and where, how many, then the end of the output. */
export function report({ stdout, stderr, ok }: Written): string {
  const streams = { stderr: plainLines(stderr), stdout: plainLines(stdout) }
  const all = [...telling(streams.stderr), ...telling(streams.stdout)]
  const summary = summaryOf(all)
  if (ok) return joined([summary.join('\n'), outputs(streams, SUCCESS_CHARS)])
  const known = findingsIn(all)
  const found = known.length > 0 ? known : heuristics(all)
  const isShort = stdout.length + stderr.length < SUCCESS_CHARS
  if (known.length === 0 && isShort) return outputs(streams, OUTPUT_CHARS)
  const most = known.length > 0 ? REST_CHARS : OUTPUT_CHARS
  return joined([listed(found, known.length > 0), summary.join('\n'), outputs(streams, most)])
}

/** The lines that are looked through: of very many, those of the beginning and, mostly, the end. */
const telling = (lines: readonly string[]): string[] =>
  (lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES / 4), ...lines.slice(-MOST_LINES)]).map(line =>
    line.slice(0, LONGEST_LINE),
  )

/** What went wrong, by every parser, once each. */
export function findingsIn(lines: readonly string[]): Finding[] {
  const found = [...COMPILERS, ...RUNNERS].flatMap(parse => parse(lines))
  const some = found.length > 0 ? found : traceback(lines)
  const byKey = new Map(some.toReversed().map(finding => [`${finding.place} ${finding.title}`, finding]))
  return [...byKey.values()].toReversed()
}

function listed(found: readonly Finding[], isKnown: boolean): string {
  if (found.length === 0) return ''
  const lines: string[] = []
  let [room, shown] = [FINDINGS_CHARS, 0]
  for (const { place, title, detail = [] } of found.slice(0, MOST_FINDINGS)) {
    const head = `- ${place === undefined ? '' : `${place} `}${title.slice(0, LONGEST_TITLE)}`
    const entry = [head, ...detail.map(line => `    ${line.slice(0, LONGEST_TITLE)}`)].join('\n')
    if (shown > 0 && (room -= entry.length) < 0) break
    lines.push(entry)
    shown++
  }
  const more = found.length > shown ? [`- and ${found.length - shown} more`] : []
  return [isKnown ? `Failures (${found.length}):` : 'Lines that may tell why:', ...lines, ...more].join('\n')
}

/** The ends of both streams; they share the room, most of it for stdout. */
function outputs({ stderr, stdout }: { stderr: readonly string[]; stdout: readonly string[] }, most: number): string {
  const part = (name: string, lines: readonly string[], share: number): string =>
    lines.every(line => line.trim() === '') ? '' : `[${name}]\n${excerpt(lines, most * share).trimEnd()}`
  return joined([part('stderr', stderr, stdout.length === 0 ? 1 : 0.4), part('stdout', stdout, 0.6)])
}

const joined = (parts: readonly string[]): string => parts.filter(part => part !== '').join('\n')
