import { openBelow } from '../../support/files/directory.ts'
import { matcherOf, readText } from './scan-lines.ts'
import type { Wanted } from '../../support/regex/line-matcher.ts'

/** Which lines of which files to bring, in data that crosses threads. */
export interface Extraction {
  readonly root: string
  readonly wanted: Wanted
  /** Of each file: how many matching lines to pass over, and how many to bring. */
  readonly files: readonly { readonly path: string; readonly skip: number; readonly take: number }[]
  /** Lines around each. */
  readonly before: number
  readonly after: number
}

/** One line of a file. */
export interface Line {
  readonly path: string
  readonly line: number
  /** The last line, of a match over several. */
  readonly endLine?: number
  readonly text: string
  readonly before?: string[]
  readonly after?: string[]
}

const NEWLINE = 10
const LONGEST = 300
// Of a match over more lines, so many are shown.
const MOST_LINES = 50
// Of a long line, so much is shown in front of what was found.
const LEAD = 100

/** Bring matching lines, with the lines around them. */
export const extractLines = (extraction: Extraction): Line[] =>
  extraction.files.flatMap(file => {
    const cut = file.path.lastIndexOf('/')
    const directory = openBelow(extraction.root, file.path.slice(0, Math.max(0, cut)))
    try {
      const bytes = readText(directory, file.path.slice(cut + 1))
      // It was a text when it was counted; what it has become meanwhile has no lines.
      return typeof bytes === 'string' ? [] : linesOf(bytes, file, extraction)
    } finally {
      directory.close()
    }
  })

/** What matches over several lines: they stand in one text, the first so many of them. */
function blocksOf(bytes: Buffer, { path, skip, take }: Extraction['files'][number], asked: Extraction): Line[] {
  const found: Line[] = []
  let [seen, line, counted] = [0, 1, 0]
  for (const { start, end } of matcherOf(asked.wanted).blocks?.(bytes) ?? []) {
    if (found.length === take) break
    if (seen++ < skip) continue
    line += newlines(bytes, counted, start)
    counted = start
    const isEnded = bytes[end - 1] === NEWLINE
    const count = newlines(bytes, start, end) + (isEnded ? 0 : 1)
    const lines = linesAfter(bytes.subarray(0, end), start, MOST_LINES)
    if (count > lines.length) lines.push(`… ${count - lines.length} more lines`)
    const before = asked.before > 0 ? { before: linesBefore(bytes, start, asked.before) } : {}
    const after = asked.after > 0 ? { after: linesAfter(bytes, end, asked.after) } : {}
    const last = count > 1 ? { endLine: line + count - 1 } : {}
    found.push({ path, line, ...last, text: lines.join('\n'), ...before, ...after })
  }
  return found
}

function linesOf(bytes: Buffer, file: Extraction['files'][number], asked: Extraction): Line[] {
  const matcher = matcherOf(asked.wanted)
  if (matcher.blocks) return blocksOf(bytes, file, asked)
  const { path, skip, take } = file
  const found: Line[] = []
  let [line, counted, from] = [1, 0, 0]
  for (let seen = 0; found.length < take && from < bytes.length; seen++) {
    const at = matcher.find(bytes, from)
    if (at < 0) return found
    const start = startOf(bytes, at)
    const end = endOf(bytes, at)
    if (seen >= skip) {
      line += newlines(bytes, counted, start)
      counted = start
      const before = asked.before > 0 ? { before: linesBefore(bytes, start, asked.before) } : {}
      const after = asked.after > 0 ? { after: linesAfter(bytes, end + 1, asked.after) } : {}
      found.push({ path, line, text: shown(bytes, start, end, at), ...before, ...after })
    }
    from = end + 1
  }
  return found
}

const startOf = (bytes: Buffer, at: number): number => (at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1)

function endOf(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(NEWLINE, at)
  return end < 0 ? bytes.length : end
}

function newlines(bytes: Buffer, from: number, to: number): number {
  let count = 0
  for (let i = bytes.indexOf(NEWLINE, from); i >= 0 && i < to; i = bytes.indexOf(NEWLINE, i + 1)) count++
  return count
}

function linesBefore(bytes: Buffer, start: number, count: number): string[] {
  const lines: string[] = []
  for (let end = start - 1; end >= 0 && lines.length < count;) {
    const from = startOf(bytes, end)
    lines.unshift(shown(bytes, from, end, from))
    end = from - 1
  }
  return lines
}

function linesAfter(bytes: Buffer, start: number, count: number): string[] {
  const lines: string[] = []
  for (let from = start; from < bytes.length && lines.length < count;) {
    const end = endOf(bytes, from)
    lines.push(shown(bytes, from, end, from))
    from = end + 1
  }
  return lines
}

/** A line as it is shown; of a long one, what is around the place. */
function shown(bytes: Buffer, start: number, end: number, at: number): string {
  if (end - start <= LONGEST) return bytes.toString('utf8', start, end).trimEnd()
  let from = at - start > LONGEST - LEAD ? at - LEAD : start
  // Not in the middle of a character.
  while (from > start && (bytes[from]! & 0xc0) === 0x80) from--
  let to = Math.min(end, from + LONGEST)
  while (to > from && to < end && (bytes[to]! & 0xc0) === 0x80) to--
  return `${from > start ? '…' : ''}${bytes.toString('utf8', from, to).trimEnd()}${to < end ? '…' : ''}`
}
