import { block, firstIn } from '../finding.ts'
import type { Finding, Parser } from '../finding.ts'

const COUNT = /^\s+\d+ failing$/
const HEADING = /^ {2}(\d+)\) (\S.*)$/
const FRAME = /^\s+at (?:.* )?\(?((?!node:)(?:file:\/\/)?[^\s():]+:\d+:\d+)\)?$/
const isEnd = (line: string): boolean => HEADING.test(line)
const isTrace = (line: string): boolean => isEnd(line) || /^\s+at /.test(line)

/** Failing tests of mocha: the list behind "2 failing". */
export const mocha: Parser = lines => {
  const start = lines.findIndex(line => COUNT.test(line))
  if (start < 0) return []
  const found: Finding[] = []
  for (let i = start + 1; i < lines.length; i++) {
    const match = HEADING.exec(lines[i] ?? '')
    if (!match) continue
    // The names of the groups and the test, each on a line of its own, the last with a colon.
    const names = [match[2] ?? '']
    while (!names.at(-1)?.endsWith(':') && (lines[i + 1] ?? '').trim() !== '') names.push((lines[++i] ?? '').trim())
    const title = names.join(' > ').replace(/:$/, '')
    const place = firstIn(lines, { from: i + 1, isEnd }, FRAME)?.[1]
    found.push({ place, title, detail: block(lines, i + 1, isTrace).map(line => line.trim()) })
  }
  return found
}
