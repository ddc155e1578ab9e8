import type { Token } from './tokens.ts'
import { isShouted } from './words.ts'

/** What the braces around a token hold: statements, declarations of a file or class, or values. */
export type Place = 'code' | 'declarations' | 'values'

/** The tokens that the parser will see, with what is around each. */
export interface Surroundings {
  readonly tokens: readonly Token[]
  /** The text of a token; empty before the first and behind the last. */
  text(at: number): string
  isWord(at: number): boolean
  isLiteral(at: number): boolean
  /** What stands between this token and the next. */
  gap(at: number): string
  /** By token: the bracket that closes or opens this one, or -1. */
  readonly partner: Int32Array
  /** By token: what the nearest braces around it hold. */
  readonly place: readonly Place[]
  /** By token: a statement or declaration begins with it. */
  readonly begins: Uint8Array
}

const CLASSES = new Set(['class', 'struct', 'union', 'interface'])
const VALUED = new Set(['=', ',', '[', 'return', '>'])
const CONTROL = new Set(['if', 'for', 'while', 'switch', 'catch'])
const END = /^[;{}]$/
const ATTRIBUTE = /^(?:__attribute(?:__)?|alignas|_Alignas|__declspec|__pragma|_Pragma)$/

/** Look around every token. */
export function look(tokens: readonly Token[], source: string): Surroundings {
  const texts = tokens.map(({ start, end }) => source.slice(start, end))
  const text = (at: number): string => texts[at] ?? ''
  const partner = new Int32Array(tokens.length).fill(-1)
  const begins = new Uint8Array(tokens.length)
  const place: Place[] = []
  const around: Surroundings = {
    tokens,
    text,
    isWord: at => tokens[at]?.kind === 'word',
    isLiteral: at => tokens[at]?.kind === 'literal' && /^(?:u8|[uUL])?R?"/.test(text(at)),
    gap: at => source.slice(tokens[at]?.end, tokens[at + 1]?.start),
    partner,
    place,
    begins,
  }
  const open: { at: number; place: Place; parens: number[] }[] = [{ at: -1, place: 'declarations', parens: [] }]
  for (let at = 0; at < tokens.length; at++) {
    const word = text(at)
    const inner = open.at(-1)!
    place.push(inner.place)
    if (inner.parens.length === 0 && startsAfter(around, at - 1)) begins[at] = 1
    if (word === '(' || word === '[') inner.parens.push(at)
    else if (word === ')' || word === ']') join(partner, inner.parens.pop(), at)
    else if (word === '{') open.push({ at, place: placeOf(around, at, inner.place), parens: [] })
    else if (word === '}' && open.length > 1) join(partner, open.pop()?.at, at)
  }
  return around
}

function join(partner: Int32Array, from: number | undefined, to: number): void {
  if (from === undefined) return
  partner[from] = to
  partner[to] = from
}

/** Does a statement begin behind this token? */
function startsAfter({ text, gap, partner, place, begins }: Surroundings, at: number): boolean {
  const word = text(at)
  if (/^[;{}]?$/.test(word) || word === 'else' || word === 'do') return true
  if (word === ':') return place[at] !== 'values' && !isChoice(text, at)
  // What begins a statement and is followed by no operator was one: a macro.
  if (word === ')') return CONTROL.has(text(partner[at]! - 1)) || begins[partner[at]! - 1] === 1
  return begins[at] === 1 && isShouted(word) && gap(at).includes('\n')
}

/** Is the colon part of a choice between values rather than the end of a label? */
function isChoice(text: (at: number) => string, colon: number): boolean {
  for (let at = colon - 1; at > colon - 20; at--) {
    const word = text(at)
    if (word === '?') return true
    if (word === 'case' || /^[;{}]?$/.test(word)) return false
  }
  return true
}

/** What the braces that open here hold, by what stands before them. */
function placeOf({ text, partner }: Surroundings, brace: number, outer: Place): Place {
  const before = text(brace - 1)
  // `({ … })` has a value, and is made of statements.
  if (before === '(' || before === ']') return 'code'
  if (outer === 'values' || VALUED.has(before) || isCast(text, partner, brace - 1)) return 'values'
  let hasParameters = false
  for (let at = brace - 1; at >= 0; at--) {
    const word = text(at)
    if (END.test(word)) break
    if (word === ')' && partner[at]! >= 0) {
      at = partner[at]!
      hasParameters ||= !ATTRIBUTE.test(text(at - 1))
    }
    const held = heldBy(text, at, hasParameters)
    if (held) return held
  }
  return 'code'
}

/** What a word before the braces says of what they hold. */
function heldBy(text: Surroundings['text'], at: number, hasParameters: boolean): Place | undefined {
  const word = text(at)
  if (word === 'namespace' || (word === 'extern' && text(at + 1).startsWith('"'))) return 'declarations'
  if (hasParameters) return undefined
  if (word === 'enum') return 'values'
  return CLASSES.has(word) ? 'declarations' : undefined
}

/** `(struct point){ 1, 2 }`. */
function isCast(text: (at: number) => string, partner: Int32Array, at: number): boolean {
  if (text(at) !== ')' || partner[at]! < 0) return false
  return /^(?:[=,(?:&]|return)$/.test(text(partner[at]! - 1))
}
