import { Automaton } from './automaton.ts'
import { byteFinder, requiredText } from './literal.ts'
import { compile } from './program.ts'
import { parse } from './syntax.ts'

/** What lines must contain, and how that is meant. */
export interface Wanted {
  readonly content: string
  readonly regex: boolean
  readonly ignoreCase: boolean
}

/** Finds lines in bytes, in time in proportion to their number. */
export interface LineMatcher {
  /** A position in the first matching line, looking from the beginning of some line; −1 if there is none. */
  find(bytes: Buffer, from: number): number
}

const NEWLINE = 10
// Longer texts in either case would make a large automaton for nothing.
const LONGEST_FOLDED = 250
// Shorter ones are in too many lines for looking them up to pay.
const SHORTEST_REQUIRED = 2

/** Throws an Error that says what is wrong with an expression. */
export function checkWanted({ content, regex, ignoreCase }: Wanted): void {
  if (regex) parse(content, { ignoreCase, onlyCheck: true })
}

/** Finds lines that contain something. */
export function lineMatcher(wanted: Wanted): LineMatcher {
  const { content, regex, ignoreCase } = wanted
  if (regex) return expression(content, ignoreCase)
  const isPlain = /^[\0-\x7f]*$/.test(content)
  if (!ignoreCase || content.includes('\n') || (isPlain && content.length > LONGEST_FOLDED))
    return { find: byteFinder(Buffer.from(content), ignoreCase) }
  return expression(content.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), true)
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
