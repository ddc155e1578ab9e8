import { ALIVE_MS } from './redis-connection.ts'
import type { RedisConnection } from './redis-connection.ts'

// By then a process that runs has noticed that Redis is back, and said so.
const NOTICED_MS = 1000
// Silence that was noticed longer ago says nothing about a process that may have been heard since.
const REMEMBERED_MS = 60_000
const MOST_REMEMBERED = 1000

interface Silence {
  /** For how long a sign of life was missing while there could have been one. */
  readonly ms: number
  readonly lookedAt: number
}

/** Who runs, by the signs of life that each process writes to Redis every second. */
export class RedisProcesses {
  readonly #connection: Pick<RedisConnection, 'run' | 'reachableSince'>
  readonly #prefix: string
  readonly #now: () => number
  readonly #silent = new Map<string, Silence>()

  constructor(connection: Pick<RedisConnection, 'run' | 'reachableSince'>, prefix: string, now?: () => number) {
    this.#connection = connection
    this.#prefix = prefix
    this.#now = now ?? (() => performance.now())
  }

  /**
   * True until it was silent for as long as a sign of life lasts. Redis may be away again before that: silence while it
   * was there is added up, else faults that come often enough would hide which process is gone.
   */
  async isAlive(processId: string): Promise<boolean> {
    const isHeard = await this.#connection.run(redis => redis.exists(`${this.#prefix}process:${processId}`))
    const now = this.#now()
    const before = this.#silent.get(processId)
    this.#silent.delete(processId)
    if (isHeard === 1) return true
    const from = this.#connection.reachableSince + NOTICED_MS
    const known = before && now - before.lookedAt < REMEMBERED_MS ? before : { ms: 0, lookedAt: 0 }
    const ms = known.ms + Math.max(0, now - Math.max(from, known.lookedAt))
    this.#remember(processId, { ms, lookedAt: now })
    return ms < ALIVE_MS - NOTICED_MS
  }

  #remember(processId: string, silence: Silence): void {
    const [oldest = processId] = this.#silent.keys()
    if (this.#silent.size >= MOST_REMEMBERED) this.#silent.delete(oldest)
    this.#silent.set(processId, silence)
  }
}
