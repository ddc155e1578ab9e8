import { block, eachLine, firstIn } from '../finding.ts'
import type { Finding, Parser } from '../finding.ts'

const FAIL = /^(\s*)--- FAIL: (\S+)/
const PLACE = /^\s+(\S+\.go:\d+(?::\d+)?): /
const COMPILE = /^(?:vet: )?(\S+\.go:\d+:\d+): (.+)$/
const PANIC = /^panic: (.+)$/
const FRAME = /^\t(\S+\.go:\d+)/
const SECTION = /^=== (?:RUN|CONT|NAME)\s+(\S+)/
const MOST_BEFORE = 5000

/** Failing tests, compile errors and panics of go. A test that only failed for its subtests is left out. */
export const go: Parser = lines => [
  ...eachLine(lines, COMPILE, ([, place, title = '']) => ({ place, title })),
  ...eachLine(lines, FAIL, ([, indent = '', title = ''], at) => {
    if ((FAIL.exec(lines[at + 1] ?? '')?.[1] ?? '').length > indent.length) return undefined
    const isEnd = (line: string): boolean => /^\s*---|^(?:FAIL|ok|PASS|panic:|=== )/.test(line)
    const place = firstIn(lines, { from: at + 1, isEnd }, PLACE)?.[1]
    if (place !== undefined) return { place, title, detail: block(lines, at + 1, isEnd) }
    return saidBefore(lines, at, title) ?? { title, detail: block(lines, at + 1, isEnd) }
  }),
  ...eachLine(lines, PANIC, ([title = ''], at) => ({
    place: ownFrame(lines, at),
    title: title.replace(/ \[recovered\]$/, ''),
  })),
]

/** With -v a test says what is wrong before it is said to have failed, perhaps among the lines of others. */
function saidBefore(lines: readonly string[], at: number, title: string): Finding | undefined {
  const isEnd = (line: string): boolean => /^(?:===|\s*---) /.test(line)
  for (let i = at - 1; i >= Math.max(0, at - MOST_BEFORE); i--) {
    if (SECTION.exec(lines[i] ?? '')?.[1] !== title) continue
    const place = firstIn(lines, { from: i + 1, isEnd }, PLACE)?.[1]
    if (place !== undefined) return { place, title, detail: block(lines, i + 1, isEnd) }
  }
  return undefined
}

/** The first frame of the trace that is not the library's. */
function ownFrame(lines: readonly string[], at: number): string | undefined {
  const frames = lines.slice(at, at + 60).flatMap(line => FRAME.exec(line)?.[1] ?? [])
  return frames.find(frame => !/\/(?:src\/(?:runtime|testing)|libexec)\//.test(frame)) ?? frames[0]
}
