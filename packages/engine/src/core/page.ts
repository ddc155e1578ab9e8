import type { Caller, Handle } from '../call.ts'
import { after } from '../awaitable.ts'
import { fault } from '../jsonrpc/errors.ts'
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

/** A list method: pages are made once per state of the shelf, and frozen, so that what is made of them can be kept. */
export function listPages<T extends Entry>(shelf: Shelf<T>, { member, size, cache }: Paging): Handle {
  const made = new WeakMap<readonly T[], Map<number, Result>>()
  const pageAt = (items: readonly T[], start: number): Result => {
    const pages = made.get(items) ?? new Map<number, Result>()
    made.set(items, pages)
    const known = pages.get(start)
    if (known) return known
    const shown = items.slice(start, start + size).map(({ info }) => info)
    const last = items[start + size - 1]
    const more = items.length > start + size && last ? { nextCursor: cursorAfter(member, last.key, start + size) } : {}
    const page = Object.freeze({ [member]: shown, ...more, ...cache })
    pages.set(start, page)
    return page
  }
  return ({ params, caller }: { params: Result; caller: Caller }) =>
    after(shelf.list(caller), items => pageAt(items, startOf(params.cursor, member, items)))
}

const cursorAfter = (member: string, key: string, start: number): string =>
  Buffer.from(JSON.stringify([member, key, start])).toString('base64url')

/** After the item the cursor names; where it is gone, at the place it had. */
function startOf(cursor: unknown, member: string, items: readonly Entry[]): number {
  if (cursor === undefined) return 0
  const [list, key, start] = read(cursor)
  if (list !== member || typeof key !== 'string' || typeof start !== 'number' || !(start >= 0)) {
    throw fault('invalid-params', 'Invalid params: unknown cursor. Start again without one.')
  }
  if (items[start - 1]?.key === key) return start
  const index = items.findIndex(item => item.key === key)
  return index < 0 ? start : index + 1
}

function read(cursor: unknown): unknown[] {
  try {
    const value: unknown =
      typeof cursor === 'string' ? JSON.parse(Buffer.from(cursor, 'base64url').toString()) : undefined
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
