import type { Redis, RedisOptions } from 'ioredis'
import { defineScripts } from './redis-scripts.ts'
import { tlsOptions, tlsProblem } from './redis-tls.ts'
import type { RedisTls } from './redis-tls.ts'
import type { RedisAddress } from './redis-url.ts'

/** Writes what an operator should know. */
export type StoreLog = (level: 'info' | 'warn', message: string, details?: Readonly<Record<string, unknown>>) => void

/** A store that cannot be reached at the moment. */
export class StoreUnreachable extends Error {
  override readonly name = 'StoreUnreachable'
}

/** What a connection needs to know. */
export interface ConnectionOptions {
  readonly address: RedisAddress
  readonly tls: RedisTls | undefined
  readonly processId: string
  /** The key that says that this process runs. */
  readonly processKey: string
  readonly log: StoreLog
  /** Called when subscriptions have to be made again. */
  readonly resubscribe: (subscriber: Redis) => Promise<void>
}

// Nothing waits longer than this for Redis.
const COMMAND_MS = 1000
const CONNECT_MS = 1000
const BEAT_MS = 1000
// While it is away it is asked more often, so that it is missed no longer than it is gone.
const PROBE_MS = 250
// A connection that says nothing for so long is made again.
const SILENT_MS = 2500
// By then every process has noticed that it is back, and written what it knows.
const SETTLING_MS = 3000
const REFUSALS = /\b(NOAUTH|WRONGPASS|NOPERM|ERR invalid password|DB index)/i
/** How long a process counts as running after its last sign of life. */
export const ALIVE_MS = 4000

/**
 * Two connections to one Redis, for commands and for what is published, and whether it answers. What cannot be asked
 * now fails at once: nothing is queued for a Redis that is away.
 */
export class RedisConnection {
  readonly commands: Redis
  readonly subscriber: Redis
  readonly #options: ConnectionOptions
  readonly #listeners = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  #reachable = false
  #since = 0
  #wasAway = false
  #answeredAt: number = performance.now()
  #beating: Promise<void> | undefined
  #closed = false
  #problem: Error | undefined
  #refusal: string | undefined

  constructor(Client: new (options: RedisOptions) => Redis, options: ConnectionOptions) {
    this.#options = options
    this.commands = this.#client(Client)
    this.subscriber = this.#client(Client)
    defineScripts(this.commands)
  }

  get reachable(): boolean {
    return this.#reachable
  }

  /** Was it away until a moment ago? */
  get isSettling(): boolean {
    return this.#wasAway && performance.now() - this.#since < SETTLING_MS
  }

  /** Since when it can be reached, in milliseconds of `performance.now`. */
  get reachableSince(): number {
    return this.#since
  }

  /** Why there will be no connection, to be said after the address: a wrong password, a certificate that is not trusted. */
  get refusal(): string | undefined {
    return this.#refusal
  }

  onReconnect(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Try to connect; whatever comes of it, it is tried again from then on. */
  async open(): Promise<void> {
    await Promise.all([this.commands, this.subscriber].map(client => client.connect().catch(this.#note)))
    await this.beat()
  }

  /** Run commands, if the server can be reached. */
  async run<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    if (!this.#reachable) throw new StoreUnreachable('Redis cannot be reached')
    try {
      return await work(this.commands)
    } catch (error) {
      // One that answered with an error is there.
      if (!isReply(error)) this.#onLost(error)
      throw error
    }
  }

  /** Say that this process runs, and see whether Redis does; one at a time. */
  beat(): Promise<void> {
    return (this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined
    }))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#beating
    if (this.#reachable) await this.commands.del(this.#options.processKey).catch(this.#note)
    this.#reachable = false
    for (const client of [this.commands, this.subscriber]) client.disconnect()
  }

  async #beat(): Promise<void> {
    clearTimeout(this.#timer)
    const { processKey, processId, resubscribe } = this.#options
    try {
      const [before] = await Promise.all([
        this.commands.set(processKey, processId, 'PX', ALIVE_MS, 'GET'),
        this.#reachable ? this.subscriber.ping() : resubscribe(this.subscriber),
      ])
      const now = performance.now()
      // A sign of life that is gone too soon means that Redis lost what it had.
      const isForgotten = before === null && now - this.#answeredAt < ALIVE_MS / 2
      this.#answeredAt = now
      if (!this.#closed && (!this.#reachable || isForgotten)) this.#returned()
    } catch (error) {
      this.#onLost(error)
      if (performance.now() - this.#answeredAt > SILENT_MS) this.#redial()
    }
    if (this.#closed) return
    this.#timer = setTimeout(() => void this.beat(), this.#reachable ? BEAT_MS : PROBE_MS)
    this.#timer.unref()
  }

  #redial(): void {
    this.#answeredAt = performance.now()
    for (const client of [this.commands, this.subscriber]) if (client.status === 'ready') client.disconnect(true)
  }

  #returned(): void {
    const isFirst = this.#since === 0
    this.#wasAway = !isFirst
    this.#since = performance.now()
    this.#reachable = true
    const { log, address } = this.#options
    if (!isFirst) log('info', 'the store can be reached again', { store: address.shown })
    for (const listener of this.#listeners) listener()
  }

  #onLost(error: unknown): void {
    this.#note(error)
    if (!this.#reachable || this.#closed) return
    this.#reachable = false
    const { log, address } = this.#options
    log('warn', 'the store cannot be reached', { store: address.shown, problem: this.#problem?.message })
  }

  readonly #note = (error: unknown): void => {
    this.#problem = error instanceof Error ? error : new Error(String(error))
    const { message } = this.#problem
    this.#refusal ??= REFUSALS.test(message) ? `refused the connection: ${message}` : tlsProblem(error)
  }

  #client(Client: new (options: RedisOptions) => Redis): Redis {
    const { address, processId, tls: given } = this.#options
    const { host, port, db, username, password, tls } = address
    const client = new Client({
      host,
      port,
      db,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(tls && { tls: tlsOptions(address, given) }),
      connectionName: `causeway-${processId}`,
      disableClientInfo: true,
      protocol: 2,
      lazyConnect: true,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      autoResubscribe: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_MS,
      connectTimeout: CONNECT_MS,
      retryStrategy: times => Math.min(times * 50, PROBE_MS),
    })
    client.on('error', this.#note)
    client.on('close', () => this.#onLost(this.#problem ?? new Error('The connection was closed')))
    client.on('ready', () => {
      const areBoth = [this.commands, this.subscriber].every(({ status }) => status === 'ready')
      if (!this.#closed && !this.#reachable && areBoth) void this.beat()
    })
    return client
  }
}

const isReply = (error: unknown): boolean => error instanceof Error && error.name === 'ReplyError'
