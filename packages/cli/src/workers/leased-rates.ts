import type { Awaitable, Store, Taken, TokenBucket } from '@causeway/engine'
import type { Lease, TokenQuestion } from './messages.ts'

/** Asks for tokens where all workers' buckets are. */
export interface TokenSource {
  tokens(question: TokenQuestion): Promise<Lease>
  give(tokens: readonly (readonly [string, number])[]): void
}

interface Held {
  tokens: number
  leasedAt: number
  refusedUntil: number
  asking: Promise<void> | undefined
}

const GRANTED: Taken = { granted: true, retryAfterMs: 0 }
const MOST_LEASE = 50
// All workers together hold at most this part of a bucket unused.
const HELD_PART = 20
const KEPT_MS = 1000
const SWEEP_MS = 500

/** Rate limits that hold over all workers: a few tokens are leased at a time, what is not used soon goes back. */
export class LeasedRates implements Pick<Store, 'take'> {
  readonly #source: TokenSource
  readonly #workers: number
  readonly #held = new Map<string, Held>()
  readonly #sweep: NodeJS.Timeout

  constructor(source: TokenSource, workers: number) {
    this.#source = source
    this.#workers = workers
    this.#sweep = setInterval(() => this.#giveBack(), SWEEP_MS).unref()
  }

  take(key: string, bucket: TokenBucket): Awaitable<Taken> {
    const held = this.#held.get(key) ?? this.#newHeld(key)
    if (held.tokens > 0) {
      held.tokens -= 1
      return GRANTED
    }
    const wait = held.refusedUntil - performance.now()
    if (wait > 0) return { granted: false, retryAfterMs: Math.ceil(wait) }
    held.asking ??= this.#lease(key, bucket, held)
    return held.asking.then(() => this.take(key, bucket))
  }

  close(): void {
    clearInterval(this.#sweep)
    this.#giveBack(0)
  }

  async #lease(key: string, { burst, perSecond }: TokenBucket, held: Held): Promise<void> {
    const count = Math.min(MOST_LEASE, Math.max(1, Math.floor(burst / (HELD_PART * this.#workers))))
    const { tokens, retryAfterMs } = await this.#source.tokens({
      about: 'tokens',
      key,
      bucket: { burst, perSecond },
      count,
    })
    held.tokens += tokens
    held.leasedAt = performance.now()
    if (tokens === 0) held.refusedUntil = held.leasedAt + Math.max(1, retryAfterMs)
    held.asking = undefined
  }

  #newHeld(key: string): Held {
    const held = { tokens: 0, leasedAt: 0, refusedUntil: 0, asking: undefined }
    this.#held.set(key, held)
    return held
  }

  #giveBack(keptMs = KEPT_MS): void {
    const now = performance.now()
    const back: [string, number][] = []
    for (const [key, { tokens, leasedAt, refusedUntil, asking }] of this.#held) {
      if (asking || now - leasedAt < keptMs || refusedUntil > now) continue
      if (tokens > 0) back.push([key, tokens])
      this.#held.delete(key)
    }
    if (back.length > 0) this.#source.give(back)
  }
}
