import { isObject } from '../jsonrpc/message.ts'
import { showInvisible } from './invisible.ts'

const DEEPEST = 64
const WORDS = new Set(['description', 'title'])
// Values, which are sent back as they are, and names.
const VALUES = new Set(['enum', 'const', 'default', 'examples', '_meta'])

type Change = (words: string) => string

/** A definition of another server with nothing hidden in its titles and descriptions; names and values stay exact. */
export const cleanDefinition = <T extends object>(definition: T): T => withWords(definition, showInvisible)

/** A definition with other titles and descriptions: itself where nothing changes. */
export function withWords<T extends object>(definition: T, change: Change): T {
  return changed(definition, { depth: 0, isNames: false, change }) as T
}

interface Place {
  readonly depth: number
  /** A map of names to schemas, whose keys say nothing of what they stand for. */
  readonly isNames: boolean
  readonly change: Change
}

function changed(value: unknown, { depth, isNames, change }: Place): unknown {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  const inner = { depth: depth + 1, isNames: false, change }
  if (Array.isArray(value)) {
    const items = value.map(item => changed(item, inner))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value)
  const members = entries.map(
    ([key, member]) => [key, isNames ? changed(member, inner) : memberOf(key, member, inner)] as const,
  )
  return members.some(([, member], i) => member !== entries[i]?.[1]) ? Object.fromEntries(members) : value
}

function memberOf(key: string, member: unknown, inner: Place): unknown {
  const { change } = inner
  if (typeof member === 'string') return WORDS.has(key) ? change(member) : member
  if (key === 'enumNames' && Array.isArray(member)) return labels(member, change)
  if (VALUES.has(key)) return member
  return changed(member, { ...inner, isNames: key === 'properties' || key === '$defs' || key === 'definitions' })
}

function labels(names: readonly unknown[], change: Change): readonly unknown[] {
  const own = names.map(name => (typeof name === 'string' ? change(name) : name))
  return own.some((name, i) => name !== names[i]) ? own : names
}
