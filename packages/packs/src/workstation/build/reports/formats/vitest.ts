import { block, eachLine, firstIn } from '../finding.ts'
import type { Parser } from '../finding.ts'

const FAIL = /^ ?FAIL {2}(\S.* (?:> |\[ ).+)$/
const FRAME = /^\s*❯ (?:.* )?\(?(\S+:\d+:\d+)\)?$/
const isEnd = (line: string): boolean => /^⎯|^ ?FAIL {2}/.test(line)
const isSource = (line: string): boolean => isEnd(line) || /^\s*❯ /.test(line)

/** Failing tests of vitest. */
export const vitest: Parser = lines =>
  eachLine(lines, FAIL, ([, title = ''], at) => {
    const place = firstIn(lines, { from: at + 1, isEnd }, FRAME)?.[1]
    const detail = block(lines, at + 1, isSource)
    return { place, title: title.trimEnd(), detail }
  })
