import { MemoryEvents } from './memory-events.ts'
import type { RedisConnection } from './redis-connection.ts'
import type { StoredEvent } from './store.ts'

// What one log may keep; Redis drops what is more when that costs it little.
const MOST_EVENTS = 1000
// What this process keeps of its own events, to write them again to a Redis that lost them.
const MOST_CHARACTERS = 4 * 1024 * 1024

/** Events of logs, as streams of Redis; those this process wrote it also keeps itself. */
export class RedisEvents {
  readonly #connection: RedisConnection
  readonly #prefix: string
  readonly #now: () => number
  readonly #own = new MemoryEvents(MOST_CHARACTERS)
  readonly #ttl = new Map<string, number>()
  #expiredAt = 0

  constructor(connection: RedisConnection, prefix: string, now: () => number) {
    this.#connection = connection
    this.#prefix = prefix
    this.#now = now
    // Before anything else is written to a log, what it lacks.
    connection.onReconnect(() => this.#writeAgain())
  }

  append(log: string, event: StoredEvent, ttlMs: number): Promise<void> {
    const now = this.#now()
    this.#own.append(log, event, now + ttlMs)
    this.#ttl.set(log, ttlMs)
    this.#expire(now)
    return this.#write(log, event, ttlMs)
  }

  async announce(log: string, text: string, ttlMs: number): Promise<number> {
    return Number(
      await this.#connection.run(redis => redis.announceEvent(this.#prefix + log, text, ttlMs, MOST_EVENTS)),
    )
  }

  /** What this process wrote is at hand, unless it had to make room. */
  read(log: string, after: number): readonly StoredEvent[] | Promise<readonly StoredEvent[]> {
    const own = this.#own.read(log, after, this.#now())
    return own[0]?.number === after + 1 ? own : this.#read(log, after)
  }

  async drop(log: string): Promise<void> {
    this.#own.drop(log)
    this.#ttl.delete(log)
    await this.#connection.run(redis => redis.unlink(this.#prefix + log))
  }

  async #read(log: string, after: number): Promise<readonly StoredEvent[]> {
    const from = `${Math.max(0, after + 1)}-0`
    const found = await this.#connection.run(redis => redis.xrange(this.#prefix + log, from, '+'))
    return found.map(([id, fields]) => ({ number: Number.parseInt(id, 10), text: fields[1] ?? '' }))
  }

  async #write(log: string, { number, text }: StoredEvent, ttlMs: number): Promise<void> {
    const key = this.#prefix + log
    await this.#connection.run(redis =>
      redis
        .pipeline()
        .xadd(key, 'MAXLEN', '~', MOST_EVENTS, `${number}-1`, 't', text)
        .pexpire(key, ttlMs)
        .publish(key, `${number} ${text}`)
        .exec(),
    )
  }

  /** Those that Redis has are refused by it: the number is not higher than its last. */
  #writeAgain(): void {
    for (const { log, number, text } of this.#own.all()) {
      this.#write(log, { number, text }, this.#ttl.get(log) ?? 0).catch(() => {})
    }
  }

  #expire(now: number): void {
    if (now - this.#expiredAt < 60_000) return
    this.#expiredAt = now
    this.#own.expire(now)
    for (const log of this.#ttl.keys()) if (!this.#own.has(log)) this.#ttl.delete(log)
  }
}
