import { after, all } from '../awaitable.ts'
import type { Awaitable, Caller } from '../call.ts'
import type { ShelfKind } from '../rights/rules.ts'
import { nearest } from '../schema/nearest.ts'
import { showsViews } from '../protocol/apps.ts'
import { within } from '../support/deadline.ts'
import { PlainLists, isForApps } from './plain-lists.ts'
import type { Entry, Shelf } from './shelf.ts'

/** One shelf of those that are composed, with the name of its source for the log. */
export interface Part<E extends Entry> {
  readonly name: string
  readonly shelf: Shelf<E>
}

/** What one source lists. */
export interface NamedList<E extends Entry> {
  readonly name: string
  readonly entries: readonly E[]
}

/** What lets a part of what there is be seen: a view of the server, the rights of a caller. */
interface Sieve {
  offers(kind: ShelfKind, key: string): boolean
}

/** Is told of a source that could not be listed. */
export type OnFailure = (source: string, error: unknown) => void

const LIST_WITHIN_MS = 10_000
const SUGGEST_WITHIN_MS = 1000
const MOST_NAMES = 20_000

/**
 * The shelves of several sources as one, in the order in which they were mounted. Where two have the same key, the first
 * answers and only its entry is listed. A source that fails, or takes too long, is left out of lists. A caller of a
 * view of the server sees what is part of it, one whose rights are restricted what it may use, and nothing else.
 */
export class ComposedShelf<E extends Entry> implements Shelf<E> {
  #parts: readonly Part<E>[] = []
  #last: { readonly lists: readonly (readonly E[])[]; readonly merged: readonly E[] } | undefined
  #lastNamed: { readonly lists: readonly (readonly E[])[]; readonly named: readonly NamedList<E>[] } | undefined
  readonly #viewed = new WeakMap<Sieve, { readonly all: readonly E[]; readonly part: readonly E[] }>()
  readonly #viewedLists = new WeakMap<
    Sieve,
    { readonly all: readonly NamedList<E>[]; readonly part: readonly NamedList<E>[] }
  >()
  readonly #plain = new PlainLists<E>()
  readonly #kind: ShelfKind
  readonly #onFailure: OnFailure

  constructor(kind: ShelfKind, onFailure: OnFailure) {
    this.#kind = kind
    this.#onFailure = onFailure
  }

  get shared(): boolean {
    return this.#parts.every(({ shelf }) => shelf.shared === true)
  }

  /** The shelves, in the order in which they answer. */
  arrange(parts: readonly Part<E>[]): void {
    this.#parts = parts
  }

  list(caller: Caller): Awaitable<readonly E[]> {
    return this.#list(caller, LIST_WITHIN_MS)
  }

