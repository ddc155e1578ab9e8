import type { Lease } from '@causeway/engine/internal'
import type { TokenQuestion } from './messages.ts'

interface Bucket {
  readonly burst: number
  tokens: number
  at: number
}

const MOST_BUCKETS = 10_000

/** The token buckets of all workers together: what one takes out, no other has. */
export class RateLedger {
  readonly #buckets = new Map<string, Bucket>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Take tokens out of a bucket, which is full when it is first asked for. */
  take({ key, bucket: { burst, perSecond }, count }: Omit<TokenQuestion, 'about'>): Lease {
    const now = this.#now()
    const bucket = this.#buckets.get(key) ?? { burst, tokens: burst, at: now }
    // Last in order, so that the one asked for longest ago makes room.
    this.#buckets.delete(key)
    if (this.#buckets.size >= MOST_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value ?? '')
    this.#buckets.set(key, bucket)
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * perSecond)
    bucket.at = now
    if (bucket.tokens < 1) return { tokens: 0, retryAfterMs: Math.ceil(((1 - bucket.tokens) / perSecond) * 1000) }
    const tokens = Math.min(count, Math.floor(bucket.tokens))
    bucket.tokens -= tokens
    return { tokens, retryAfterMs: 0 }
  }

  /** Put back what a worker did not use. */
  give(key: string, tokens: number): void {
    const bucket = this.#buckets.get(key)
    if (bucket) bucket.tokens = Math.min(bucket.burst, bucket.tokens + tokens)
  }
}
