import type { Values } from './store.ts'

/** What can be chosen about values that are never forgotten too early. */
export interface OnceMemoryOptions {
  /** Values kept. */
  readonly maxValues: number
  readonly now?: () => number
}

interface Kept {
  readonly text: string
  readonly expiresAt: number
}

/** There is no room for another value, and none may be forgotten yet. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom'
}

// How many of the oldest values are looked at when one is written: some of them may be there for longer.
const LOOKED_AT = 16

/** Values in this process of which none is forgotten before its time: where there is no room, another one is refused. */
export class OnceMemory implements Pick<Values, 'once'> {
  readonly #most: number
  readonly #now: () => number
  // In the order in which they were written, which is nearly that in which they end.
  readonly #values = new Map<string, Kept>()

  constructor({ maxValues, now = Date.now }: OnceMemoryOptions) {
    this.#most = maxValues
    this.#now = now
  }

  get size(): number {
    return this.#values.size
  }

  /** Keep a value for so long unless there is one; the one that is kept now. Throws NoRoom if it cannot be kept. */
  once(key: string, text: string, ttlMs: number): string {
    const now = this.#now()
    const kept = this.#values.get(key)
    if (kept && kept.expiresAt > now) return kept.text
    this.#values.delete(key)
    this.#forget(now)
    if (this.#values.size >= this.#most) throw new NoRoom(`${this.#most} values are kept, and none of them has ended`)
    this.#values.set(key, { text, expiresAt: now + ttlMs })
    return text
  }

  #forget(now: number): void {
    let looked = 0
    for (const [key, { expiresAt }] of this.#values) {
      if (looked++ === LOOKED_AT) return
      if (expiresAt <= now) this.#values.delete(key)
    }
  }
}

/** Values of which none is forgotten before its time. */
export const onceMemory = (options: OnceMemoryOptions): OnceMemory => new OnceMemory(options)
