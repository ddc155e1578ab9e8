import { ASSERT, BYTES, MATCH, SPLIT } from './program.ts'
import type { Program } from './program.ts'

const NEWLINE = 10
const RETURN = 13
// What the last byte was, for assertions.
/** What the last byte was: none, or the end of a line. */
export const AT_START = 0
const AFTER_WORD = 1
const AFTER_OTHER = 2
// In the table: not known yet, and found.
const UNKNOWN = 0
const FOUND = 1
const MOST_STATES = 4096
// Numbers in all state sets together; beyond it, sets are forgotten and made again.
const MOST_KEPT = 4_000_000

const WORD = Uint8Array.from({ length: 256 }, (_, byte) => (/\w/.test(String.fromCharCode(byte)) && byte < 128 ? 1 : 0))

interface State {
  /** Where in the program we may be: only BYTES, and ASSERTs that wait for the next byte. */
  readonly steps: Int32Array
  readonly last: number
}

/**
 * Finds lines in bytes in one pass, whatever the expression: a deterministic automaton, whose states are made when they
 * are first met and forgotten when they become too many.
 */
export class Automaton {
  readonly #program: Program
  /** The bytes that no step tells apart have the same class; one byte stands for it. */
  readonly #classes: readonly (readonly number[])[]
  readonly #classOf = new Uint8Array(256)
  #table = new Int32Array(64 * 256)
  #states: (State | undefined)[] = []
  #kept = 0
  readonly #known = new Map<string, number>()
  // For closures: which steps were seen, by the number of the closure.
  readonly #seen: Uint32Array
  #closure = 0
  #start = 0

  constructor(program: Program) {
    this.#program = program
    this.#seen = new Uint32Array(program.kind.length)
    this.#classes = classesOf(program)
    this.#classes.forEach((bytes, i) => {
      for (const byte of bytes) this.#classOf[byte] = i
    })
    this.#reset()
  }

  /** A position in the first line that matches, from the beginning of a line to some end; −1 if none does. */
  find(bytes: Buffer, from: number, end: number): number {
    if (from >= end) return -1
    let state = this.#start
    if (state === FOUND) return from
    let table = this.#table
    for (let i = from; i < end;) {
      const row = state << 8
      let next = state
      // Most bytes change nothing; as long as the state stays, the next look-up need not wait for the last.
      while (next === state && i < end) next = table[row | bytes[i++]!]!
      if (next === UNKNOWN) {
        next = this.#step(state, bytes[i - 1]!)
        table = this.#table
      }
      if (next === FOUND) return i - 1
      state = next
    }
    // The end of the text ends its last line too.
    return bytes[end - 1] !== NEWLINE && this.#step(state, NEWLINE) === FOUND ? end - 1 : -1
  }

  #reset(): void {
    this.#states = [undefined, undefined]
    this.#known.clear()
    this.#table.fill(UNKNOWN)
    this.#kept = 0
    this.#start = this.#state([this.#program.start], AT_START)
  }

  /** Where a byte leads; noted for the next time, and for all bytes of its class. */
  #step(from: number, byte: number): number {
    const state = this.#states[from]
    if (!state) return UNKNOWN
    const to = this.#next(state, byte)
    if (this.#states.length < MOST_STATES && this.#kept < MOST_KEPT) {
      for (const other of this.#classes[this.#classOf[byte]!] ?? []) this.#table[(from << 8) | other] = to
      return to
    }
    const kept = this.#states[to]
    this.#reset()
    return kept ? this.#state(kept.steps, kept.last) : to
  }

  #next(state: State, byte: number): number {
    const { kind, a, b, next } = this.#program
    const steps = this.#program.asserts ? this.#closed(state.steps, state.last, byte) : state.steps
    if (steps === undefined) return FOUND
    if (byte === NEWLINE) return this.#start
    const reached: number[] = []
    for (const step of steps) {
      if (kind[step] === BYTES && byte >= a[step]! && byte <= b[step]!) reached.push(next[step]!)
    }
    // A match may begin anywhere.
    reached.push(this.#program.start)
    return this.#state(reached, afterByte(byte))
  }

  /** The state with these steps, or FOUND if they hold the end of the program. */
  #state(from: Iterable<number>, last: number): number {
    const steps = this.#closed(from, last, undefined)
    if (steps === undefined) return FOUND
    const key = `${this.#program.asserts ? last : 0}:${steps.join()}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const number = this.#states.push({ steps, last }) - 1
    this.#kept += steps.length + 1
    this.#known.set(key, number)
    if (number << 8 >= this.#table.length) {
      const larger = new Int32Array(this.#table.length * 2)
      larger.set(this.#table)
      this.#table = larger
    }
    return number
  }

  /** Everything reached without reading; with the next byte, also through what holds before it. Undefined: the end is. */
  #closed(from: Iterable<number>, last: number, byte: number | undefined): Int32Array | undefined {
    const { kind, a, b, next } = this.#program
    const mark = ++this.#closure
    const open = [...from]
    const steps: number[] = []
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      if (this.#seen[step] === mark) continue
      this.#seen[step] = mark
      const what = kind[step]
      if (what === MATCH) return undefined
      if (what === SPLIT) open.push(b[step]!, a[step]!)
      else if (what !== ASSERT || byte === undefined) steps.push(step)
      else if (holds(a[step]!, last, byte)) open.push(next[step]!)
    }
    return Int32Array.from(steps).sort()
  }
}

/** What a byte is for the assertions behind it. */
export const afterByte = (byte: number): number =>
  byte === NEWLINE || byte === RETURN ? AT_START : WORD[byte] === 1 ? AFTER_WORD : AFTER_OTHER

/** Does the assertion with this number hold between what came last and the next byte? */
export function holds(assertion: number, last: number, byte: number): boolean {
  if (assertion === 0) return last === AT_START
  if (assertion === 1) return byte === NEWLINE || byte === RETURN
  const isBoundary = (last === AFTER_WORD) !== (WORD[byte] === 1)
  // Inside a character there is nothing to ask.
  return assertion === 2 ? isBoundary : !isBoundary && (byte & 0xc0) !== 0x80
}

function classesOf({ kind, a, b, asserts }: Program): number[][] {
  const cuts = new Uint8Array(257)
  const cut = (low: number, high: number): void => {
    cuts[low] = 1
    cuts[high + 1] = 1
  }
  cut(NEWLINE, NEWLINE)
  cut(RETURN, RETURN)
  kind.forEach((what, step) => {
    if (what === BYTES && a[step]! <= 255) cut(a[step]!, b[step]!)
  })
  if (asserts)
    for (const [low, high] of [
      [48, 57],
      [65, 90],
      [95, 95],
      [97, 122],
      [128, 191],
    ] as const)
      cut(low, high)
  const classes: number[][] = []
  for (let byte = 0; byte < 256; byte++) {
    if (byte === 0 || cuts[byte] === 1) classes.push([])
    classes.at(-1)?.push(byte)
  }
  return classes
}
