import { block, eachLine, firstIn } from '../finding.ts'
import type { Parser } from '../finding.ts'

const HEADING = /^ {2}● (\S.*)$/
const FRAME = /^\s+at (?:.* )?\(?((?!node:)[^\s():]+:\d+:\d+)\)?$/
const isEnd = (line: string): boolean => HEADING.test(line) || /^(?:Test Suites:|(?:PASS|FAIL) )/.test(line)
const isSource = (line: string): boolean => isEnd(line) || /^\s+(?:>? *\d+ \||at )/.test(line)

/** Failing tests of jest. */
export const jest: Parser = lines =>
  eachLine(lines, HEADING, ([, title = ''], at) => {
    if (/^Console$/.test(title)) return undefined
    const place = firstIn(lines, { from: at + 1, isEnd }, FRAME)?.[1]
    return { place, title, detail: block(lines, at + 1, isSource).map(line => line.trim()) }
  })
