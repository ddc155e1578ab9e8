import type { Params } from '../jsonrpc/message.ts'
import { showInvisible } from './invisible.ts'

const DEEPEST = 1000
// Pictures and sound are no text, and a link must be as it was given.
const EXACT = new Set(['data', 'blob', 'uri', 'mimeType', 'type', 'annotations', '_meta'])

/** The value with nothing hidden in its texts: itself where there is nothing. */
export function shown(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return showInvisible(value)
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  return Array.isArray(value) ? shownItems(value, depth) : shownMembers(value, depth)
}

/** The same list where nothing had to be shown, which is nearly always. */
function shownItems(list: readonly unknown[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined
  for (const [i, item] of list.entries()) {
    const seen = shown(item, depth + 1)
    if (seen !== item) (copy ??= [...list])[i] = seen
  }
  return copy ?? list
}

function shownMembers(value: object, depth: number): object {
  const isBlock = 'type' in value
  let changed: [string, unknown][] | undefined
  for (const key of Object.keys(value)) {
    if (isBlock && EXACT.has(key)) continue
    const member = (value as Params)[key]
    const seen = shown(member, depth + 1)
    if (seen !== member) (changed ??= []).push([key, seen])
  }
  // As own members, whatever their names.
  return changed ? Object.fromEntries([...Object.entries(value), ...changed]) : value
}
