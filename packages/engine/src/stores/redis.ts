import { randomBytes } from 'node:crypto'
import type { Redis, RedisOptions } from 'ioredis'
import type { Awaitable } from '../call.ts'
import type { Leases } from './leases.ts'
import { redisBuckets } from './redis-buckets.ts'
import { RedisChannels } from './redis-channels.ts'
import { RedisConnection } from './redis-connection.ts'
import type { StoreLog } from './redis-connection.ts'
import { RedisEvents } from './redis-events.ts'
import { RedisProcesses } from './redis-processes.ts'
import type { RedisTls } from './redis-tls.ts'
import { readRedisUrl } from './redis-url.ts'
import type { Store, StoredEvent, Taken, TokenBucket } from './store.ts'

/** What can be chosen about a store in Redis. */
export interface RedisStoreOptions {
  /** Begins every key and channel. Default: `cw:`. */
  readonly prefix?: string
  /** Names this process; letters and digits. Default: random, since no two may have the same. */
  readonly processId?: string
  /** Certificates for `rediss://`. */
  readonly tls?: RedisTls
  readonly log?: StoreLog
  readonly now?: () => number
}

/** How many keys there are of each kind. */
export type StoreStats = Readonly<Record<string, number>>

const SCANNED = 1000

/** State shared by every process that uses the same Redis (or Valkey) with the same prefix. */
export class RedisStore implements Store {
  readonly processId: string
  /** The URL without user and password. */
  readonly shown: string
  readonly #prefix: string
  readonly #connection: RedisConnection
  readonly #channels: RedisChannels
  readonly #events: RedisEvents
  readonly #buckets: Leases
  readonly #processes: RedisProcesses

  constructor(Client: new (options: RedisOptions) => Redis, url: string, options: RedisStoreOptions) {
    const address = readRedisUrl(url)
    const { prefix = 'cw:', processId = newProcessId(), tls, log = () => {}, now } = options
    if (!/^[\da-z]{1,32}$/.test(processId)) throw new TypeError('A process id has 1 to 32 lowercase letters and digits')
    this.processId = processId
    this.shown = address.shown
    this.#prefix = prefix
    const channels = new RedisChannels()
    this.#channels = channels
    this.#connection = new RedisConnection(Client, {
      address,
      tls,
      processId,
      processKey: `${prefix}process:${processId}`,
      log,
      resubscribe: subscriber => channels.resubscribe(subscriber),
    })
    channels.attach(this.#connection.subscriber)
    this.#events = new RedisEvents(this.#connection, prefix, now ?? Date.now)
    this.#buckets = redisBuckets(this.#connection, prefix, now ?? (() => performance.now()))
    this.#processes = new RedisProcesses(this.#connection, prefix)
  }

  /** Connect, or begin to try. */
  async open(): Promise<void> {
    await this.#connection.open()
    const { refusal } = this.#connection
    if (refusal === undefined) return
    await this.close()
    throw new Error(`Redis at ${this.shown} ${refusal}`)
  }

  get reachable(): boolean {
    return this.#connection.reachable
  }

  get isSettling(): boolean {
    return this.#connection.isSettling
  }

  onReconnect(listener: () => void): () => void {
    return this.#connection.onReconnect(listener)
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.#connection.run(redis => redis.get(this.#prefix + key))) ?? undefined
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    await this.#connection.run(redis => redis.set(this.#prefix + key, value, 'PX', ttlMs))
  }

  once(key: string, value: string, ttlMs: number): Promise<string> {
    return this.#connection.run(redis => redis.keepOnce(this.#prefix + key, value, ttlMs))
  }

  async replace(key: string, expected: string | undefined, value: string, ttlMs: number): Promise<boolean> {
    const isExpected = expected === undefined ? '0' : '1'
    const done = await this.#connection.run(redis =>
      redis.replaceValue(this.#prefix + key, isExpected, expected ?? '', value, ttlMs),
    )
    return done === 1
  }

  async touch(key: string, ttlMs: number): Promise<void> {
    await this.#connection.run(redis => redis.pexpire(this.#prefix + key, ttlMs))
  }

  async delete(key: string): Promise<void> {
    await this.#connection.run(redis => redis.unlink(this.#prefix + key))
  }

  append(log: string, event: StoredEvent, ttlMs: number): Promise<void> {
    return this.#events.append(log, event, ttlMs)
  }

  announce(log: string, text: string, ttlMs: number): Promise<number> {
    return this.#events.announce(log, text, ttlMs)
  }

  read(log: string, after: number): Awaitable<readonly StoredEvent[]> {
    return this.#events.read(log, after)
  }

  follow(log: string, listener: (event: StoredEvent) => void): Promise<() => void> {
    return this.#channels.add(this.#prefix + log, message => {
      const space = message.indexOf(' ')
      listener({ number: Number(message.slice(0, space)), text: message.slice(space + 1) })
    })
  }

  drop(log: string): Promise<void> {
    return this.#events.drop(log)
  }

  take(key: string, bucket: TokenBucket): Awaitable<Taken> {
    return this.#buckets.take(key, bucket)
  }

  publish(channel: string, message: string): Promise<number> {
    return this.#connection.run(redis => redis.publish(this.#prefix + channel, message))
  }

  subscribe(channel: string, listener: (message: string) => void): Promise<() => void> {
    return this.#channels.add(this.#prefix + channel, listener)
  }

  isAlive(processId: string): Promise<boolean> {
    return this.#processes.isAlive(processId)
  }

  /** How many keys there are of each kind, such as `session`. */
  async stats(): Promise<StoreStats> {
    const counts: Record<string, number> = {}
    for await (const keys of this.#keys()) {
      for (const key of keys) {
        const kind = /^\w+/.exec(key.slice(this.#prefix.length))?.[0] ?? 'other'
        counts[kind] = (counts[kind] ?? 0) + 1
      }
    }
    return counts
  }

  /** Delete every key under the prefix; how many there were. */
  async clear(): Promise<number> {
    let count = 0
    for await (const keys of this.#keys()) {
      if (keys.length > 0) count += await this.#connection.run(redis => redis.unlink(...keys))
    }
    return count
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  async *#keys(): AsyncIterable<string[]> {
    const pattern = `${this.#prefix.replace(/[*?[\]\\]/g, String.raw`\$&`)}*`
    let cursor = '0'
    do {
      const [next, keys] = await this.#connection.run(redis => redis.scan(cursor, 'MATCH', pattern, 'COUNT', SCANNED))
      yield keys
      cursor = next
    } while (cursor !== '0')
  }
}

const newProcessId = (): string => randomBytes(6).toString('hex')

/** A store in Redis or Valkey, by its URL. Where that cannot be reached yet it is tried again; where it refuses us, this fails. */
export async function redisStore(url: string, options: RedisStoreOptions = {}): Promise<RedisStore> {
  const store = new RedisStore(await loadClient(), url, options)
  await store.open()
  return store
}

async function loadClient(): Promise<typeof Redis> {
  try {
    return (await import('ioredis')).Redis
  } catch (error) {
    throw new Error('A store in Redis needs the package ioredis: npm install ioredis', { cause: error })
  }
}
