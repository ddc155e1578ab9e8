import { block, eachLine, firstIn } from '../finding.ts'
import type { Parser } from '../finding.ts'

const ERROR = /^\s*([^\s(][^(]*)\((\d+),(\d+)(?:,\d+,\d+)?\): error ((?!TS)\w+: .+?)(?: \[[^\]]*\])?$/
const FAILED = /^\s*(?:\[xUnit.*\]\s+)?Failed (\S.*?) \[[^\]]+\]$/
const FRAME = /^\s+at .* in (\S.*):line (\d+)$/
const isEnd = (line: string): boolean => FAILED.test(line) || /^\s*(?:Passed|Skipped) \S|^(?:Failed|Passed)!/.test(line)
const isTrace = (line: string): boolean => isEnd(line) || /^\s*Stack Trace:/.test(line)

/** Compile errors and failing tests of dotnet. */
export const dotnet: Parser = lines => [
  ...eachLine(lines, ERROR, ([, file, line, column, title = '']) => ({ place: `${file}:${line}:${column}`, title })),
  ...eachLine(lines, FAILED, ([, title = ''], at) => {
    const frame = firstIn(lines, { from: at + 1, isEnd }, FRAME)
    const said = block(lines, at + 1, isTrace).map(line => line.trim())
    return { place: frame && `${frame[1]}:${frame[2]}`, title, detail: said.filter(line => line !== 'Error Message:') }
  }),
]
