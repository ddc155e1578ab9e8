import { AT_START, afterByte, holds } from './automaton.ts'
import { ASSERT, BYTES, MATCH, SPLIT } from './program.ts'
import type { Program } from './program.ts'

const NEWLINE = 10
// Turns for one text, and for each of its bytes: an expression that reads it again and again is refused.
const MOST_WORK = 5_000_000
const WORK_PER_BYTE = 20

/** A match, in bytes; the end is behind it. */
export interface Found {
  readonly start: number
  readonly end: number
}

/**
 * Finds what an expression means over several lines: the first match, and of several that begin there the one that
 * repetitions prefer. All ways are followed at once, so no text takes more than its length times that of the expression.
 */
export class BlockFinder {
  readonly #program: Program
  /** Which bytes a match can begin with; undefined if it may be empty. */
  readonly #first: Uint8Array | undefined
  readonly #seen: Uint32Array
  #mark = 0
  #left = 0

  constructor(program: Program) {
    this.#program = program
    this.#seen = new Uint32Array(program.kind.length)
    this.#first = firstBytes(program)
  }

  /** The matches in a text, one behind the other. */
  *all(bytes: Buffer): Generator<Found> {
    this.#left = MOST_WORK + WORK_PER_BYTE * bytes.length
    for (let at = 0; at <= bytes.length;) {
      const found = this.#next(bytes, at)
      if (!found) return
      yield found
      at = found.end > found.start ? found.end : found.end + 1
    }
  }

  #next(bytes: Buffer, from: number): Found | undefined {
    const { kind, a, b, next, start } = this.#program
    let found: Found | undefined
    let [steps, starts]: [number[], number[]] = [[], []]
    for (let i = from; i <= bytes.length; i++) {
      if (steps.length === 0) {
        if (found) return found
        i = this.#skip(bytes, i)
        if (i < 0) return undefined
      }
      if (!found) {
        steps.push(start)
        starts.push(i)
      }
      const closed = this.#closed({ steps, starts }, bytes, i)
      if (closed.found !== undefined) found = { start: closed.found, end: i }
      ;[steps, starts] = [[], []]
      const byte = i < bytes.length ? bytes[i]! : 256
      closed.steps.forEach((step, at) => {
        if (kind[step] !== BYTES || byte < a[step]! || byte > b[step]!) return
        steps.push(next[step]!)
        starts.push(closed.starts[at]!)
      })
    }
    return found
  }

  /** The next place where a match may begin; −1 if there is none. */
  #skip(bytes: Buffer, from: number): number {
    const first = this.#first
    if (!first) return from
    let i = from
    while (i < bytes.length && first[bytes[i]!] === 0) i++
    return i < bytes.length ? i : -1
  }

  /** Everything reached without reading, what is preferred first, up to a match: what comes behind it is not wanted any more. */
  #closed({ steps, starts }: Threads, bytes: Buffer, i: number): Threads & { readonly found?: number } {
    const { kind, a, b, next } = this.#program
    const [last, byte] = [i === 0 ? AT_START : afterByte(bytes[i - 1]!), i < bytes.length ? bytes[i]! : NEWLINE]
    const mark = ++this.#mark
    const reached: { steps: number[]; starts: number[] } = { steps: [], starts: [] }
    for (let at = 0; at < steps.length; at++) {
      const open = [steps[at]!]
      for (let step = open.pop(); step !== undefined; step = open.pop()) {
        if (--this.#left < 0) throw new Error('The regular expression takes too long over lines: make it more specific')
        if (this.#seen[step] === mark) continue
        this.#seen[step] = mark
        const what = kind[step]
        if (what === MATCH) return { ...reached, found: starts[at]! }
        if (what === SPLIT) open.push(b[step]!, a[step]!)
        else if (what === ASSERT) {
          if (holds(a[step]!, last, byte)) open.push(next[step]!)
        } else {
          reached.steps.push(step)
          reached.starts.push(starts[at]!)
        }
      }
    }
    return reached
  }
}

interface Threads {
  readonly steps: readonly number[]
  /** Where each began. */
  readonly starts: readonly number[]
}

function firstBytes({ kind, a, b, next, start }: Program): Uint8Array | undefined {
  const first = new Uint8Array(256)
  const seen = new Set<number>()
  const open = [start]
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if (seen.has(step)) continue
    seen.add(step)
    if (kind[step] === MATCH) return undefined
    if (kind[step] === SPLIT) open.push(a[step]!, b[step]!)
    else if (kind[step] === ASSERT) open.push(next[step]!)
    else first.fill(1, a[step], Math.min(255, b[step]!) + 1)
  }
  return first
}
