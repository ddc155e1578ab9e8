import type { Finding, Parser } from './finding.ts'

const TELLING =
  /\b(?:error|fatal|panic(?:ked)?|exception|failed|failure|cannot|can't|unable to|not found|no such|denied)\b/i
const HARMLESS =
  /\b(?:0|no) (?:errors?|failed|failures?)\b|^npm error (?:A complete log|Lifecycle script|code |path |workspace |location )/i
const PLACE = /((?:[\w.@~+-]*\/)*[\w.@+-]+\.\w{1,10}:\d+(?::\d+)?)/
const MOST = 10
const NPM = /^npm (?:error|ERR!)/
// What npm adds to what went wrong: how the command is used.
const USAGE = /^npm (?:error|ERR!) (?:Usage:|Options:|Clean install a project$|Install a package$)/

// npm marks every line of what went wrong; others only some.
const isTelling = (line: string): boolean =>
  !HARMLESS.test(line) && (TELLING.test(line) || /^npm (?:error|ERR!) \S/.test(line))

/** The lines without npm's help on its own command. */
function withoutUsage(lines: readonly string[]): readonly string[] {
  let isUsage = false
  return lines.filter(line => {
    isUsage = USAGE.test(line) || (isUsage && NPM.test(line))
    return !isUsage
  })
}

/** Where no report is known: the last lines that sound like trouble. */
export const heuristics: Parser = lines => {
  const telling = withoutUsage(lines).filter(isTelling)
  const unlike = [...new Set(telling.map(line => line.trim()))].slice(-MOST)
  return unlike.map((title): Finding => {
    const place = PLACE.exec(title)?.[1]
    return { title, place: place !== undefined && title.startsWith(place) ? undefined : place }
  })
}
