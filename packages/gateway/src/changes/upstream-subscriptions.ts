import type { Conversation } from '../upstream/pooled-connection.ts'
import type { Pool } from '../upstream/pool.ts'

// How soon a server that is gone is tried again, where nothing says later.
const AGAIN_MS = 250

/** Which conversation with a server hears of its changes, and of which resources: one for all who want to hear. */
export class Following {
  readonly #pool: Pick<Pool, 'acquire' | 'any' | 'backoff'>
  readonly #say: (line: string) => void
  readonly #wanted = new Set<string>()
  /** What the server does not tell of; asked for again in the next conversation only. */
  readonly #refused = new Set<string>()
  #listener: Conversation | undefined
  #isWorking = false
  #isStale = false
  #again: NodeJS.Timeout | undefined
  #closed = false

  constructor(pool: Pick<Pool, 'acquire' | 'any' | 'backoff'>, say: (line: string) => void) {
    this.#pool = pool
    this.#say = say
  }

  /** Somebody wants to hear of a resource, or nobody any more. */
  want(uri: string, wants: boolean): void {
    if (wants === this.#wanted.has(uri)) return
    if (wants) this.#wanted.add(uri)
    else this.#wanted.delete(uri)
    this.#refused.delete(uri)
    this.#settle()
  }

  /** Is it the one that hears of changes for all? */
  isListener(conversation: Conversation): boolean {
    return conversation === this.#listener
  }

  /** A conversation began. */
  opened(conversation: Conversation): void {
    if (!this.#listener) this.#listen(conversation)
  }

  /** A conversation is over: another one listens instead, and where there is none but somebody wants to hear, one is begun. */
  ended(conversation: Conversation): void {
    if (this.#listener !== conversation) return
    this.#listener = undefined
    const { any } = this.#pool
    if (any) this.#listen(any)
    else if (this.#wanted.size > 0) this.#tryAgain()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#again)
  }

  #listen(conversation: Conversation): void {
    this.#listener = conversation
    this.#refused.clear()
    conversation.subscriptions.followLists()
    if (this.#wanted.size > 0) this.#settle()
  }

  #tryAgain(): void {
    if (this.#closed) return
    clearTimeout(this.#again)
    const wait = Math.max(AGAIN_MS, this.#pool.backoff.retryAfterMs)
    this.#again = setTimeout(() => this.#settle(), wait).unref()
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
        await this.#tell()
      } catch (error) {
        this.#say(`[causeway] nothing is heard of resources: ${(error as Error).message}`)
        this.#tryAgain()
      }
    }
    this.#isWorking = false
  }

  async #tell(): Promise<void> {
    // A server is begun for those who want to hear of it, not for those who do not.
    if (!this.#listener && this.#wanted.size === 0) return
    if (!this.#listener) await this.#pool.acquire(undefined)
    // Another one may have begun first: only in the one that listens is anything ever unsubscribed.
    const conversation = this.#listener
    if (!conversation) return this.#tryAgain()
    const { subscriptions } = conversation
    const has = (uri: string): boolean => subscriptions.uris.has(uri) || this.#refused.has(uri)
    const failed = (uri: string, error: unknown): void => {
      if (this.#listener === conversation) this.#refused.add(uri)
      this.#say(`[causeway] ${uri.slice(0, 200)}: ${(error as Error).message}`)
    }
    const added = [...this.#wanted].filter(uri => !has(uri))
    const gone = [...subscriptions.uris].filter(uri => !this.#wanted.has(uri))
    await Promise.all([
      ...added.map(uri => subscriptions.subscribe(uri).catch((error: unknown) => failed(uri, error))),
      ...gone.map(uri => subscriptions.unsubscribe(uri).catch((error: unknown) => failed(uri, error))),
    ])
  }
}