  find(key: string, caller: Caller): Awaitable<E | undefined> {
    const sieves = sievesOf(caller)
    const found = sieves.length === 0 ? findIn(this.#parts, key, caller) : this.#findIn(sieves, key, caller)
    return found instanceof Promise ? found.then(entry => shownTo(entry, caller)) : shownTo(found, caller)
  }

  /** The lists of the sources one by one, without what is found in an earlier one, or is there for views alone. */
  lists(caller: Caller): Awaitable<readonly NamedList<E>[]> {
    const parts = this.#parts
    const lists = parts.map(part => this.#listOf(part, caller, LIST_WITHIN_MS))
    return after(all(lists), settled => {
      const named = this.#distinct(parts, settled)
      return sievesOf(caller).reduce((lists, sieve) => this.#partsOf(lists, sieve), named)
    })
  }

  /** The keys that come closest to one that was not found; none where the lists take too long, and none that are for views alone. */
  suggest(key: string, caller: Caller): Awaitable<readonly string[]> {
    return after(this.#list(caller, SUGGEST_WITHIN_MS), entries =>
      nearest(
        key,
        entries.slice(0, MOST_NAMES).flatMap(entry => (isForApps(entry) ? [] : [entry.key])),
      ),
    )
  }

  #list(caller: Caller, withinMs: number): Awaitable<readonly E[]> {
    const sieves = sievesOf(caller)
    return after(this.#all(caller, withinMs), all => {
      const shown = showsViews(caller) ? all : this.#plain.of(all)
      return sieves.reduce((left, sieve) => this.#partOf(left, sieve), shown)
    })
  }

  /** An alias is part of a view if the feature is; what is not part of it is not mentioned, not even why it cannot be found. */
  #findIn(sieves: readonly Sieve[], key: string, caller: Caller): Awaitable<E | undefined> {
    const isSeen = (seen: string): boolean => sieves.every(sieve => sieve.offers(this.#kind, seen))
    const part = (entry: E | undefined): E | undefined => (entry && isSeen(entry.key) ? entry : undefined)
    const failed = (error: unknown): undefined => {
      if (isSeen(key)) throw error
    }
    try {
      const found = findIn(this.#parts, key, caller)
      return found instanceof Promise ? found.then(part, failed) : part(found)
    } catch (error) {
      return failed(error)
    }
  }

  /** The same array for the same list, so that pages made of it can be kept. */
  #partOf(all: readonly E[], sieve: Sieve): readonly E[] {
    const known = this.#viewed.get(sieve)
    if (known?.all === all) return known.part
    const part = all.filter(({ key }) => sieve.offers(this.#kind, key))
    this.#viewed.set(sieve, { all, part })
    return part
  }

  #partsOf(all: readonly NamedList<E>[], sieve: Sieve): readonly NamedList<E>[] {
    const known = this.#viewedLists.get(sieve)
    if (known?.all === all) return known.part
    const offered = (entries: readonly E[]): readonly E[] => entries.filter(({ key }) => sieve.offers(this.#kind, key))
    const part = all.map(({ name, entries }) => ({ name, entries: offered(entries) }))
    this.#viewedLists.set(sieve, { all, part })
    return part
  }

  #all(caller: Caller, withinMs: number): Awaitable<readonly E[]> {
    const [first] = this.#parts
    if (first && this.#parts.length === 1) return this.#listOf(first, caller, withinMs)
    const lists = this.#parts.map(part => this.#listOf(part, caller, withinMs))
    return after(all(lists), settled => this.#merge(settled))
  }

  #listOf({ name, shelf }: Part<E>, caller: Caller, withinMs: number): Awaitable<readonly E[]> {
    try {
      const list = shelf.list(caller)
      if (!(list instanceof Promise)) return list
      return within(list, withinMs, () => tooLate(withinMs)).catch((error: unknown) => this.#failed(name, error))
    } catch (error) {
      return this.#failed(name, error)
    }
  }

  #failed(name: string, error: unknown): readonly E[] {
    this.#onFailure(name, error)
    return NOTHING
  }

  /** The same arrays as long as the lists are the same. */
  #distinct(parts: readonly Part<E>[], lists: readonly (readonly E[])[]): readonly NamedList<E>[] {
    const last = this.#lastNamed
    if (last && isSame(last.lists, lists)) return last.named
    const seen = new Set<string>()
    const named = lists.map((list, i) => {
      const isLeftOut = (entry: E): boolean => seen.has(entry.key) || isForApps(entry)
      const own = list.some(isLeftOut) ? list.filter(entry => !isLeftOut(entry)) : list
      for (const { key } of list) seen.add(key)
      return { name: parts[i]?.name ?? '', entries: own }
    })
    this.#lastNamed = { lists, named }
    return named
  }

  /** The same array as long as the lists are the same, so that pages made of it can be kept. */
  #merge(lists: readonly (readonly E[])[]): readonly E[] {
    const last = this.#last
    if (last && isSame(last.lists, lists)) return last.merged
    const byKey = new Map<string, E>()
    for (const entry of lists.flat()) if (!byKey.has(entry.key)) byKey.set(entry.key, entry)
    const merged = [...byKey.values()]
    this.#last = { lists, merged }
    return merged
  }
}

const shownTo = <E extends Entry>(entry: E | undefined, caller: Caller): E | undefined =>
  entry?.withoutApps === null && !showsViews(caller) ? undefined : entry
const NO_SIEVES: readonly Sieve[] = []

const sievesOf = ({ view, rights }: Caller): readonly Sieve[] =>
  view || rights ? [view, rights].filter(one => one !== undefined) : NO_SIEVES

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((list, i) => list === other[i])

type Found<E> = Awaitable<E | undefined>

/** A source that fails to look does not hide what another one has; its failure is reported if no source has it. */
function findIn<E extends Entry>(parts: readonly Part<E>[], key: string, caller: Caller, failure?: Failure): Found<E> {
  let failed = failure
  for (let i = 0; i < parts.length; i++) {
    try {
      const found = parts[i]?.shelf.find(key, caller)
      if (found instanceof Promise) return orIn(found, parts.slice(i + 1), key, { caller, failed })
      if (found) return found
    } catch (error) {
      failed = { error }
    }
  }
  if (failed) throw failed.error
  return undefined
}

interface Failure {
  readonly error: unknown
}

const orIn = <E extends Entry>(
  found: Promise<E | undefined>,
  rest: readonly Part<E>[],
  key: string,
  { caller, failed }: { caller: Caller; failed: Failure | undefined },
): Promise<E | undefined> =>
  found.then(
    entry => entry ?? findIn(rest, key, caller, failed),
    (error: unknown) => findIn(rest, key, caller, { error }),
  )

const NOTHING: readonly never[] = []

function tooLate(ms: number): never {
  throw new Error(`It did not answer within ${ms / 1000} s`)
}
