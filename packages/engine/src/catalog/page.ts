import type { Call, Handle } from '../call.ts'
import { after } from '../awaitable.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cacheable } from '../methods/cacheable.ts'
import type { Result } from '../jsonrpc/message.ts'
import type { Entry, Shelf } from './shelf.ts'

/** Which list a page is of, and how long it may get. */
export interface Paging {
  /** The member of the result that holds the items. */
  readonly member: string
  readonly size: number
  /** How long clients may keep a page, and whether they may share it. */
  readonly cache: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' }
}

/** What is listed to a caller; by default all that a shelf has for the caller. */
export type Choose<T extends Entry> = (items: readonly T[], call: Call) => readonly T[]

/** A list method: pages are made once per state of a shared shelf, so that what is made of them can be kept. */
export function listPages<T extends Entry>(
  shelf: Shelf<T>,
  { member, size, cache }: Paging,
  choose: Choose<T> | undefined,
): Handle {
  const made = new WeakMap<readonly T[], Map<number, Result>>()
  const pageAt = (items: readonly T[], start: number): Result => {
    const pages = made.get(items) ?? new Map<number, Result>()
    made.set(items, pages)
    const known = pages.get(start)
    if (known) return known
    const shown = items.slice(start, start + size).map(({ info }) => info)
    const next = items[start + size]
    const more = next ? { nextCursor: cursorTo(member, next.key, start + size) } : {}
    // What depends on the caller may be kept by that caller alone.
    const varies = !shelf.shared || items.some(({ withoutApps }) => withoutApps !== undefined)
    const page = { [member]: shown, ...more, ...hintFor(items, cache), ...(varies && { cacheScope: 'private' }) }
    if (shelf.shared) cacheable.add(page)
    // Only pages that follow one another from the start are kept, or clients could have any number of them made.
    if (start % size === 0 && start < items.length) pages.set(start, page)
    return page
  }
  return call =>
    after(shelf.list(call.caller), items => {
      const chosen = choose ? choose(items, call) : items
      return pageAt(chosen, startOf(call.params.cursor, member, chosen))
    })
}

/** A list is as old as its oldest part: the shortest time counts, and what one part keeps private all do. */
function hintFor(items: readonly Entry[], { ttlMs, cacheScope }: Paging['cache']): Paging['cache'] {
  if (!items.some(({ cache }) => cache)) return { ttlMs, cacheScope }
  const hints = items.map(({ cache }) => cache ?? { ttlMs, scope: cacheScope })
  const isPrivate = hints.some(({ scope }) => scope === 'private')
  const shortest = hints.reduce((least, hint) => Math.min(least, hint.ttlMs), Infinity)
  return { ttlMs: shortest, cacheScope: isPrivate ? 'private' : 'public' }
}

const cursorTo = (member: string, key: string, start: number): string =>
  Buffer.from(JSON.stringify([member, key, start])).toString('base64url')

/** At the item the cursor names; where it is gone, at the place it had. */
function startOf(cursor: unknown, member: string, items: readonly Entry[]): number {
  if (cursor === undefined) return 0
  const [list, key, start] = read(cursor)
  if (list !== member || typeof key !== 'string' || !isPlace(start)) {
    throw fault('invalid-params', 'Invalid params: unknown cursor. Start again without one.')
  }
  if (items[start]?.key === key) return start
  const index = items.findIndex(item => item.key === key)
  return index < 0 ? start : index
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

function read(cursor: unknown): unknown[] {
  try {
    const value: unknown =
      typeof cursor === 'string' ? JSON.parse(Buffer.from(cursor, 'base64url').toString()) : undefined
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
