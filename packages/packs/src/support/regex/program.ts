import type { CharacterSet } from './character-set.ts'
import type { Assertion, Node } from './syntax.ts'

/** One step of a program on bytes: its kind, and two numbers or states that depend on it. */
export interface Program {
  readonly kind: Uint8Array
  /** BYTES: the lowest byte; SPLIT: the next state that is preferred; ASSERT: what must hold. */
  readonly a: Int32Array
  /** BYTES: the highest byte; SPLIT: the other next state. */
  readonly b: Int32Array
  /** BYTES and ASSERT: the next state. */
  readonly next: Int32Array
  readonly start: number
  /** Does it look at what is between characters? */
  readonly asserts: boolean
}

/** Kinds of steps. */
export const MATCH = 0
/** Goes on if the next byte is in a range. */
export const BYTES = 1
/** Goes on in two ways. */
export const SPLIT = 2
/** Goes on if something holds here. */
export const ASSERT = 3
/** What an ASSERT can ask, by its number. */
export const ASSERTIONS: readonly Assertion[] = ['line-start', 'line-end', 'word-boundary', 'no-word-boundary']

const MOST_STEPS = 50_000
// What is repeated may add no step, however often: `(?:){1000}{1000}{1000}`.
const MOST_WORK = 1_000_000
const TOO_LARGE = 'The regular expression is too large: repeat less in it'

/** A tree as a program that reads UTF-8; throws if it would be too large. */
export function compile(tree: Node): Program {
  const steps = new Steps()
  const start = steps.node(tree, steps.add(MATCH, 0, 0, 0))
  return steps.program(start)
}

class Steps {
  readonly #kind: number[] = []
  readonly #a: number[] = []
  readonly #b: number[] = []
  readonly #next: number[] = []
  /** Ranges of bytes that lead to the same place are made once: the ends of long characters are mostly alike. */
  readonly #known = new Map<string, number>()
  #work = 0

  add(kind: number, a: number, b: number, next: number): number {
    if (this.#kind.length >= MOST_STEPS) throw new Error(TOO_LARGE)
    this.#a.push(a)
    this.#b.push(b)
    this.#next.push(next)
    return this.#kind.push(kind) - 1
  }

  program(start: number): Program {
    return {
      kind: Uint8Array.from(this.#kind),
      a: Int32Array.from(this.#a),
      b: Int32Array.from(this.#b),
      next: Int32Array.from(this.#next),
      start,
      asserts: this.#kind.includes(ASSERT),
    }
  }

  /** The state from which the node is matched and then `next` reached. */
  node(node: Node, next: number): number {
    this.#work += node.type === 'set' ? 1 + node.set.length : 1
    if (this.#work > MOST_WORK) throw new Error(TOO_LARGE)
    switch (node.type) {
      case 'set':
        return this.#set(node.set, next)
      case 'sequence':
        return node.parts.reduceRight((then, part) => this.node(part, then), next)
      case 'choice':
        return this.#split(node.parts.map(part => this.node(part, next)))
      case 'assert':
        return this.add(ASSERT, ASSERTIONS.indexOf(node.assertion), 0, next)
      case 'repeat':
      default:
        return this.#repeat(node, next)
    }
  }

  #repeat({ node, least, most, lazy = false }: Extract<Node, { type: 'repeat' }>, next: number): number {
    let start = next
    if (most === Infinity) {
      start = this.add(SPLIT, next, next, 0)
      const again = this.node(node, start)
      if (lazy) this.#b[start] = again
      else this.#a[start] = again
    } else
      for (let i = least; i < most; i++) {
        const once = this.node(node, start)
        start = this.#split(lazy ? [next, once] : [once, next])
      }
    for (let i = 0; i < least; i++) start = this.node(node, start)
    return start
  }

  #split(states: readonly number[]): number {
    return states.reduceRight((rest, state) => (rest < 0 ? state : this.add(SPLIT, state, rest, 0)), -1)
  }

  #set(set: CharacterSet, next: number): number {
    const starts = set.flatMap(([first, last]) => utf8Ranges(first, last)).map(ranges => this.#bytes(ranges, next))
    // Nothing is in the set, so nothing matches: a range that no byte is in.
    return starts.length === 0 ? this.add(BYTES, 256, 0, next) : this.#split([...new Set(starts)])
  }

  #bytes(ranges: readonly (readonly [number, number])[], next: number): number {
    return ranges.reduceRight((then, [low, high]) => {
      const key = `${low},${high},${then}`
      const state = this.#known.get(key) ?? this.add(BYTES, low, high, then)
      this.#known.set(key, state)
      return state
    }, next)
  }
}

type ByteRanges = readonly (readonly [number, number])[]

const LENGTHS = [0x7f, 0x7ff, 0xffff, 0x10ffff]

/** The bytes of the characters from first to last, as sequences of ranges of bytes. */
export function utf8Ranges(first: number, last: number): ByteRanges[] {
  for (const end of LENGTHS)
    if (first <= end && last > end) return [...utf8Ranges(first, end), ...utf8Ranges(end + 1, last)]
  if (last <= 0x7f) return [[[first, last]]]
  // Where the last bytes do not go all the way from 80 to BF, it takes more than one sequence.
  for (let bits = 6; bits <= 18; bits += 6) {
    const rest = (1 << bits) - 1
    if (first >> bits === last >> bits) continue
    if ((first & rest) !== 0) return [...utf8Ranges(first, first | rest), ...utf8Ranges((first | rest) + 1, last)]
    if ((last & rest) !== rest) return [...utf8Ranges(first, (last & ~rest) - 1), ...utf8Ranges(last & ~rest, last)]
  }
  const [from, to] = [encode(first), encode(last)]
  return [from.map((byte, i) => [byte, to[i] ?? byte] as const)]
}

function encode(code: number): number[] {
  const tail = (shift: number): number => 0x80 | ((code >> shift) & 0x3f)
  if (code <= 0x7ff) return [0xc0 | (code >> 6), tail(0)]
  if (code <= 0xffff) return [0xe0 | (code >> 12), tail(6), tail(0)]
  return [0xf0 | (code >> 18), tail(12), tail(6), tail(0)]
}
