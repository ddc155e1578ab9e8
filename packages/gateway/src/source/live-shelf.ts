import type { Awaitable, Caller, Entry, Shelf } from '@causeway/engine'

/** What a shelf does while its list is not known yet. */
export interface Loading<E> {
  /** Have the list loaded; resolves when it is known, or after a while. Undefined where there is nothing to wait for. */
  load(caller?: Caller): Promise<void> | undefined
  /** Have the list loaded again where it is that of an earlier run; undefined where it is not. */
  wake?(): Promise<void> | undefined
  /** May that key be one of this source's? */
  mayHave(key: string): boolean
  /** Why a key that may be one of this source's cannot be looked for, if so. */
  missing?(key: string): Error | undefined
  /** Who sees the list; undefined if everyone does. */
  onlyFor?(): ((caller: Caller) => boolean) | undefined
  /** An entry for a key that is not listed, if the server has one all the same. */
  unlisted?(key: string): E | undefined
}

const NONE: readonly never[] = []

/** A list that is replaced as a whole when its server says that it changed. */
export class LiveShelf<E extends Entry> implements Shelf<E> {
  readonly #loading: Loading<E>
  readonly #listeners = new Set<() => void>()
  /** Those that can be found and are not listed, such as held ones. */
  #hidden = new Map<string, E>()
  #entries: readonly E[] = []
  #byKey = new Map<string, E>()

  constructor(loading: Loading<E>) {
    this.#loading = loading
  }

  get shared(): boolean {
    return this.#loading.onlyFor?.() === undefined
  }

  get entries(): readonly E[] {
    return this.#entries
  }

  /** Is the key one that was listed, held back or not? */
  has(key: string): boolean {
    return this.#byKey.has(key) || this.#hidden.has(key)
  }

  list(caller?: Caller): Awaitable<readonly E[]> {
    const loading = this.#loading.load(caller)
    return loading ? loading.then(() => this.#shownTo(caller)) : this.#shownTo(caller)
  }

  #shownTo(caller: Caller | undefined): readonly E[] {
    const only = this.#loading.onlyFor?.()
    return !only || (caller && only(caller)) ? this.#entries : NONE
  }

  find(key: string, caller?: Caller): Awaitable<E | undefined> {
    const found = this.#byKey.get(key) ?? this.#hidden.get(key)
    if (found || !this.#loading.mayHave(key)) return found
    const loading = this.#loading.load(caller) ?? this.#loading.wake?.()
    return loading ? loading.then(() => this.#known(key)) : this.#known(key)
  }

  /** What its server has; where nothing is known of that, the reason. */
  #known(key: string): E | undefined {
    const found = this.#byKey.get(key) ?? this.#hidden.get(key) ?? this.#loading.unlisted?.(key)
    const why = found ? undefined : this.#loading.missing?.(key)
    if (why) throw why
    return found
  }

  listen(changed: () => void): () => void {
    this.#listeners.add(changed)
    return () => void this.#listeners.delete(changed)
  }

  /** Put another list in its place; listeners are notified if it differs. */
  replace(entries: readonly E[], hidden: readonly E[], isSame: boolean): void {
    this.#byKey = new Map(entries.map(entry => [entry.key, entry]))
    this.#hidden = new Map(hidden.map(entry => [entry.key, entry]))
    this.#entries = entries
    if (!isSame) for (const listener of this.#listeners) listener()
  }
}
