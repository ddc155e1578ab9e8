import { createHash, randomBytes } from 'node:crypto'
import { after } from '../awaitable.ts'
import type { Awaitable, Call, Session } from '../call.ts'
import { clientKey, quotaKey } from '../policies/client-key.ts'
import { sessionOf } from '../protocol/session.ts'
import type { Values } from '../stores/store.ts'

/** A text that is kept whole. */
export interface Whole {
  readonly text: string
  readonly mimeType: string
  /** Who wrote it, if not this server. */
  readonly writer?: string | undefined
}

/** How many results are kept, and for how long. */
export interface ResultStoreLimits {
  /** From when it was made or last read. */
  readonly ttlMs: number
  readonly perClient: { readonly results: number; readonly characters: number }
  readonly inAll: { readonly results: number; readonly characters: number }
}

/** More options. */
export interface ResultStoreOptions {
  /** The process that has them, where others cannot read them: it stands in their ids. */
  readonly worker?: string | undefined
  readonly now?: (() => number) | undefined
}

interface StoredResult {
  readonly key: string
  readonly client: string
  readonly size: number
  readonly expiresAt: number
}

interface Held {
  readonly results: Set<StoredResult>
  characters: number
}

const ID_BYTES = 24

/**
 * Whole results, for the one who got an excerpt. The store has them, each under a key that only that client's calls lead
 * to; what is counted here is what this process put there, so that it takes away as much as it brings.
 */
export class ResultStore {
  readonly #store: Values
  readonly #limits: ResultStoreLimits
  readonly #idPrefix: string
  readonly #now: () => number
  /** The oldest first. */
  readonly #all = new Map<string, StoredResult>()
  readonly #clients = new Map<string, Held>()
  readonly #followed = new WeakMap<Session, Set<string>>()
  #characters = 0

  constructor(store: Values, limits: ResultStoreLimits, { worker, now = Date.now }: ResultStoreOptions = {}) {
    this.#store = store
    this.#limits = limits
    this.#idPrefix = worker === undefined ? '' : `${worker}.`
    this.#now = now
  }

  /** Keep a text for the caller; undefined if it is larger than all that one may keep. */
  keep(call: Call, { text, mimeType, writer }: Whole): Awaitable<string | undefined> {
    const { perClient, inAll, ttlMs } = this.#limits
    if (text.length > perClient.characters || text.length > inAll.characters) return undefined
    const id = this.#idPrefix + randomBytes(ID_BYTES).toString('hex')
    const key = keyOf(call, id)
    const client = quotaKey(call)
    this.#makeRoom(client, text.length)
    this.#count({ key, client, size: text.length, expiresAt: this.#now() + ttlMs })
    if (call.link.session) this.#follow(call.link.session, key)
    return after(this.#store.set(key, `${JSON.stringify({ mimeType, writer })}\n${text}`, ttlMs), () => id)
  }

  /** The text, for the caller it was kept for; undefined for others, and when it is gone. */
  read(call: Call, id: string): Awaitable<Whole | undefined> {
    const key = keyOf(call, id)
    return after(this.#store.get(key), found => {
      if (found === undefined) return undefined
      const end = found.indexOf('\n')
      const about = JSON.parse(found.slice(0, end)) as Omit<Whole, 'text'>
      const whole = { ...about, text: found.slice(end + 1) }
      const kept = this.#all.get(key)
      if (kept) {
        this.#forget(kept)
        this.#count({ ...kept, expiresAt: this.#now() + this.#limits.ttlMs })
      }
      return after(this.#store.touch(key, this.#limits.ttlMs), () => whole)
    })
  }

  /** What is kept now. */
  get size(): { readonly results: number; readonly characters: number } {
    return { results: this.#all.size, characters: this.#characters }
  }

  #makeRoom(client: string, size: number): void {
    const { perClient, inAll } = this.#limits
    for (const kept of this.#all.values()) if (kept.expiresAt <= this.#now()) this.#drop(kept)
    const own = (): Held | undefined => this.#clients.get(client)
    for (let held = own(); held && isFull(held, size, perClient); held = own()) this.#drop(first(held.results))
    while (this.#all.size > 0 && isFull({ results: this.#all, characters: this.#characters }, size, inAll))
      this.#drop(first(this.#largest().results))
  }

  /** The client that holds the most makes room first. */
  #largest(): Held {
    return [...this.#clients.values()].reduce((most, held) => (held.characters > most.characters ? held : most))
  }

  #count(kept: StoredResult): void {
    const held = this.#clients.get(kept.client) ?? { results: new Set(), characters: 0 }
    this.#clients.set(kept.client, held)
    held.results.add(kept)
    held.characters += kept.size
    this.#all.set(kept.key, kept)
    this.#characters += kept.size
  }

  #forget(kept: StoredResult): void {
    const held = this.#clients.get(kept.client)
    if (!held?.results.delete(kept)) return
    held.characters -= kept.size
    if (held.results.size === 0) this.#clients.delete(kept.client)
    this.#all.delete(kept.key)
    this.#characters -= kept.size
  }

  #drop(kept: StoredResult): void {
    this.#forget(kept)
    void Promise.resolve(this.#store.delete(kept.key)).catch(() => {})
  }

  /** What is kept for a session goes with it. */
  #follow(session: Session, key: string): void {
    const known = this.#followed.get(session)
    if (known) {
      // What made room meanwhile need not be remembered.
      if (known.size > 2 * this.#limits.perClient.results)
        for (const one of known) if (!this.#all.has(one)) known.delete(one)
      known.add(key)
      return
    }
    const keys = new Set([key])
    this.#followed.set(session, keys)
    const end = (): void => {
      for (const one of keys) {
        const kept = this.#all.get(one)
        if (kept) this.#drop(kept)
      }
      keys.clear()
    }
    session.signal.addEventListener('abort', end, { once: true })
  }
}

const first = <T>(values: Iterable<T>): T => {
  const [value] = values
  return value as T
}

const isFull = (
  { results, characters }: { readonly results: { readonly size: number }; readonly characters: number },
  size: number,
  limit: { readonly results: number; readonly characters: number },
): boolean => results.size + 1 > limit.results || characters + size > limit.characters

/** Only calls of the same client, in the same session where there is one, lead to the same key. */
function keyOf(call: Call, id: string): string {
  const client = [clientKey(call), sessionOf(call)?.id ?? ''].join('\n')
  return `result:${createHash('sha256').update(client).digest('base64url')}:${id}`
}
