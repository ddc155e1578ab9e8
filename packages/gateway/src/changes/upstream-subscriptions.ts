import type { Pool } from '../upstream/pool.ts'
import type { PooledRemote } from '../upstream/pooled-remote.ts'

// How soon a server that is gone is tried again, where its back-off does not say later.
const RETRY_MS = 250

/** Which connection to a server announces its changes, and those of which resources: one for all clients. */
export class UpstreamSubscriptions {
  readonly #pool: Pick<Pool, 'acquire' | 'unshared' | 'backoff'>
  readonly #log: (line: string) => void
  /** May one connection hear of resources for all clients? Not if each client logs in for itself. */
  readonly #mayFollow: () => boolean
  readonly #wanted = new Set<string>()
  /** Resources that the server refused; asked for again on the next connection only. */
  readonly #refused = new Set<string>()
  #listener: PooledRemote | undefined
  #isWorking = false
  #isStale = false
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(
    pool: Pick<Pool, 'acquire' | 'unshared' | 'backoff'>,
    log: (line: string) => void,
    mayFollow: () => boolean,
  ) {
    this.#pool = pool
    this.#log = log
    this.#mayFollow = mayFollow
  }

  /** A client wants changes of a resource, or the last one does not any more. */
  want(uri: string, wants: boolean): void {
    if (wants === this.#wanted.has(uri)) return
    if (wants) this.#wanted.add(uri)
    else this.#wanted.delete(uri)
    this.#refused.delete(uri)
    this.#settle()
  }

  /** Is it the connection that changes are announced on? */
  isListener(one: PooledRemote): boolean {
    return one === this.#listener
  }

  opened(one: PooledRemote): void {
    if (!this.#listener) this.#listen(one)
  }

  /** Another connection takes its place; where there is none but a resource is wanted, one is opened. */
  ended(one: PooledRemote): void {
    if (this.#listener !== one) return
    this.#listener = undefined
    const { unshared } = this.#pool
    if (unshared) this.#listen(unshared)
    else if (this.#wanted.size > 0) this.#retryLater()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
  }

  #listen(one: PooledRemote): void {
    this.#listener = one
    this.#refused.clear()
    this.#settle()
  }

  #retryLater(): void {
    if (this.#closed) return
    clearTimeout(this.#retry)
    const wait = Math.max(RETRY_MS, this.#pool.backoff.retryAfterMs)
    this.#retry = setTimeout(() => this.#settle(), wait).unref()
  }

  /** One change after the other, since an answer may overtake another one. */
  #settle(): void {
    this.#isStale = true
    if (!this.#isWorking) void this.#work()
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    while (this.#isStale && !this.#closed) {
      this.#isStale = false
      try {
        await this.#follow()
      } catch (error) {
        this.#log(`[causeway] changes of resources are not announced: ${(error as Error).message}`)
        this.#retryLater()
      }
    }
    this.#isWorking = false
  }

  async #follow(): Promise<void> {
    // A server is started for clients that want changes, not for those that do not.
    if (!this.#listener && this.#wanted.size === 0) return
    if (!this.#listener) await this.#pool.acquire(undefined)
    // Another connection may have been first: only one is subscribed on.
    const one = this.#listener
    if (!one) return this.#retryLater()
    const uris = this.#mayFollow() ? [...this.#wanted].filter(uri => !this.#refused.has(uri)) : []
    const refused = await one.remote.follow({ lists: true, uris })
    for (const [uri, error] of refused) {
      if (this.#listener === one) this.#refused.add(uri)
      this.#log(`[causeway] ${uri.slice(0, 200)}: ${error.message}`)
    }
  }
}
