import { after } from '../awaitable.ts'
import type { Awaitable, Call, Policy } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { memoryStore } from '../stores/memory.ts'
import type { Buckets, Taken } from '../stores/store.ts'
import { quotaKey, isAnonymous } from './client-key.ts'
import { monotonicNow } from '../support/monotonic-now.ts'

/** A bucket of `burst` tokens per client, filled with `perSecond`. */
export interface RateLimit {
  readonly burst: number
  readonly perSecond: number
  /** Which methods take a token; default: `tools/call`. `initialize` takes one of another bucket of the same size. */
  readonly methods?: readonly string[] | 'all'
  /** Who is counted as one client. Default: the principal, else the network address, else the connection. */
  readonly by?: (call: Call) => string
  /** How many clients' worth all unauthenticated network clients may use together. Default: 10. */
  readonly anonymousShare?: number
  /** Where the buckets are. Default: in memory. */
  readonly store?: Buckets
  readonly now?: () => number
}

// It opens a session, which takes memory. Unless everything is counted, it has a bucket of its own, so that it costs no call.
const HANDSHAKE = 'initialize'

/** Refuse calls of a client that comes too fast, and say when to try again. */
export function rateLimit(limit: RateLimit): Policy {
  const { burst, perSecond, methods = ['tools/call'], by, anonymousShare = 10, now } = limit
  const counted = methods === 'all' ? undefined : new Set(methods)
  const store = limit.store ?? memoryStore({ now: now ?? monotonicNow })
  const sum = { burst: burst * anonymousShare, perSecond: perSecond * anonymousShare }
  const takeBoth = (call: Call): Awaitable<Taken> => {
    const bucket = counted && call.method === HANDSHAKE ? `rate:${HANDSHAKE}` : 'rate'
    const taken = store.take(`${bucket}:${(by ?? quotaKey)(call)}`, limit)
    if (by || !isAnonymous(call)) return taken
    return after(taken, own => (own.granted ? store.take(`${bucket}:anonymous`, sum) : own))
  }
  return function rateLimit(call, next) {
    if (call.descriptor.polled) return next(call)
    if (counted && !counted.has(call.method) && call.method !== HANDSHAKE) return next(call)
    return after(takeBoth(call), ({ granted, retryAfterMs }) => {
      if (granted) return next(call)
      throw fault(
        'rate-limited',
        `Rate limit exceeded: burst ${burst}, then ${perSecond} per second`,
        { retryAfterMs },
        { hint: `Try again in ${retryAfterMs} ms.` },
      )
    })
  }
}
