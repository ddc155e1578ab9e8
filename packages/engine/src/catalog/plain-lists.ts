import type { Caller } from '../call.ts'
import { showsViews } from '../protocol/apps.ts'
import type { Entry, Info } from './shelf.ts'

/** Is it there for views alone, so that no model is offered it? */
export const isForApps = (entry: Entry): boolean => entry.withoutApps === null

/** What a caller sees of an entry; undefined if it sees nothing of it. */
export function infoFor({ info, withoutApps }: Entry, caller: Caller): Info | undefined {
  if (withoutApps === undefined || showsViews(caller)) return info
  return withoutApps ?? undefined
}

/** Lists as clients see them that show no views: the same array for the same list. */
export class PlainLists<E extends Entry> {
  readonly #made = new WeakMap<readonly E[], readonly E[]>()

  of(list: readonly E[]): readonly E[] {
    const known = this.#made.get(list)
    if (known) return known
    const plain = list.some(({ withoutApps }) => withoutApps !== undefined) ? list.flatMap(plainEntry) : list
    this.#made.set(list, plain)
    return plain
  }
}

function plainEntry<E extends Entry>(entry: E): readonly E[] {
  const { withoutApps } = entry
  if (withoutApps === undefined) return [entry]
  return withoutApps === null ? [] : [{ ...entry, info: withoutApps }]
}
