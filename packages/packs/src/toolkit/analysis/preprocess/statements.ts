import type { Edit } from './edits.ts'
import { blank, isCall } from './rule.ts'
import type { Rule } from './rule.ts'
import type { Surroundings } from './surroundings.ts'
import { STATEMENTS, TRAILING, TYPE_WORDS, isShouted } from './words.ts'

// `unsigned long long int` is the longest type that is written.
const MOST_WORDS = 4

/** `"%" PRIu64 "\n"`: a macro between strings is one of them. */
export const inString: Rule = ({ tokens, text, isWord, isLiteral, partner }, at) => {
  const word = text(at)
  if (!isWord(at) || STATEMENTS.has(word)) return undefined
  const isAfter = isLiteral(at - 1) && text(at - 2) !== 'extern' && text(at - 2) !== 'operator'
  if (!isAfter) return isLiteral(at + 1) && /^[(,=?:+[{]$|^<$/.test(text(at - 1)) ? blank(tokens[at]!) : undefined
  if (text(at + 1) !== '(') return blank(tokens[at]!)
  const end = tokens[partner[at + 1]!]
  const gap = { start: tokens[at - 1]!.end, end: tokens[at]!.start, text: ',' }
  return gap.end > gap.start ? gap : end && { start: tokens[at]!.start, end: end.end }
}

/** `container_of(x, struct y, z)`: a type where a value is expected becomes a name. */
export const typeArgument: Rule = ({ tokens, text, isWord, place }, at) => {
  if (!isWord(at) || place[at] !== 'code' || !isArgument(text, isWord, at)) return undefined
  let end = at
  while (isWord(end)) end += 1
  const words = end - at
  while (text(end) === '*') end += 1
  const isType = text(end - 1) === '*' || TYPE_WORDS.has(text(at))
  const isVoid = text(at) === 'void' && end === at + 1
  if (!isType || isVoid || words > MOST_WORDS || !/^[,)]$/.test(text(end))) return undefined
  const first = tokens[at]!
  return { start: first.start, end: tokens[end - 1]!.end, text: '_'.repeat(first.end - first.start) }
}

/** Does it stand behind a comma, or behind the bracket of a call? */
function isArgument(text: Surroundings['text'], isWord: Surroundings['isWord'], at: number): boolean {
  if (text(at - 1) === ',') return true
  return text(at - 1) === '(' && isWord(at - 2) && !STATEMENTS.has(text(at - 2))
}

/** `each(item, list) { … }` and `CHECK(x) y();`: a call that lacks its semicolon gets one. */
export const unendedCall: Rule = (around, at) => {
  const { text, isWord, partner, place, begins } = around
  if (!begins[at] || place[at] !== 'code' || !isCall(around, at)) return undefined
  const close = partner[at + 1]!
  const after = text(close + 1)
  const isOver = after === '{' || (isWord(close + 1) && after !== 'else' && !TRAILING.has(after))
  return close > 0 && isOver ? semicolon(around, close, at + 1) : undefined
}

/** End a statement behind a token: in the gap that follows it or, if that is only the end of the line, from another one on. */
function semicolon({ tokens, gap }: Surroundings, at: number, from: number): Edit {
  // What a directive takes up is blank for the parser already.
  const offset = gap(at)
    .replace(/(?:^|\n)[ \t]*#[^]*$/, '')
    .search(/[^\n]/)
  const start = tokens[at]!.end + offset
  return offset < 0
    ? { start: tokens[from]!.start, end: tokens[at]!.end, text: ';' }
    : { start, end: start + 1, text: ';' }
}

/** A macro alone on its line stands for whole statements. */
export const loneMacro: Rule = (around, at) => {
  const { tokens, text, isWord, begins, place, gap } = around
  if (!begins[at] || place[at] !== 'code' || !isShouted(text(at)) || !gap(at).includes('\n')) return undefined
  if (!isWord(at + 1) && text(at + 1) !== '}' && text(at + 1) !== '{') return undefined
  return /^[^\n#]/.test(gap(at)) ? semicolon(around, at, at) : { ...blank(tokens[at]!), text: ';' }
}

/** `new T*[n]`: the star says nothing about the code. */
export const newPointers: Rule = ({ tokens, text }, at) => {
  if (text(at) !== 'new') return undefined
  let star = at + 1
  while (/^(?:\w+|::)$/.test(text(star))) star += 1
  let end = star
  while (text(end) === '*') end += 1
  return end > star && text(end) === '[' ? { start: tokens[star]!.start, end: tokens[end - 1]!.end } : undefined
}

/** `x->*y` is an operator between two values. */
export const memberPointer: Rule = ({ tokens, text }, at) =>
  text(at) === '->' && text(at + 1) === '*'
    ? { start: tokens[at]!.start, end: tokens[at + 1]!.end, text: ' +' }
    : undefined
