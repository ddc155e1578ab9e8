import { memoryStore } from './memory.ts'
import type { MemoryStore } from './memory.ts'
import type { RedisConnection } from './redis-connection.ts'
import type { Taken, TokenBucket } from './store.ts'

/** Tokens that this process took ahead, or the time before which there are none. */
interface Lease {
  tokens: number
  /** Until when the tokens, or the refusal, count without asking again. */
  expiresAt: number
  refusedUntil: number
  asking: Promise<void> | undefined
}

const GRANTED: Taken = { granted: true, retryAfterMs: 0 }
// What one process holds of a bucket is small beside what flows through it in a second, and is not held for long.
const MOST_LEASED = 50
const LEASE_SHARE = 10
const LEASE_MS = 1000
const MOST_LEASES = 10_000
// Several calls may wait for one lease; a caller that finds it used up asks again, but not for ever.
const ATTEMPTS = 20

/**
 * Token buckets over all processes. Each takes a few tokens at a time, so that most calls ask nobody; while Redis is
 * away each process counts for itself.
 */
export class RedisBuckets {
  readonly #connection: RedisConnection
  readonly #prefix: string
  /** A clock that nobody sets. */
  readonly #now: () => number
  readonly #alone: MemoryStore
  readonly #leases = new Map<string, Lease>()

  constructor(connection: RedisConnection, prefix: string, now: () => number) {
    this.#connection = connection
    this.#prefix = prefix
    this.#now = now
    this.#alone = memoryStore({ now })
  }

  take(key: string, bucket: TokenBucket): Taken | Promise<Taken> {
    const lease = this.#leases.get(key) ?? this.#newLease(key)
    return this.#fromLease(lease) ?? this.#ask(key, bucket, lease)
  }

  /** What can be said without asking. */
  #fromLease(lease: Lease): Taken | undefined {
    const now = this.#now()
    if (lease.expiresAt <= now) return undefined
    if (lease.tokens > 0) {
      lease.tokens -= 1
      return GRANTED
    }
    const retryAfterMs = Math.ceil(lease.refusedUntil - now)
    return retryAfterMs > 0 ? { granted: false, retryAfterMs } : undefined
  }

  async #ask(key: string, bucket: TokenBucket, lease: Lease): Promise<Taken> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (!this.#connection.reachable) return this.#alone.take(key, bucket)
      try {
        await (lease.asking ??= this.#refill(key, bucket, lease).finally(() => {
          lease.asking = undefined
        }))
      } catch {
        return this.#alone.take(key, bucket)
      }
      const taken = this.#fromLease(lease)
      if (taken) return taken
    }
    return { granted: false, retryAfterMs: Math.ceil(1000 / bucket.perSecond) }
  }

  async #refill(key: string, { burst, perSecond }: TokenBucket, lease: Lease): Promise<void> {
    const wanted = Math.max(1, Math.min(MOST_LEASED, Math.floor(perSecond / LEASE_SHARE), Math.floor(burst)))
    const [tokens, retry] = await this.#connection.run(redis =>
      redis.takeTokens(this.#prefix + key, burst, perSecond, wanted),
    )
    const now = this.#now()
    lease.tokens = tokens
    lease.expiresAt = now + LEASE_MS
    lease.refusedUntil = tokens > 0 ? 0 : now + retry
  }

  #newLease(key: string): Lease {
    if (this.#leases.size >= MOST_LEASES) {
      const [oldest = key] = this.#leases.keys()
      this.#leases.delete(oldest)
    }
    const lease: Lease = { tokens: 0, expiresAt: 0, refusedUntil: 0, asking: undefined }
    this.#leases.set(key, lease)
    return lease
  }
}
