import type { Config } from '../config/config.ts'
import { UsageError } from '../config/usage-error.ts'

const DIVIDED = [
  ['max-inflight', ({ maxInflight }: Config) => maxInflight],
  ['max-sessions', ({ maxSessions }: Config) => maxSessions],
] as const

const HELD_BYTES = 256 * 1024 * 1024

/** What one worker may have, so that all of them together have what one process had. */
export interface WorkerLimits {
  readonly maxInflight: number
  readonly maxSessions: number
  readonly maxSessionsPerPrincipal: number
  readonly maxHeldBytes: number
}

/** Refuse what several workers cannot do. */
export function checkWorkers(config: Config): void {
  const { workers, transport, servers, store } = config
  if (workers === 1) return
  if (transport !== 'http') {
    throw new UsageError('--workers needs --http: on stdio there is one client, and one process serves it.')
  }
  if (config.socket !== undefined) {
    throw new UsageError(`--socket cannot be used with --workers ${workers}: workers share a port. Use --workers 1.`)
  }
  if (servers.length > 0 && store === undefined) {
    throw new UsageError(
      `--servers cannot be used with --workers ${workers} without a store: only one worker would know what a server remembers of a client, and calls that wait for answers. Name a Redis with --store redis://HOST:PORT, or use --workers 1.`,
    )
  }
  for (const [flag, valueOf] of DIVIDED) {
    const value = valueOf(config)
    if (value >= workers) continue
    throw new UsageError(
      `--${flag} ${value} cannot be divided among ${workers} workers: use ${workers} or more, or --workers ${value}.`,
    )
  }
}

/** The share of one of so many workers. */
export function limitsPerWorker({ maxInflight, maxRequest, maxSessions }: Config, workers: number): WorkerLimits {
  const part = (most: number): number => Math.max(1, Math.floor(most / workers))
  return {
    maxInflight: part(maxInflight),
    maxSessions: part(maxSessions),
    maxSessionsPerPrincipal: part(Math.max(100, Math.floor(maxSessions / 4))),
    // One request of the largest size must fit.
    maxHeldBytes: Math.max(maxRequest, part(Math.max(HELD_BYTES, 4 * maxRequest))),
  }
}
