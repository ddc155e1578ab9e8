import { CLASSES, inEitherCase, isProperty, setOf, withProperty, without, withoutNewline } from './character-set.ts'
import type { CharacterSet } from './character-set.ts'
import { readClass } from './class-syntax.ts'
import { Reader } from './reader.ts'

/** What must hold between two characters. */
export type Assertion = 'line-start' | 'line-end' | 'word-boundary' | 'no-word-boundary'

/** A regular expression as a tree. Which of several matches is meant makes a difference only over several lines. */
export type Node =
  | { readonly type: 'set'; readonly set: CharacterSet }
  | { readonly type: 'sequence'; readonly parts: readonly Node[] }
  | { readonly type: 'choice'; readonly parts: readonly Node[] }
  | {
      readonly type: 'repeat'
      readonly node: Node
      readonly least: number
      readonly most: number
      readonly lazy?: boolean
    }
  | { readonly type: 'assert'; readonly assertion: Assertion }

/** How to read an expression. */
export interface Reading {
  readonly ignoreCase: boolean
  /** Only see whether it is one: properties of characters are not looked up. */
  readonly onlyCheck?: boolean
  /** It may match over several lines: newlines are characters like others. */
  readonly multiline?: boolean
  /** The dot is any character, also a newline. */
  readonly dotAll?: boolean
}

const MOST_REPEATS = 1000
const DEEPEST = 200
const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  b: 'word-boundary',
  B: 'no-word-boundary',
  A: 'line-start',
  z: 'line-end',
  Z: 'line-end',
}
const CONTROLS: Readonly<Record<string, number>> = { t: 9, r: 13, f: 12, v: 11, '0': 0, a: 7, e: 27 }
const ANY = without([])
// Any character but the end of a line, which CR is part of.
const DOT = without(
  setOf([
    [10, 10],
    [13, 13],
  ]),
)

/**
 * Read a regular expression: JavaScript's syntax, with `(?i)`, `(?P<name>…)` and `[[:alpha:]]` added, and without what
 * cannot be matched in linear time. Throws an Error that says what is wrong, and where.
 */
export function parse(source: string, reading: Reading): Node {
  const reader = new Reader(source)
  const [, flags = ''] = reader.take(/\(\?([ims]+)\)/y) ?? []
  const given = { ignoreCase: reading.ignoreCase || flags.includes('i'), dotAll: flags.includes('s') }
  const node = new Parser(reader, { ...reading, ...given }).choice(0)
  if (!reader.isDone) throw reader.wrong("')' without '('")
  return node
}

class Parser {
  readonly #reader: Reader
  #reading: Reading

  constructor(reader: Reader, reading: Reading) {
    this.#reader = reader
    this.#reading = reading
  }

  choice(depth: number): Node {
    if (depth > DEEPEST) throw this.#reader.wrong('groups are nested too deeply')
    const parts = [this.#sequence(depth)]
    while (this.#reader.skip('|')) parts.push(this.#sequence(depth))
    return parts.length === 1 && parts[0] ? parts[0] : { type: 'choice', parts }
  }

  #sequence(depth: number): Node {
    const parts: Node[] = []
    while (!this.#reader.isDone && !'|)'.includes(this.#reader.peek())) parts.push(this.#repeated(depth))
    return { type: 'sequence', parts }
  }

  #repeated(depth: number): Node {
    const at = this.#reader.at
    let node = this.#atom(depth)
    for (let count = this.#count(); count; count = this.#count()) {
      if (node.type === 'assert') throw this.#reader.wrong('nothing to repeat', at)
      node = { type: 'repeat', node, ...count }
    }
    return node
  }

  /** How often the last item is repeated. */
  #count(): { least: number; most: number; lazy: boolean } | undefined {
    const [sign, braces, least, comma, most] = this.#reader.take(/[*+?]|(\{(\d+)(,(\d*))?\})/y) ?? []
    if (sign === undefined) return undefined
    const lazy = this.#reader.skip('?')
    if (braces === undefined) return { least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity, lazy }
    const range = this.#range(Number(least), comma === undefined ? Number(least) : most ? Number(most) : Infinity)
    return { ...range, lazy }
  }

