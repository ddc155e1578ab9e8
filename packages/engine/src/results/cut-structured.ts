/** A list, or a text, of which only the beginning is left. */
export interface Cut {
  /** Where it is, as a JSON Pointer. */
  readonly at: string
  readonly kept: number
  readonly total: number
}

/** What may be cut: lists, texts too, or also objects that have very many members. */
export type Extent = 'lists' | 'texts' | 'members'

interface Cutting {
  readonly cuts: Cut[]
  readonly extent: Extent
  readonly sizes: WeakMap<object, number>
}

// Of a text that has to be cut, so much at least is left.
const SHORTEST_TEXT = 200
// What the value of a member takes, about.
const LEAST_VALUE = 8

/** A value in about so many characters of JSON: lists cut at their ends, and as far as `extent` allows, long texts and large objects too. */
export function cutStructured(
  value: unknown,
  room: number,
  extent: Extent,
): { readonly value: unknown; readonly cuts: readonly Cut[] } {
  const cutting: Cutting = { cuts: [], extent, sizes: new WeakMap() }
  return { value: fit(value, room, '', cutting), cuts: cutting.cuts }
}

/** Characters of a value as JSON, nearly. */
export function jsonSize(value: unknown, sizes: WeakMap<object, number> = new WeakMap()): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return String(value).length
  const known = sizes.get(value)
  if (known !== undefined) return known
  let size = 2
  if (Array.isArray(value)) for (const item of value) size += jsonSize(item, sizes) + 1
  else for (const [key, member] of Object.entries(value)) size += key.length + 4 + jsonSize(member, sizes)
  sizes.set(value, size)
  return size
}

function fit(value: unknown, room: number, at: string, cutting: Cutting): unknown {
  if (jsonSize(value, cutting.sizes) <= room) return value
  if (typeof value === 'string') return fitText(value, room, at, cutting)
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? fitList(value, room, at, cutting) : fitMembers(value, room, at, cutting)
}

function fitText(value: string, room: number, at: string, { cuts, extent }: Cutting): string {
  const kept = Math.max(SHORTEST_TEXT, Math.floor(room))
  if (extent === 'lists' || kept >= value.length) return value
  const end = value.codePointAt(kept - 1) === value.charCodeAt(kept - 1) ? kept : kept - 1
  cuts.push({ at, kept: end, total: value.length })
  return value.slice(0, end)
}

function fitList(list: readonly unknown[], room: number, at: string, cutting: Cutting): unknown[] {
  let left = room - 2
  const end = list.findIndex(item => (left -= jsonSize(item, cutting.sizes) + 1) < 0)
  if (end < 0) return [...list]
  if (end > 0 || list.length === 0) {
    cutting.cuts.push({ at, kept: end, total: list.length })
    return list.slice(0, end)
  }
  // Not even the first fits: a part of it says more than nothing.
  if (list.length > 1) cutting.cuts.push({ at, kept: 1, total: list.length })
  return [fit(list[0], room - 3, `${at}/0`, cutting)]
}

/** Small members stay whole; what is left of the room is shared by those that are larger. */
function fitMembers(value: object, room: number, at: string, cutting: Cutting): object {
  const members = Object.entries(value).map(([key, member]) => ({
    key,
    member: member as unknown,
    size: jsonSize(member, cutting.sizes),
  }))
  const entries = cutting.extent === 'members' ? firstOf(members, room, at, cutting) : members
  let left = room - 2 - entries.reduce((sum, { key }) => sum + key.length + 4, 0)
  const shares = new Map<string, number>()
  let waiting = entries.length
  for (const { key, size } of entries.toSorted((a, b) => a.size - b.size)) {
    const share = Math.min(size, left / waiting)
    shares.set(key, share)
    left -= share
    waiting -= 1
  }
  const path = (key: string): string => `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return Object.fromEntries(
    entries.map(({ key, member }) => [key, fit(member, Math.max(0, shares.get(key) ?? 0), path(key), cutting)]),
  )
}

/** As many members as there is room for the names of, at least a little of each value included. */
function firstOf<M extends { readonly key: string }>(
  all: readonly M[],
  room: number,
  at: string,
  cutting: Cutting,
): readonly M[] {
  let left = room - 2
  const end = all.findIndex(({ key }) => (left -= key.length + 4 + LEAST_VALUE) < 0)
  if (end < 0) return all
  cutting.cuts.push({ at, kept: end, total: all.length })
  return all.slice(0, end)
}
