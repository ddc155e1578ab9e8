import { block, eachLine, firstIn } from '../finding.ts'
import type { Parser } from '../finding.ts'

const FAILED = /^(\S.* > .+) FAILED$/
const FRAME = /\(?([\w$]+\.(?:java|kt|scala|groovy):\d+)\)?$/
const KOTLIN = /^e: (?:file:\/\/)?(\S+?):(\d+):(\d+):? (.+)$/
const isEnd = (line: string): boolean => line.trim() === '' || FAILED.test(line)

/** Failing tests of gradle, and errors of its Kotlin compiler. */
export const gradle: Parser = lines => [
  ...eachLine(lines, KOTLIN, ([, file, line, column, title = '']) => ({ place: `${file}:${line}:${column}`, title })),
  ...eachLine(lines, FAILED, ([, title = ''], at) => ({
    place: firstIn(lines, { from: at + 1, isEnd }, FRAME)?.[1],
    title,
    detail: block(lines, at + 1, isEnd).map(line => line.trim()),
  })),
]
