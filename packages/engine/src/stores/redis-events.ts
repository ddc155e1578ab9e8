import { MemoryEvents } from './memory-events.ts'
import type { RedisConnection } from './redis-connection.ts'
import type { StoredEvent } from './store.ts'

// What one log may keep.
const MOST_EVENTS = 1000
const MOST_CHARACTERS = 1024 * 1024
// What this process keeps of its own events, to write them again to a Redis that lost them.
const MOST_OWN_CHARACTERS = 4 * 1024 * 1024

/** What is known of a log that this process writes. */
interface OwnLog {
  ttlMs: number
  /** The number of the first event that is kept, and the lengths of all that are. */
  first: number
  readonly lengths: number[]
  characters: number
}

/** Events of logs, as streams of Redis; those this process wrote it also keeps itself. */
export class RedisEvents {
  readonly #connection: RedisConnection
  readonly #prefix: string
  readonly #now: () => number
  readonly #own = new MemoryEvents(MOST_OWN_CHARACTERS)
  readonly #logs = new Map<string, OwnLog>()
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
    this.#expire(now)
    return this.#write(log, event, this.#count(log, event, ttlMs))
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
    this.#logs.delete(log)
    await this.#connection.run(redis => redis.unlink(this.#prefix + log))
  }

  async #read(log: string, after: number): Promise<readonly StoredEvent[]> {
    const from = `${Math.max(0, after + 1)}-0`
    const found = await this.#connection.run(redis => redis.xrange(this.#prefix + log, from, '+'))
    return found.map(([id, fields]) => ({ number: Number.parseInt(id, 10), text: fields[1] ?? '' }))
  }

  /** Count the event in; the oldest make room, but never for themselves. */
  #count(log: string, { number, text }: StoredEvent, ttlMs: number): OwnLog {
    // What is not known from its beginning is another process's to cut.
    const own = this.#logs.get(log) ?? { ttlMs, first: number <= 1 ? number : 0, lengths: [], characters: 0 }
    this.#logs.set(log, own)
    own.ttlMs = ttlMs
    own.lengths.push(text.length)
    own.characters += text.length
    while (own.lengths.length > 1 && (own.lengths.length > MOST_EVENTS || own.characters > MOST_CHARACTERS)) {
      own.characters -= own.lengths.shift() ?? 0
      own.first += 1
    }
    return own
  }

  async #write(log: string, { number, text }: StoredEvent, { first, ttlMs }: OwnLog): Promise<void> {
    const key = this.#prefix + log
    await this.#connection.run(redis =>
      redis
        .pipeline()
        .xadd(key, 'MINID', '=', `${first}-0`, `${number}-1`, 't', text)
        .pexpire(key, ttlMs)
        .publish(key, `${number} ${text}`)
        .exec(),
    )
  }

  /** Those that Redis has are refused by it: the number is not higher than its last. */
  #writeAgain(): void {
    for (const { log, number, text } of this.#own.all()) {
      const own = this.#logs.get(log)
      if (own && number >= own.first) this.#write(log, { number, text }, own).catch(() => {})
    }
  }

  #expire(now: number): void {
    if (now - this.#expiredAt < 60_000) return
    this.#expiredAt = now
    this.#own.expire(now)
    for (const log of this.#logs.keys()) if (!this.#own.has(log)) this.#logs.delete(log)
  }
}
