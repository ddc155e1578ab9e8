import { MemoryEvents } from './memory-events.ts'
import type { Store, StoredEvent, Taken, TokenBucket } from './store.ts'

/** What can be chosen about a store in memory. */
export interface MemoryStoreOptions {
  /** Characters of events kept, over all logs. Default: 64 M. */
  readonly maxEventCharacters?: number
  /** Values kept; the one written or touched longest ago makes room. Default: 100,000. */
  readonly maxValues?: number
  /** Buckets kept. Default: 10,000. */
  readonly maxBuckets?: number
  /** Share everything with this store, as another process of that name: several handlers in one process, or a test of them. */
  readonly shareWith?: MemoryStore
  readonly processId?: string
  readonly now?: () => number
}

interface Value {
  readonly text: string
  readonly expiresAt: number
}

interface Bucket {
  tokens: number
  at: number
}

/** What stores that share share. */
interface Data {
  readonly now: () => number
  readonly maxValues: number
  readonly maxBuckets: number
  readonly values: Map<string, Value>
  readonly buckets: Map<string, Bucket>
  readonly events: MemoryEvents
  readonly channels: Map<string, Set<(message: string) => void>>
  readonly followers: Map<string, Set<(event: StoredEvent) => void>>
  readonly processes: Set<string>
  announced: number
  logsExpiredAt: number
}

function newData(options: MemoryStoreOptions): Data {
  const { now = Date.now, maxValues = 100_000, maxBuckets = 10_000, maxEventCharacters = 64 * 1024 * 1024 } = options
  return {
    now,
    maxValues,
    maxBuckets,
    values: new Map(),
    buckets: new Map(),
    events: new MemoryEvents(maxEventCharacters),
    channels: new Map(),
    followers: new Map(),
    processes: new Set(),
    announced: 0,
    logsExpiredAt: now(),
  }
}

const GRANTED: Taken = { granted: true, retryAfterMs: 0 }
// How many of the oldest values are looked at when one is written: enough to forget faster than is written.
const LOOKED_AT = 2
const EXPIRE_LOGS_MS = 60_000

/** Everything in this process: every answer is there at once. */
export class MemoryStore implements Store {
  readonly processId: string
  readonly #data: Data

  constructor(options: MemoryStoreOptions = {}) {
    this.processId = options.processId ?? ''
    this.#data = options.shareWith ? options.shareWith.#data : newData(options)
    this.#data.processes.add(this.processId)
  }

  /** What is kept now. */
  get size(): { readonly values: number; readonly eventCharacters: number; readonly buckets: number } {
    const { values, events, buckets } = this.#data
    return { values: values.size, eventCharacters: events.size, buckets: buckets.size }
  }

  get(key: string): string | undefined {
    const { values, now } = this.#data
    const value = values.get(key)
    if (!value) return undefined
    if (value.expiresAt > now()) return value.text
    values.delete(key)
    return undefined
  }

  set(key: string, text: string, ttlMs: number): void {
    const { values, maxValues } = this.#data
    const now = this.#data.now()
    // Deleted first, so that the order is that of the last use.
    values.delete(key)
    let looked = 0
    for (const [oldest, { expiresAt }] of values) {
      if (looked++ === LOOKED_AT) break
      if (expiresAt <= now || values.size >= maxValues) values.delete(oldest)
    }
    values.set(key, { text, expiresAt: now + ttlMs })
  }

  once(key: string, text: string, ttlMs: number): string {
    const kept = this.get(key)
    if (kept === undefined) this.set(key, text, ttlMs)
    return kept ?? text
  }

  replace(key: string, expected: string | undefined, text: string, ttlMs: number): boolean {
    if (this.get(key) !== expected) return false
    this.set(key, text, ttlMs)
    return true
  }

  touch(key: string, ttlMs: number): void {
    const text = this.get(key)
    if (text !== undefined) this.set(key, text, ttlMs)
  }

  delete(key: string): void {
    this.#data.values.delete(key)
  }

  append(log: string, event: StoredEvent, ttlMs: number): void {
    const data = this.#data
    const now = data.now()
    if (now - data.logsExpiredAt > EXPIRE_LOGS_MS) {
      data.logsExpiredAt = now
      data.events.expire(now)
    }
    data.events.append(log, event, now + ttlMs)
    const followers = data.followers.get(log)
    if (followers) for (const listener of followers) listener(event)
  }

  announce(log: string, text: string, ttlMs: number): number {
    const number = Math.max(this.#data.announced + 1, Math.floor(this.#data.now() * 1000))
    this.#data.announced = number
    this.append(log, { number, text }, ttlMs)
    return number
  }

  read(log: string, after: number): readonly StoredEvent[] {
    return this.#data.events.read(log, after, this.#data.now())
  }

  follow(log: string, listener: (event: StoredEvent) => void): () => void {
    return addListener(this.#data.followers, log, listener)
  }

  drop(log: string): void {
    this.#data.events.drop(log)
  }

  take(key: string, { burst, perSecond }: TokenBucket): Taken {
    const now = this.#data.now()
    const bucket = this.#data.buckets.get(key) ?? this.#newBucket(key, { tokens: burst, at: now })
    // A clock that was set back takes nothing away.
    const passed = Math.max(0, now - bucket.at)
    bucket.tokens = Math.min(burst, bucket.tokens + (passed / 1000) * perSecond)
    bucket.at = now
    if (bucket.tokens < 1) {
      return { granted: false, retryAfterMs: Math.ceil(((1 - bucket.tokens) / perSecond) * 1000) }
    }
    bucket.tokens -= 1
    return GRANTED
  }

  publish(channel: string, message: string): number {
    const listeners = this.#data.channels.get(channel)
    for (const listener of listeners ?? []) listener(message)
    return listeners?.size ?? 0
  }

  subscribe(channel: string, listener: (message: string) => void): () => void {
    return addListener(this.#data.channels, channel, listener)
  }

  isAlive(processId: string): boolean {
    return this.#data.processes.has(processId)
  }

  get reachable(): boolean {
    return true
  }

  get isSettling(): boolean {
    return false
  }

  onReconnect(): () => void {
    return () => {}
  }

  close(): void {
    this.#data.processes.delete(this.processId)
  }

  #newBucket(key: string, bucket: Bucket): Bucket {
    const { buckets, maxBuckets } = this.#data
    if (buckets.size >= maxBuckets) {
      const [oldest = key] = buckets.keys()
      buckets.delete(oldest)
    }
    buckets.set(key, bucket)
    return bucket
  }
}

/** Add to the listeners of that name until the returned function is called. */
function addListener<T>(all: Map<string, Set<T>>, name: string, listener: T): () => void {
  const listeners = all.get(name) ?? new Set()
  all.set(name, listeners.add(listener))
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0 && all.get(name) === listeners) all.delete(name)
  }
}

/** A store in memory. */
export const memoryStore = (options?: MemoryStoreOptions): MemoryStore => new MemoryStore(options)
