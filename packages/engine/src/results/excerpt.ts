/** What is shown of a text: from one character up to another. */
export interface Range {
  readonly start: number
  readonly end: number
}

// So much of the room goes to places that the query names; the rest is for the beginning and, a little less, the end.
const FOR_MATCHES = 0.5
const FOR_HEAD = 0.6
const MOST_MATCHES = 20
const LONGEST_QUERY = 200
const SHORTEST_WORD = 3
// A cut moves back to the end of a line if there is one so near.
const NEAR_LINE_END = 400

/** Which parts of a text to show in so many characters: the beginning, the end, and around what was asked for. */
export function excerptRanges(text: string, room: number, query?: string): readonly Range[] {
  if (text.length <= room) return [{ start: 0, end: text.length }]
  const matches = query === undefined ? [] : matchesOf(text, query)
  const ends = matches.length === 0 ? room : room * (1 - FOR_MATCHES)
  const head = { start: 0, end: ends * FOR_HEAD }
  const tail = { start: text.length - ends * (1 - FOR_HEAD), end: text.length }
  const around = (room - ends) / Math.max(1, matches.length) / 2
  const places = matches.map(at => ({ start: at - around, end: at + around }))
  const whole = [head, ...places, tail].map(({ start, end }) => ({
    start: start <= 0 ? 0 : lineStart(text, Math.floor(start)),
    end: end >= text.length ? text.length : lineEnd(text, Math.floor(end)),
  }))
  return joined(whole)
}

/** Where the text has what was asked for: as it stands, or else the longest word of it. A pattern is never run. */
function matchesOf(text: string, query: string): number[] {
  if (query.trim() === '' || query.length > LONGEST_QUERY) return []
  const words = query.match(/[\p{L}\p{N}_]+/gu) ?? []
  const longest = words.reduce((long, word) => (word.length > long.length ? word : long), '')
  const whole = placesOf(text, query)
  return whole.length > 0 || longest.length < SHORTEST_WORD ? whole : placesOf(text, longest)
}

function placesOf(text: string, words: string): number[] {
  const literal = new RegExp(words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi')
  const places: number[] = []
  for (let found = literal.exec(text); found && places.length < MOST_MATCHES; found = literal.exec(text))
    places.push(found.index)
  return places
}

/** Ranges in order, those that touch made one. One that its line ends left nothing of, or less, is no range. */
function joined(ranges: readonly Range[]): Range[] {
  const all: Range[] = []
  for (const range of ranges.filter(({ start, end }) => start < end).toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1)
    if (last && range.start <= last.end) all[all.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else all.push(range)
  }
  return all
}

function lineStart(text: string, at: number): number {
  const newline = text.indexOf('\n', at - 1)
  return newline >= 0 && newline - at < NEAR_LINE_END ? newline + 1 : between(text, at)
}

function lineEnd(text: string, at: number): number {
  const newline = text.lastIndexOf('\n', at - 1)
  return newline >= 0 && at - newline < NEAR_LINE_END ? newline + 1 : between(text, at)
}

/** A place that parts no character: the two halves of one beyond the first 65,536 stay together. */
export function between(text: string, at: number): number {
  const place = Math.min(Math.max(0, at), text.length)
  const isInside = isLow(text.charCodeAt(place)) && isHigh(text.charCodeAt(place - 1))
  return isInside ? place - 1 : place
}

const isHigh = (code: number): boolean => code >= 0xd800 && code < 0xdc00
const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000

/** The ranges of a text, one after the other; between them stands what is missing. */
export function excerptOf(text: string, ranges: readonly Range[], gap: (missing: Range) => string): string {
  let shown = ''
  let at = 0
  for (const { start, end } of ranges) {
    if (start > at) shown += gap({ start: at, end: start })
    shown += text.slice(start, end)
    at = end
  }
  return at < text.length ? shown + gap({ start: at, end: text.length }) : shown
}
