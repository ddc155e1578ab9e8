import type { Caller } from '@causeway/engine'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import { loginNeeded } from '../logins/login-need.ts'
import type { UpstreamLogin } from '../logins/upstream-login.ts'
import { unavailable } from '../upstream/backoff.ts'
import type { Pool } from '../upstream/pool.ts'
import { fetchLists } from './fetch-lists.ts'
import type { Lists } from './fetch-lists.ts'
import type { ListCache } from './list-cache.ts'

// A list waits so long for a server that was never seen before; what comes later is announced as a change.
const LIST_WITHIN_MS = 800
const STARTING_MS = 1000
const WAKE_WITHIN_MS = 10_000
// Lists are asked for at most so often because their server says that they changed, and long ones less often: to read them is work.
const RELIST_MS = 100
const RELIST_MS_PER_MB = 1000
const MB = 1024 * 1024

/** The user of the lists. */
export interface ListTaker {
  /** Does what takes long with new lists, in slices. */
  prepare(lists: Lists): Promise<unknown>
  take(lists: Lists): void
}

/** The server whose lists they are. */
export interface ListedServer {
  readonly config: UpstreamConfig
  readonly pool: Pool
  readonly login: UpstreamLogin | undefined
}

/** What a server lists, as far as it is known, and when it is asked again. */
export class ServerLists {
  readonly #config: UpstreamConfig
  readonly #pool: Pool
  readonly #login: UpstreamLogin | undefined
  readonly #cache: ListCache
  readonly #taker: ListTaker
  #current: Lists | undefined
  /** With whose login they were asked for. */
  #listedBy: string | undefined
  /** Are the lists of this run? */
  #isFresh = false
  #refreshing: Promise<void> | undefined
  /** Did something change while the lists were asked for, so that they may be old? */
  #isStale = false
  #listedAt = -Infinity
  /** How much the server sent when it was asked last. */
  #size = 0
  #askedAt = 0

  constructor({ config, pool, login }: ListedServer, cache: ListCache, taker: ListTaker) {
    this.#config = config
    this.#pool = pool
    this.#login = login
    this.#cache = cache
    this.#taker = taker
    this.#current = cache.read(config)
  }

  get current(): Lists | undefined {
    return this.#current
  }

  /** Who sees the resources: names of resources that one login shows are not for others. Undefined if everyone does. */
  get onlyFor(): ((caller: Caller) => boolean) | undefined {
    const login = this.#login
    return login?.isPrivate ? caller => login.isOf(this.#listedBy, caller) : undefined
  }

  /** Are the lists of this run, and not just being asked for? */
  get isSettled(): boolean {
    return this.#isFresh && !this.#refreshing
  }

  /** Resolves when they are asked for no longer; undefined for lists of an earlier run. */
  get settling(): Promise<void> | undefined {
    return this.#isFresh ? (this.#refreshing ?? Promise.resolve()) : undefined
  }

  refresh(): Promise<void> {
    return this.#refresh(() => this.#fetch())
  }

  /** The server says that a list changed, or may have said so unnoticed. */
  changed(): void {
    this.#isStale = this.#refreshing !== undefined
    if (this.#isStale) return
    // A server that never stops saying so is asked now and then, and costs the others nothing.
    const pace = Math.max(RELIST_MS, (this.#size / MB) * RELIST_MS_PER_MB)
    const wait = this.#listedAt + pace - performance.now()
    this.#refresh(wait > 0 ? () => pause(wait).then(() => this.#fetch()) : () => this.#fetch()).catch(() => {})
  }

  /** The server runs: it may list something else than it did when it ran last. */
  started(): void {
    if (!this.#refreshing && this.#pool.any) this.refresh().catch(() => {})
  }

  /**
   * Have the lists loaded where they are not known; resolves when they are, or after a while. Nothing waits for a server
   * that failed before, or has kept others waiting: its lists are announced as a change. Where the server wants a login
   * and none is used yet, that of the caller is tried.
   */
  load(caller?: Caller): Promise<void> | undefined {
    if (this.#current) return undefined
    const isAsked = caller && this.#login?.isNeeded && this.#login.lister === undefined
    return isAsked ? this.#loadAs(caller) : this.#load()
  }

  async #loadAs(caller: Caller): Promise<void> {
    if (await this.#login?.offer(caller)) await this.#load()
  }

  #load(): Promise<void> | undefined {
    const { backoff } = this.#pool
    if (!this.#refreshing && backoff.retryAfterMs > 0) return undefined
    const work = this.refresh()
    const left = this.#askedAt + LIST_WITHIN_MS - Date.now()
    if (backoff.failures === 0 && left > 0) return atMost(work, left)
    work.catch(() => {})
    return undefined
  }

  /** A name that lists of an earlier run do not have may be a new one: the server is asked before the name is refused. */
  wake(): Promise<void> | undefined {
    if (!this.#current || this.#isFresh || this.#pool.backoff.retryAfterMs > 0) return undefined
    return atMost(this.refresh(), WAKE_WITHIN_MS)
  }

  /** Why nothing is known of the server, where that is so; `detail` is added to the message. */
  unknown(detail?: string): Error | undefined {
    const { backoff } = this.#pool
    const { name } = this.#config
    if (this.#current && (this.#isFresh || !backoff.why)) return undefined
    if (this.#login?.isNeeded && this.#login.lister === undefined) return loginNeeded(name)
    if (backoff.why) return backoff.refusalWith(detail ?? '', STARTING_MS)
    const seconds = Math.round((Date.now() - this.#askedAt) / 1000)
    return unavailable(name, `it has been starting for ${seconds} s`, STARTING_MS, detail)
  }

  #refresh(fetch: () => Promise<Lists>): Promise<void> {
    if (!this.#refreshing) this.#askedAt = Date.now()
    this.#refreshing ??= fetch()
      .then(lists => this.#onFetched(lists))
      .finally(() => {
        this.#refreshing = undefined
        this.#listedAt = performance.now()
        if (this.#isStale) this.changed()
      })
    return this.#refreshing
  }

  async #onFetched(lists: Lists): Promise<void> {
    const isSame = this.#isFresh && lists.digest === this.#current?.digest
    this.#size = lists.size ?? 0
    // A server that says without end that its lists changed, though they did not, costs no more than reading them.
    if (isSame) return
    await this.#taker.prepare(lists)
    this.#isFresh = true
    this.#current = lists
    this.#taker.take(lists)
    void this.#cache.write(this.#config, this.#login?.isPrivate ? { ...lists, resources: [], skills: [] } : lists)
  }

  async #fetch(): Promise<Lists> {
    const principal = this.#login?.lister
    const one = await this.#pool.acquire(undefined)
    try {
      const lists = await fetchLists(one.remote)
      this.#listedBy = principal
      return lists
    } catch (error) {
      throw this.#login?.refusalOf(error as Error, principal) ?? error
    } finally {
      this.#pool.release(one)
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise(resolve => void setTimeout(resolve, ms).unref())

/** Resolves with it, whatever becomes of it, or when it takes too long. */
export function atMost(work: Promise<void>, ms: number): Promise<void> {
  return new Promise(resolve => {
    const late = setTimeout(resolve, ms)
    const done = (): void => (clearTimeout(late), resolve())
    work.then(done, done)
  })
}
