import type { Finding, Parser } from './finding.ts'

const TELLING =
  /\b(?:error|fatal|panic(?:ked)?|exception|failed|failure|cannot|can't|unable to|not found|no such|denied)\b/i
const HARMLESS =
  /\b(?:0|no) (?:errors?|failed|failures?)\b|^npm error (?:A complete log|Lifecycle script|code |path |workspace |location )/i
const PLACE = /((?:[\w.@~+-]*\/)*[\w.@+-]+\.\w{1,10}:\d+(?::\d+)?)/
const MOST = 10

/** Where no report is known: the last lines that sound like trouble. */
export const heuristics: Parser = lines => {
  const telling = lines.filter(line => TELLING.test(line) && !HARMLESS.test(line))
  const unlike = [...new Set(telling.map(line => line.trim()))].slice(-MOST)
  return unlike.map((title): Finding => {
    const place = PLACE.exec(title)?.[1]
    return { title, place: place !== undefined && title.startsWith(place) ? undefined : place }
  })
}
