import { Leases } from './leases.ts'
import { memoryStore } from './memory.ts'
import type { RedisConnection } from './redis-connection.ts'

// What one process holds of a bucket is small beside what flows through it in a second.
const MOST_LEASED = 50
const LEASE_SHARE = 10

/** Token buckets in Redis; while Redis is away each process counts for itself. */
export function redisBuckets(connection: RedisConnection, prefix: string, now: () => number): Leases {
  const alone = memoryStore({ now })
  return new Leases(
    {
      size: ({ burst, perSecond }) =>
        Math.max(1, Math.min(MOST_LEASED, Math.floor(perSecond / LEASE_SHARE), Math.floor(burst))),
      async lease(key, { burst, perSecond }, count) {
        if (!connection.reachable) throw new Error('The store cannot be reached')
        const [tokens, retryAfterMs] = await connection.run(redis =>
          redis.takeTokens(prefix + key, burst, perSecond, count),
        )
        return { tokens, retryAfterMs }
      },
      alone: (key, bucket) => alone.take(key, bucket),
    },
    now,
  )
}
