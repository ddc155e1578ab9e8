import type { Awaitable } from '../call.ts'
import type { Taken, TokenBucket } from './store.ts'

/** Tokens that were taken out of a bucket ahead; if there are none, when to ask again. */
export interface Lease {
  readonly tokens: number
  readonly retryAfterMs: number
}

/** The place where several processes have their token buckets. */
export interface LeaseSource {
  /** How many tokens of a bucket to take at a time. */
  size(bucket: TokenBucket): number
  /** Take up to so many tokens; a rejection means that the source cannot be reached. */
  lease(key: string, bucket: TokenBucket, count: number): Promise<Lease>
  /** Decides while the source cannot be reached. */
  alone(key: string, bucket: TokenBucket): Awaitable<Taken>
  /** Put tokens back that were not used; without it they are lost. */
  giveBack?(unused: readonly (readonly [key: string, tokens: number])[]): void
}

interface Held {
  tokens: number
  leasedAt: number
  refusedUntil: number
  asking: Promise<void> | undefined
}

const GRANTED: Taken = { granted: true, retryAfterMs: 0 }
const KEPT_MS = 1000
const SWEEP_MS = 500
const MOST_HELD = 10_000
// Several calls may wait for one lease; a caller that finds it used up asks again, but not without end.
const ATTEMPTS = 100

/** Token buckets over several processes: each takes a few tokens at a time, so that most calls need no question. */
export class Leases {
  readonly #source: LeaseSource
  /** A clock that only goes forward. */
  readonly #now: () => number
  readonly #held = new Map<string, Held>()
  readonly #sweep: NodeJS.Timeout | undefined

  constructor(source: LeaseSource, now: () => number = () => performance.now()) {
    this.#source = source
    this.#now = now
    if (source.giveBack) this.#sweep = setInterval(() => this.#giveBack(KEPT_MS), SWEEP_MS).unref()
  }

  take(key: string, bucket: TokenBucket): Awaitable<Taken> {
    const held = this.#held.get(key) ?? this.#add(key)
    return this.#fromHeld(held) ?? this.#ask(key, bucket, held)
  }

  close(): void {
    clearInterval(this.#sweep)
    this.#giveBack(0)
  }

  /** What can be said without asking. */
  #fromHeld(held: Held): Taken | undefined {
    const now = this.#now()
    if (now - held.leasedAt >= KEPT_MS) return undefined
    if (held.tokens > 0) {
      held.tokens -= 1
      return GRANTED
    }
    const retryAfterMs = Math.ceil(held.refusedUntil - now)
    return retryAfterMs > 0 ? { granted: false, retryAfterMs } : undefined
  }

  async #ask(key: string, bucket: TokenBucket, held: Held): Promise<Taken> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        await (held.asking ??= this.#refill(key, bucket, held).finally(() => {
          held.asking = undefined
        }))
      } catch {
        return this.#source.alone(key, bucket)
      }
      const taken = this.#fromHeld(held)
      if (taken) return taken
    }
    return { granted: false, retryAfterMs: Math.ceil(1000 / bucket.perSecond) }
  }

  async #refill(key: string, bucket: TokenBucket, held: Held): Promise<void> {
    const unused = held.tokens
    held.tokens = 0
    if (unused > 0) this.#source.giveBack?.([[key, unused]])
    const { tokens, retryAfterMs } = await this.#source.lease(key, bucket, this.#source.size(bucket))
    held.tokens = tokens
    held.leasedAt = this.#now()
    held.refusedUntil = tokens > 0 ? 0 : held.leasedAt + Math.max(1, retryAfterMs)
  }

  #add(key: string): Held {
    if (this.#held.size >= MOST_HELD) {
      const [oldest = key] = this.#held.keys()
      this.#held.delete(oldest)
    }
    const held: Held = { tokens: 0, leasedAt: -Infinity, refusedUntil: 0, asking: undefined }
    this.#held.set(key, held)
    return held
  }

  #giveBack(keptMs: number): void {
    const now = this.#now()
    const unused: [string, number][] = []
    for (const [key, { tokens, leasedAt, refusedUntil, asking }] of this.#held) {
      if (asking || now - leasedAt < keptMs || refusedUntil > now) continue
      if (tokens > 0) unused.push([key, tokens])
      this.#held.delete(key)
    }
    if (unused.length > 0) this.#source.giveBack?.(unused)
  }
}
