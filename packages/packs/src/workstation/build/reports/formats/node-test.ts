import { block, eachLine, firstIn } from '../finding.ts'
import type { Parser } from '../finding.ts'

const NOT_OK = /^(\s*)not ok \d+ - (.+?)(?: # time=.*)?$/
const FIELD = /^\s+(?:error|message): (.*)$/
const LOCATION = /^\s+(?:location|at): '?(\S+?:\d+:\d+)'?$/
const isYamlEnd = (line: string): boolean => /^\s*\.\.\.$/.test(line)

/** Failing tests of TAP, which node:test writes into a pipe; those that only failed for their subtests are left out. */
export const tap: Parser = lines =>
  eachLine(lines, NOT_OK, ([, , title = ''], at) => {
    if (/ # (?:TODO|SKIP)/i.test(title)) return undefined
    const range = { from: at + 1, isEnd: isYamlEnd }
    if (firstIn(lines, range, /failureType: 'subtestsFailed'/)) return undefined
    return { place: firstIn(lines, range, LOCATION)?.[1], title, detail: errorOf(lines, at) }
  })

function errorOf(lines: readonly string[], at: number): string[] {
  const field = firstIn(lines, { from: at + 1, isEnd: isYamlEnd }, FIELD)
  if (!field) return []
  const value = field[1] ?? ''
  if (!/^[|>]-?$/.test(value)) return [value.replaceAll(/^'|'$/g, '')]
  const from = lines.indexOf(field[0], at) + 1
  return block(lines, from, line => isYamlEnd(line) || /^\s*\w+: /.test(line)).map(line => line.trim())
}

const PLACE = /^test at (\S+:\d+:\d+)$/
const isSpecEnd = (line: string): boolean => PLACE.test(line) || /^\s+at /.test(line)

/** Failing tests of node:test's `spec` reporter: the list behind "failing tests:". */
export const spec: Parser = lines =>
  eachLine(lines, PLACE, ([, place], at) => {
    const title = /^✖ (.+?)(?: \([\d.]+ms\))?$/.exec(lines[at + 1] ?? '')?.[1]
    if (title === undefined) return undefined
    return { place, title, detail: block(lines, at + 2, isSpecEnd).map(line => line.trim()) }
  })
