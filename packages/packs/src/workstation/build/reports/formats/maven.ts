import { block, eachLine, firstIn } from '../finding.ts'
import type { Parser } from '../finding.ts'

const COMPILE = /^\[ERROR\] (\/?[^\s:[]+):\[(\d+),(\d+)\] (?:error: )?(.+)$/
const TEST = /^(?:\[ERROR\] )?(?:  )?(\S+) +-?-? ?Time elapsed: [\d.,]+ s +<<< (?:FAILURE|ERROR)!$/
const FRAME = /^\s+at .*\(([\w$]+\.(?:java|kt|scala|groovy):\d+)\)$/
const LIBRARY = /^\s+at (?:org\.junit|org\.testng|java\.|jdk\.|sun\.|org\.opentest4j|org\.hamcrest|org\.assertj)/
const OTHER = /^\[ERROR\] (Failed to execute goal .+|Non-resolvable .+|Could not resolve .+)$/
const isEnd = (line: string): boolean => line.trim() === '' || line.startsWith('[')
const isTrace = (line: string): boolean => isEnd(line) || /^\s+at /.test(line)

/** Compile errors and failing tests of maven; else why it stopped. */
export const maven: Parser = lines => {
  const found = [
    ...eachLine(lines, COMPILE, ([, file, line, column, title = '']) => ({
      place: `${file}:${line}:${column}`,
      title,
    })),
    ...eachLine(lines, TEST, ([, title = ''], at) => {
      const own = lines.slice(at + 1, at + 60).map(line => (LIBRARY.test(line) ? '' : line))
      const end = lines.slice(at + 1, at + 60).findIndex(isEnd)
      const frames = end < 0 ? own : own.slice(0, end)
      const place = firstIn(frames, { from: 0, isEnd: () => false }, FRAME)?.[1]
      return { place, title, detail: block(lines, at + 1, isTrace) }
    }),
  ]
  return found.length > 0 ? found : eachLine(lines, OTHER, ([, title = '']) => ({ title }))
}
