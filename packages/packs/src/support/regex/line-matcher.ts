import { Automaton } from './automaton.ts'
import { BlockFinder } from './block-finder.ts'
import { byteFinder, requiredText } from './literal.ts'
import { compile } from './program.ts'
import { parse } from './syntax.ts'

/** What lines must contain, and how that is meant. */
export interface Wanted {
  readonly content: string
  readonly regex: boolean
  readonly ignoreCase: boolean
  /** It may match over several lines. */
  readonly multiline?: boolean
}

/** Lines that a match takes, from the beginning of the first to behind the end of the last. */
export interface Block {
  readonly start: number
  readonly end: number
}

/** Finds lines in bytes, in time in proportion to their number. */
export interface LineMatcher {
  /** A position in the first matching line, looking from the beginning of some line; −1 if there is none. */
  find(bytes: Buffer, from: number): number
  /** What matches over several lines: the lines of matches, in one where they share some. */
  blocks?(bytes: Buffer): Iterable<Block>
}

const NEWLINE = 10
// Longer texts in either case would make a large automaton for nothing.
const LONGEST_FOLDED = 250
// Shorter ones are in too many lines for looking them up to pay.
const SHORTEST_REQUIRED = 2

/** Throws an Error that says what is wrong with an expression. */
export function checkWanted({ content, regex, ignoreCase, multiline = false }: Wanted): void {
  if (regex) parse(content, { ignoreCase, onlyCheck: true, multiline })
}

/** Finds lines that contain something. */
export function lineMatcher(wanted: Wanted): LineMatcher {
  const { content, regex, ignoreCase, multiline = false } = wanted
  if (multiline) return overLines(regex ? content : escaped(content).replaceAll('\n', String.raw`\r?\n`), ignoreCase)
  if (regex) return expression(content, ignoreCase)
  const isPlain = /^[\0-\x7f]*$/.test(content)
  if (!ignoreCase || content.includes('\n') || (isPlain && content.length > LONGEST_FOLDED))
    return { find: byteFinder(Buffer.from(content), ignoreCase) }
  return expression(escaped(content), true)
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

function overLines(source: string, ignoreCase: boolean): LineMatcher {
  const tree = parse(source, { ignoreCase, multiline: true })
  const finder = new BlockFinder(compile(tree))
  const required = Buffer.from(requiredText(tree))
  function* blocks(bytes: Buffer): Generator<Block> {
    if (bytes.length === 0 || bytes.indexOf(required) < 0) return
    let block: Block | undefined
    for (const { start, end } of finder.all(bytes)) {
      // An empty match behind the last line is in no line.
      if (start >= bytes.length) break
      const newline = bytes.indexOf(NEWLINE, Math.max(start, end - 1))
      const last = newline < 0 ? bytes.length : newline + 1
      if (block && start < block.end) {
        block = { start: block.start, end: Math.max(last, block.end) }
        continue
      }
      if (block) yield block
      block = { start: start === 0 ? 0 : bytes.lastIndexOf(NEWLINE, start - 1) + 1, end: last }
    }
    if (block) yield block
  }
  return {
    blocks,
    find: (bytes, from) => {
      for (const { start } of blocks(bytes)) if (start >= from) return start
      return -1
    },
  }
}

function expression(source: string, ignoreCase: boolean): LineMatcher {
  const tree = parse(source, { ignoreCase })
  const automaton = new Automaton(compile(tree))
  const required = requiredText(tree)
  if (required.length < SHORTEST_REQUIRED) return { find: (bytes, from) => automaton.find(bytes, from, bytes.length) }
  const next = byteFinder(Buffer.from(required), false)
  return {
    find(bytes, from) {
      for (let at = next(bytes, from); at >= 0;) {
        const start = at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1
        const newline = bytes.indexOf(NEWLINE, at)
        const end = newline < 0 ? bytes.length : newline + 1
        const found = automaton.find(bytes, start, end)
        if (found >= 0) return found
        at = next(bytes, end)
      }
      return -1
    },
  }
}
