import type { Awaitable, Caller } from '../call.ts'

/** A feature made ready: its key, and what a list shows of it. */
export interface Entry {
  readonly key: string
  readonly info: Readonly<Record<string, unknown>>
  readonly aliases?: readonly string[]
}

/** Lists and finds the features of one kind. */
export interface Shelf<T extends Entry> {
  list(caller: Caller): Awaitable<readonly T[]>
  find(key: string, caller: Caller): Awaitable<T | undefined>
}

/** A shelf in memory, in the order in which things were put on it. */
export class MemoryShelf<T extends Entry> implements Shelf<T> {
  readonly #entries = new Map<string, T>()
  readonly #aliases = new Map<string, T>()
  #listed: readonly T[] | undefined

  get size(): number {
    return this.#entries.size
  }

  /** The same array until something changes. */
  list(): readonly T[] {
    return (this.#listed ??= [...this.#entries.values()])
  }

  find(key: string): T | undefined {
    return this.#entries.get(key) ?? this.#aliases.get(key)
  }

  /** Every name something here answers to. */
  has(key: string): boolean {
    return this.find(key) !== undefined
  }

  put(entry: T): void {
    for (const key of [entry.key, ...(entry.aliases ?? [])]) {
      if (this.has(key)) throw new TypeError(`Duplicate name '${key}': remove the first one, or mount with a prefix`)
    }
    this.#entries.set(entry.key, entry)
    for (const alias of entry.aliases ?? []) this.#aliases.set(alias, entry)
    this.#listed = undefined
  }

  /** True if there was one to take away. */
  take(key: string): boolean {
    for (const alias of this.#entries.get(key)?.aliases ?? []) this.#aliases.delete(alias)
    this.#listed = undefined
    return this.#entries.delete(key)
  }
}
