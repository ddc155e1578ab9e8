import type { Awaitable } from '../call.ts'
import type { Params } from '../jsonrpc/message.ts'

/** A kind of list that can change. */
export type ListKind = 'tools' | 'prompts' | 'resources'
/** Something clients may want to hear of: a list that changed, a resource, or what an extension has to say. */
export type Change = { readonly list: ListKind } | { readonly uri: string } | ExtensionNotification

/** A notification of an extension. */
export interface ExtensionNotification {
  /** Clients that declared one of these may hear of it. */
  readonly extensions: readonly string[]
  readonly method: string
  readonly params: Params
  /** Of these clients, only those that asked for it. */
  readonly topic?: string
  /** Of these clients, only the session of this id. */
  readonly session?: string
}

/** Hears of a change, and its number where several processes share their changes. */
export type ChangeListener = (change: Change, number?: number) => void

/** Notifies listeners of changes: list changes of one turn are sent once. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>()
  readonly #pending = new Set<ListKind>()
  #relay: ((change: Change) => void) | undefined
  #isFollowed: Awaitable<void> = undefined

  /** Listen until the returned function is called. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Resolves when a listener hears of what changes in any process. */
  get isFollowed(): Awaitable<void> {
    return this.#isFollowed
  }

  /** Pass changes to a feed that announces them, here and in other processes, which it follows as soon as the promise resolves. */
  relayTo(relay: (change: Change) => void, isFollowed?: Awaitable<void>): void {
    if (isFollowed instanceof Promise) {
      const done = (): void => void (this.#isFollowed = undefined)
      this.#isFollowed = isFollowed.then(done, done)
    }
    // What was added before there were listeners is not announced.
    this.#pending.clear()
    this.#relay = relay
  }

  /** Tell every listener. */
  tell(change: Change, number?: number): void {
    for (const listener of this.#listeners) listener(change, number)
  }

  /** A list is not what it was. */
  list(kind: ListKind): void {
    if (this.#pending.size === 0) queueMicrotask(() => this.#flush())
    this.#pending.add(kind)
  }

  /** A resource is not what it was. */
  resource(uri: string): void {
    this.#changed({ uri })
  }

  /** An extension has something to say. */
  notify(notification: ExtensionNotification): void {
    this.#changed(notification)
  }

  #flush(): void {
    const kinds = [...this.#pending]
    this.#pending.clear()
    for (const list of kinds) this.#changed({ list })
  }

  #changed(change: Change): void {
    if (this.#relay) this.#relay(change)
    else this.tell(change)
  }
}
