import { isObject } from '../jsonrpc/message.ts'
import { showInvisible } from './invisible.ts'

const DEEPEST = 64
const WORDS = new Set(['description', 'title'])
// Values, which are sent back as they are, and names.
const VALUES = new Set(['enum', 'const', 'default', 'examples', '_meta'])

/** A definition of another server with nothing hidden in its titles and descriptions; names and values stay exact. */
export function cleanDefinition<T extends object>(definition: T): T {
  return cleaned(definition, 0, false) as T
}

function cleaned(value: unknown, depth: number, isNames: boolean): unknown {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  if (Array.isArray(value)) {
    const items = value.map(item => cleaned(item, depth + 1, false))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value)
  const members = entries.map(([key, member]) => [key, memberOf(key, member, depth, isNames)] as const)
  return members.some(([, member], i) => member !== entries[i]?.[1]) ? Object.fromEntries(members) : value
}

/** In a map of names to schemas, a key says nothing of what it stands for. */
function memberOf(key: string, member: unknown, depth: number, isNames: boolean): unknown {
  if (isNames) return cleaned(member, depth + 1, false)
  if (typeof member === 'string') return WORDS.has(key) ? showInvisible(member) : member
  if (VALUES.has(key)) return member
  return cleaned(member, depth + 1, key === 'properties' || key === '$defs' || key === 'definitions')
}
