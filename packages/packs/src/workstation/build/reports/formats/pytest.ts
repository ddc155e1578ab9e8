import { eachLine, firstIn } from '../finding.ts'
import type { Finding, Parser } from '../finding.ts'

const HEADING = /^_{3,} (\S.*?) _{3,}$/
const SECTION = /^(?:_{3,} .* _{3,}|={3,} .* ={3,})$/
const LOCATION = /^(\S[^:]*:\d+): (?:\w+(?:Error|Exception|Failed|Exit|Warning)?|in .*)?$/
const SHORT = /^(?:FAILED|ERROR) (\S+)(?: - (.*))?$/
const MOST_WORDS = 6
const MOST_LINES = 400

/** Failing tests and errors of pytest; of short reports, the summary. */
export const pytest: Parser = lines => {
  const long = eachLine(lines, HEADING, ([, title = ''], at) => toFinding(lines, title, at))
  if (long.length > 0) return long
  return eachLine(lines, SHORT, ([, title = '', message]) => ({
    title,
    ...(message !== undefined && { detail: [message] }),
  }))
}

function toFinding(lines: readonly string[], title: string, at: number): Finding | undefined {
  const length = lines.slice(at + 1, at + MOST_LINES).findIndex(line => SECTION.test(line))
  const part = lines.slice(at + 1, at + (length < 0 ? MOST_LINES : 1 + length))
  const detail = part.flatMap(line => (/^E {3}/.test(line) ? [line.slice(1).trim()] : [])).slice(0, MOST_WORDS)
  const places = part.flatMap(line => LOCATION.exec(line)?.[1] ?? [])
  // The last place is where it was raised.
  return detail.length === 0 && places.length === 0 ? undefined : { place: places.at(-1), title, detail }
}

/** The end of a Python traceback. */
export const traceback: Parser = lines =>
  eachLine(lines, /^Traceback \(most recent call last\):$/, (_, at) => {
    const end = firstIn(lines, { from: at + 1, most: MOST_LINES, isEnd: () => false }, /^[A-Za-z_][\w.]*(?:: .*)?$/)
    if (!end) return undefined
    const until = lines.indexOf(end[0], at + 1)
    const frames = lines.slice(at, until).flatMap(line => {
      const match = /^ {2}File "([^"]+)", line (\d+)/.exec(line)
      return match ? [`${match[1]}:${match[2]}`] : []
    })
    return { place: frames.at(-1), title: end[0] }
  })
