import { NAMED, setOf, without } from './character-set.ts'
import type { CharacterSet } from './character-set.ts'
import type { Reader } from './reader.ts'

/** How the parts of a class are read. */
export interface ClassParts {
  /** What comes behind a backslash. */
  readonly escaped: () => CharacterSet
  /** The characters that some stand for. */
  readonly folded: (set: CharacterSet) => CharacterSet
}

/** Read a class behind its opening bracket. */
export function readClass(reader: Reader, parts: ClassParts): CharacterSet {
  const start = reader.at - 1
  const isNegative = reader.skip('^')
  const ranges: (readonly [number, number])[] = []
  for (let isFirst = true; isFirst || !reader.skip(']'); isFirst = false) {
    if (reader.isDone) throw reader.wrong("'[' without ']'", start)
    // An empty class matches nothing, its opposite anything; that is how JavaScript has it.
    if (isFirst && reader.skip(']')) break
    ranges.push(...readRange(reader, parts))
  }
  const set = setOf(ranges)
  return isNegative ? without(set) : set
}

/** A character or a set, or the characters from one to another. */
function readRange(reader: Reader, parts: ClassParts): CharacterSet {
  const at = reader.at
  const from = readItem(reader, parts)
  // Longer sets are meant as they are.
  if (!reader.take(/-(?!\])/y)) return from.length === 1 ? parts.folded(from) : from
  const to = readItem(reader, parts)
  const [first, last] = [onlyOne(from), onlyOne(to)]
  if (first === undefined || last === undefined) return [...from, [45, 45], ...to]
  if (first > last) throw reader.wrong('range out of order in a class', at)
  return parts.folded([[first, last]])
}

function readItem(reader: Reader, { escaped, folded }: ClassParts): CharacterSet {
  const [, name] = reader.take(/\[:(\w+):\]/y) ?? []
  const named = name === undefined ? undefined : NAMED[name]
  if (named) return folded(named)
  const letter = reader.next()
  // In a class this is the control character, not the boundary of a word.
  if (letter === '\\') return reader.skip('b') ? [[8, 8]] : escaped()
  const code = letter.codePointAt(0) ?? 0
  return [[code, code]]
}

const onlyOne = ([range, ...more]: CharacterSet): number | undefined =>
  range && more.length === 0 && range[0] === range[1] ? range[0] : undefined
