import { eachLine } from '../finding.ts'
import type { Parser } from '../finding.ts'

const ERROR = /^([^\s(][^(]*?)(?:\((\d+),(\d+)\):|:(\d+):(\d+) -) error (TS\d+: .+)$/
const WITHOUT_FILE = /^error (TS\d+: .+)$/

/** Errors of the TypeScript compiler, plain and pretty. */
export const tsc: Parser = lines => [
  ...eachLine(lines, ERROR, ([, file, line, column, prettyLine, prettyColumn, title = '']) => ({
    place: `${file}:${line ?? prettyLine}:${column ?? prettyColumn}`,
    title,
  })),
  ...eachLine(lines, WITHOUT_FILE, ([, title = '']) => ({ title })),
]
