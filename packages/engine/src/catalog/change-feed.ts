import { createHash, randomBytes } from 'node:crypto'
import { after } from '../awaitable.ts'
import type { Awaitable } from '../call.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Logs, Presence, StoredEvent, Values } from '../stores/store.ts'
import type { Change, Changes, ListKind } from './changes.ts'

/** A change, and its number among those of all processes. */
export interface NumberedChange {
  readonly number: number
  readonly change: Change
}

/** What a list of one kind has at the moment, in whatever form. */
export type ListContent = (kind: ListKind) => Promise<unknown>

const FEED = 'changes'
const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources']
const VERSION_MS = 7 * 24 * 60 * 60_000
const KEPT_MS = 60 * 60_000
// Of what could not be shared yet, so much is remembered.
const MOST_PENDING = 1000

/**
 * The changes of all processes that share a store, as one log: what changes in one is announced in every one. A client that
 * was away names the last number it heard, in whichever process, and gets the rest.
 */
export class ChangeFeed {
  readonly #changes: Changes
  readonly #store: Logs & Presence & Values
  /** Changes told here before the store had them, by the name they got: their echo is no news. */
  readonly #announcedEarly = new Map<string, Change>()
  readonly #pending = new Map<string, string>()
  readonly #seenNames = new Set<string>()
  #made = 0
  #position = 0

  constructor(changes: Changes, store: Logs & Presence & Values, content: ListContent) {
    this.#changes = changes
    this.#store = store
    const isFollowed = this.#start()
    changes.relayTo(change => {
      this.#share(change)
      if ('list' in change) this.#setVersion(change.list, `changed ${randomBytes(8).toString('hex')}`)
    }, isFollowed)
    void this.#compare(content).catch(() => {})
    store.onReconnect(() => void this.#catchUp())
  }

  /** The number of the last change heard of. */
  get position(): number {
    return this.#position
  }

  /** What changed after a number, as far as it is kept. */
  since(number: number): Awaitable<readonly NumberedChange[]> {
    return after(this.#store.read(FEED, number), events =>
      events.flatMap(event => {
        const read = readChange(event)
        return read ? [{ number: event.number, change: read.change }] : []
      }),
    )
  }

  /** Where the log ends now, then what is added: in this order, since the end of a log does not tell which of its events are news. */
  #start(): Awaitable<void> {
    return after(this.#read(0), events => {
      this.#position = events.at(-1)?.number ?? 0
      const followed = this.#store.follow(FEED, event => this.#onEvent(event))
      return after(followed, () => this.#readOn())
    })
  }

  /** Reads the events that were announced before this process followed the log. */
  #readOn(): Awaitable<void> {
    return after(this.#read(this.#position), events => {
      for (const event of events) this.#onEvent(event)
    })
  }

  /** A process that starts with other lists than were served last has something to tell. */
  async #compare(content: ListContent): Promise<void> {
    for (const list of KINDS) {
      const version = createHash('sha256')
        .update(JSON.stringify(await content(list)))
        .digest('hex')
        .slice(0, 32)
      const served = await this.#store.once(`catalog:${list}`, version, VERSION_MS)
      if (served === version) continue
      this.#share({ list })
      this.#setVersion(list, version)
    }
  }

  #setVersion(list: ListKind, version: string): void {
    const done = this.#store.set(`catalog:${list}`, version, VERSION_MS)
    if (done instanceof Promise) done.catch(() => {})
  }

  #share(change: Change): void {
    const name = `${this.#store.processId}.${++this.#made}`
    const text = JSON.stringify({ name, change })
    const tellNow = (): void => {
      this.#remember(name, text, change)
      this.#changes.tell(change)
    }
    if (!this.#store.reachable) return tellNow()
    const done = this.#store.announce(FEED, text, KEPT_MS)
    if (done instanceof Promise) done.catch(tellNow)
  }

  #remember(name: string, text: string, change: Change): void {
    for (const known of [this.#pending, this.#announcedEarly]) {
      const [oldest = name] = known.keys()
      if (known.size >= MOST_PENDING) known.delete(oldest)
    }
    // One of a kind is enough: it says that something changed, not how often.
    const key = JSON.stringify(change)
    const before = this.#pending.get(key)
    if (before === undefined) this.#pending.set(key, text)
    this.#announcedEarly.set(name, change)
  }

  #onEvent(event: StoredEvent): void {
    if (event.number <= this.#position) return
    this.#position = event.number
    const read = readChange(event)
    if (!read || this.#announcedEarly.delete(read.name)) return
    // One that was sent again, since it was not known whether it had arrived.
    if (this.#seenNames.has(read.name)) return
    this.#seenNames.add(read.name)
    const [oldest = read.name] = this.#seenNames
    if (this.#seenNames.size > MOST_PENDING) this.#seenNames.delete(oldest)
    this.#changes.tell(read.change, event.number)
  }

  /** What was missed while the store was away, then what it missed. */
  async #catchUp(): Promise<void> {
    await this.#readOn()
    for (const [key, text] of this.#pending) {
      const done = this.#store.announce(FEED, text, KEPT_MS)
      this.#pending.delete(key)
      if (done instanceof Promise) await done.catch(() => this.#pending.set(key, text))
    }
  }

  #read(number: number): Awaitable<readonly StoredEvent[]> {
    const found = this.#store.read(FEED, number)
    return found instanceof Promise ? found.catch(() => []) : found
  }
}

function readChange({ text }: StoredEvent): { name: string; change: Change } | undefined {
  try {
    const read = JSON.parse(text) as unknown
    if (!isObject(read) || typeof read.name !== 'string' || !isObject(read.change)) return undefined
    return { name: read.name, change: read.change as unknown as Change }
  } catch {
    return undefined
  }
}
