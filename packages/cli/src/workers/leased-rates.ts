import { Leases } from '@causeway/engine/internal'
import type { Lease } from '@causeway/engine/internal'
import type { TokenQuestion } from './messages.ts'

/** Asks for tokens where all workers' buckets are: in the primary process. */
export interface TokenSource {
  tokens(question: TokenQuestion): Promise<Lease>
  give(tokens: readonly (readonly [string, number])[]): void
}

const MOST_LEASED = 50
// All workers together hold at most this part of a bucket unused.
const HELD_PART = 20

/** Rate limits that hold over all workers: a few tokens are leased at a time, what is not used soon goes back. */
export const leasedRates = (source: TokenSource, workers: number): Leases =>
  new Leases({
    size: ({ burst }) => Math.min(MOST_LEASED, Math.max(1, Math.floor(burst / (HELD_PART * workers)))),
    lease: (key, { burst, perSecond }, count) =>
      source.tokens({ about: 'tokens', key, bucket: { burst, perSecond }, count }),
    alone: () => ({ granted: false, retryAfterMs: 1000 }),
    giveBack: unused => source.give(unused),
  })