  #range(least: number, most: number): { least: number; most: number } {
    if (Math.max(least, most === Infinity ? 0 : most) > MOST_REPEATS)
      throw this.#reader.wrong(`a repetition counts to ${MOST_REPEATS} at most`)
    if (most < least) throw this.#reader.wrong('numbers out of order in {}')
    return { least, most }
  }

  #atom(depth: number): Node {
    const at = this.#reader.at
    const letter = this.#reader.next()
    if (letter === '(') return this.#group(depth, at)
    if (letter === '[')
      return this.#set(readClass(this.#reader, { escaped: () => this.#escaped(), folded: set => this.#folded(set) }))
    if (letter === '.') return this.#set(this.#reading.dotAll && this.#reading.multiline ? ANY : DOT)
    if (letter === '^') return { type: 'assert', assertion: 'line-start' }
    if (letter === '$') return { type: 'assert', assertion: 'line-end' }
    if (letter === '\\') return this.#escape()
    if ('*+?'.includes(letter)) throw this.#reader.wrong('nothing to repeat', at)
    if (letter === '\n' && !this.#reading.multiline)
      throw this.#reader.wrong('lines are searched one at a time, so a newline never matches: set multiline', at)
    return this.#set(this.#folded(single(letter)))
  }

  /** What letters stand for where the case makes no difference; the opposite of a set is made of what this gives. */
  #folded(set: CharacterSet): CharacterSet {
    return this.#reading.ignoreCase && !this.#reading.onlyCheck ? inEitherCase(set) : set
  }

  #set(set: CharacterSet): Node {
    return { type: 'set', set: this.#reading.multiline ? set : withoutNewline(set) }
  }

  #group(depth: number, at: number): Node {
    const before = this.#reading
    const [kind, flags] = this.#reader.take(/\?(?:P?<\w+>|:|([ims]*)(?:-[ims]+)?:)/y) ?? []
    if (kind === undefined && this.#reader.take(/\?<?[=!]/y))
      throw this.#reader.wrong('look-around is not supported, since it cannot be matched in linear time', at)
    if (kind === undefined && this.#reader.peek() === '?') throw this.#reader.wrong('unknown kind of group', at)
    this.#reading = withFlags(before, kind ?? '', flags ?? '')
    const node = this.choice(depth + 1)
    this.#reading = before
    if (!this.#reader.skip(')')) throw this.#reader.wrong("'(' without ')'", at)
    return node
  }

  #escape(): Node {
    const letter = this.#reader.peek()
    const assertion = ASSERTIONS[letter]
    if (assertion !== undefined) {
      this.#reader.next()
      return { type: 'assert', assertion }
    }
    const set = this.#escaped()
    return this.#set(set.length === 1 ? this.#folded(set) : set)
  }

  /** What a backslash and the next letters stand for. */
  #escaped(): CharacterSet {
    const reader = this.#reader
    const at = reader.at - 1
    if (reader.isDone) throw reader.wrong('a backslash at the end', at)
    const [, hex2, hex4, braces] = reader.take(/x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}/y) ?? []
    const hex = hex2 ?? hex4 ?? braces
    if (hex !== undefined) return single(codePoint(Number.parseInt(hex, 16)) ?? reader.fail('no such character', at))
    const [, sign, name = ''] = reader.take(/([pP])\{([^}]*)\}/y) ?? []
    if (sign !== undefined) return this.#property(sign, name, at)
    return this.#letter(reader.next(), at)
  }

  /** What a backslash and one letter stand for. */
  #letter(letter: string, at: number): CharacterSet {
    const reader = this.#reader
    if (letter === 'n' && this.#reading.multiline) return single('\n')
    if (letter === 'n') throw reader.wrong('lines are searched one at a time, so \\n never matches: set multiline', at)
    if (/[1-9]/.test(letter) || letter === 'k')
      throw reader.wrong('references to groups are not supported, since they cannot be matched in linear time', at)
    const set = CLASSES[letter]
    if (set) return set
    const control = CONTROLS[letter]
    if (control !== undefined) return [[control, control]]
    if (/[A-Za-z]/.test(letter)) throw reader.wrong(`unknown escape \\${letter}`, at)
    return single(letter)
  }

  #property(sign: string, name: string, at: number): CharacterSet {
    if (!isProperty(name)) throw this.#reader.wrong(`unknown property \\${sign}{${name.slice(0, 50)}}`, at)
    const set = this.#reading.onlyCheck ? CLASSES.w : withProperty(name)
    return sign === 'P' ? without(set ?? []) : this.#folded(set ?? [])
  }
}

function withFlags(reading: Reading, group: string, flags: string): Reading {
  const ignoreCase = !/-\w*i/.test(group) && (flags.includes('i') || reading.ignoreCase)
  return { ...reading, ignoreCase, ...(flags.includes('s') && { dotAll: true }) }
}

const codePoint = (code: number): string | undefined => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined)

function single(letter: string): CharacterSet {
  const code = letter.codePointAt(0) ?? 0
  return [[code, code]]
}
