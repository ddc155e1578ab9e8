import type { Edit } from './edits.ts'
import { blank, isCall } from './rule.ts'
import type { Rule } from './rule.ts'
import type { Surroundings } from './surroundings.ts'
import { BASE_TYPES, QUALIFIERS, SPECIFIERS, STATEMENTS, TRAILING, TYPE_WORDS, isShouted } from './words.ts'

/** `static DEFINE_PATH(name, "x")` outside of functions: whatever it makes, it is not to be seen. */
export const fileMacro: Rule = ({ tokens, text, isWord, partner, place, begins }, at) => {
  if (!begins[at] || place[at] !== 'declarations') return undefined
  const first = /^(?:static|extern)$/.test(text(at)) ? at + 1 : at
  if (!isCall({ text, isWord }, first)) return undefined
  const close = partner[first + 1]!
  const after = text(close + 1)
  if (close < 0 || TRAILING.has(after)) return undefined
  if (after === '{') return literalParameters(tokens, first + 1, close)
  const isAlone = after === ';' || (isWord(close + 1) && !isOldStyle(text, close + 1))
  return isAlone ? { start: tokens[at]!.start, end: tokens[close]!.end } : undefined
}

/** `int f(a) int a; {`: the types of parameters came behind them once, where the parser does not look for them. */
export const oldStyle: Rule = (around, at) => {
  const { tokens, text, isWord, partner, place } = around
  if (place[at] !== 'declarations' || !isCall(around, at)) return undefined
  const close = partner[at + 1]!
  if (close < 0 || !isWord(close + 1) || TRAILING.has(text(close + 1)) || !isOldStyle(text, close + 1)) return undefined
  let brace = close + 1
  while (text(brace) !== '{') brace += 1
  return { start: tokens[close]!.end, end: tokens[brace]!.start }
}

function isOldStyle(text: Surroundings['text'], at: number): boolean {
  let end = at
  while (end < at + 200 && /^(?:\w+|[*,;[\]])$/.test(text(end))) end += 1
  return text(end) === '{' && text(end - 1) === ';'
}

/** `TEST(name, "what") { … }` is a function with nothing that we could call a parameter. */
function literalParameters(tokens: Surroundings['tokens'], open: number, close: number): Edit | undefined {
  const hasLiteral = tokens.slice(open, close).some(({ kind }) => kind === 'literal')
  return hasLiteral ? { start: tokens[open]!.end, end: tokens[close]!.start } : undefined
}

/** `int argc UNUSED`, `int x INIT(0);`, `void lock() LOCKS(m) {`: attributes written as macros. */
export const attribute: Rule = ({ tokens, text, isWord, partner, place }, at) => {
  if (!isShouted(text(at))) return undefined
  const hasArguments = text(at + 1) === '('
  const end = hasArguments ? partner[at + 1]! : at
  if (end < at) return undefined
  const after = text(end + 1)
  const whole = { start: tokens[at]!.start, end: tokens[end]!.end }
  if (/^(?:\)|const|override|final|noexcept)$/.test(text(at - 1)))
    return place[at] === 'declarations' && /^[{:]$/.test(after) ? whole : undefined
  const isMarked = text(at - 1) === ']' || (isWord(at - 1) && isDeclared(text, isWord, at - 1))
  return isMarked && /^[,);=]$/.test(after) ? whole : undefined
}

/** Is this word the name in a declaration, by the type before it? */
function isDeclared(text: Surroundings['text'], isWord: Surroundings['isWord'], at: number): boolean {
  const before = text(at - 1)
  if (TYPE_WORDS.has(text(at)) || STATEMENTS.has(text(at))) return false
  if (/^[*&]$/.test(before)) return true
  return isWord(at - 1) && !QUALIFIERS.has(before)
}

/** `YY_DECL {` outside of functions: all that stands before the body of a function. */
export const macroFunction: Rule = ({ tokens, text, begins, place }, at) => {
  const isHead = isShouted(text(at)) && begins[at] === 1 && place[at] === 'declarations' && text(at + 1) === '{'
  return isHead && text(at).length > 3 ? { ...tokens[at]!, text: `${text(at).slice(0, -2)}()` } : undefined
}

/** `class EXPORT Name {` and `UNUSED static int x`: macros before what they mark. */
export const marker: Rule = ({ tokens, text, isWord, begins }, at) => {
  if (!isShouted(text(at))) return undefined
  const isClass =
    /^(?:class|struct|union)$/.test(text(at - 1)) && isWord(at + 1) && /^(?:[{:]|final)$/.test(text(at + 2))
  const isLeading =
    SPECIFIERS.has(text(at + 1)) &&
    (begins[at] === 1 || (begins[at - 1] === 1 && /^(?:static|extern)$/.test(text(at - 1))))
  return isClass || isLeading ? blank(tokens[at]!) : undefined
}

/** `static inline FORMAT(1) const char *f(…)`: the same, with arguments. */
export const markerCall: Rule = ({ tokens, text, isWord, partner, place }, at) => {
  if (place[at] !== 'declarations' || !isShouted(text(at)) || text(at + 1) !== '(') return undefined
  const close = partner[at + 1]!
  const isInside = SPECIFIERS.has(text(at - 1)) || (text(at - 1) === ')' && isShouted(text(partner[at - 1]! - 1)))
  return isInside && isWord(close + 1) ? { start: tokens[at]!.start, end: tokens[close]!.end } : undefined
}

/** `INLINE api_export name_t *find(…)`: of the words before a function only its type stays. */
export const extraWords: Rule = ({ tokens, text, isWord, place, begins }, at) => {
  if (!begins[at] || place[at] !== 'declarations') return undefined
  let end = at
  while (isWord(end) || text(end) === '*') end += 1
  const name = end - 1
  if (text(end) !== '(' || !isWord(name) || name - at < 2) return undefined
  const words = Array.from({ length: name - at }, (_, i) => at + i)
  const isPlain = (i: number): boolean => isWord(i) && !SPECIFIERS.has(text(i)) && !TYPE_WORDS.has(text(i))
  const tagged = words.find(i => /^(?:struct|union|enum|class)$/.test(text(i - 1)))
  const plain = words.filter(i => isPlain(i) && i !== tagged && !STATEMENTS.has(text(i)))
  const hasType = tagged !== undefined || words.some(i => BASE_TYPES.has(text(i)))
  return (hasType ? plain : plain.slice(0, -1)).map(i => blank(tokens[i]!))
}
