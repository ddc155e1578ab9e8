import type { Call, Policy } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { clientOf } from './policy.ts'

/** A bucket of `burst` tokens per client, filled with `perSecond`. */
export interface RateLimit {
  readonly burst: number
  readonly perSecond: number
  /** Which methods take a token; default: `tools/call`. */
  readonly methods?: readonly string[] | 'all'
  readonly by?: (call: Call) => unknown
  readonly now?: () => number
}

interface Bucket {
  tokens: number
  at: number
}

const MOST_CLIENTS = 10_000

/** Refuse calls of a client that comes too fast, and say when to try again. */
export function rateLimit(limit: RateLimit): Policy {
  const { burst, perSecond, methods = ['tools/call'], by = clientOf, now = () => performance.now() } = limit
  const counted = methods === 'all' ? undefined : new Set(methods)
  const buckets = new Map<unknown, Bucket>()
  return (call, next) => {
    if (counted && !counted.has(call.method)) return next(call)
    const bucket = fill(buckets, by(call), limit, now())
    if (bucket.tokens < 1) {
      const retryAfterMs = Math.ceil(((1 - bucket.tokens) / perSecond) * 1000)
      const hint = `Try again in ${retryAfterMs} ms.`
      throw fault(
        'rate-limited',
        `Rate limit exceeded: burst ${burst}, then ${perSecond} per second`,
        { retryAfterMs },
        { hint },
      )
    }
    bucket.tokens -= 1
    return next(call)
  }
}

function fill(buckets: Map<unknown, Bucket>, client: unknown, { burst, perSecond }: RateLimit, now: number): Bucket {
  const bucket = buckets.get(client) ?? { tokens: burst, at: now }
  bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond)
  bucket.at = now
  if (!buckets.has(client)) {
    if (buckets.size >= MOST_CLIENTS) forgetOldest(buckets)
    buckets.set(client, bucket)
  }
  return bucket
}

function forgetOldest(buckets: Map<unknown, Bucket>): void {
  const [oldest] = buckets.keys()
  buckets.delete(oldest)
}
