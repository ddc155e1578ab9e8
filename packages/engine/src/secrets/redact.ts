import { MASK, isCount, isSecretFlag, isSecretName, maskSecrets } from './secrets.ts'

const DEEPEST = 8
const LONGEST = 1000
const HEAD = 200
const WIDEST = 100
const LONGEST_KEY = 100
// What is shown of one value in all.
const MOST_VALUES = 2000
// So far beyond the cut a secret that begins before it is looked for.
const BEYOND = 4096

/** A JSON Schema whose `x-audit` says what is shown of an argument: its size (`omit`), nothing (`mask`) or its beginning (`head`). */
export type Annotated = Readonly<Record<string, unknown>> | undefined

interface Walk {
  left: number
}

/** A copy fit for a log: secrets masked by name and by look, long, wide and deep things cut. */
export function redact(value: unknown, schema?: Annotated): unknown {
  return copy(value, schema, 0, { left: MOST_VALUES })
}

/** Text fit for a log: secrets masked, then cut. */
export function redactText(text: string, longest: number = LONGEST): string {
  const masked = maskSecrets(text.slice(0, longest + BEYOND))
  return text.length > longest ? `${masked.slice(0, longest)}… (${text.length} characters)` : masked
}

/** Enough of an id that opens something to tell it from others. */
export const shortId = (id: string): string => (id.length > 12 ? `${id.slice(0, 8)}…` : id)

function copy(value: unknown, schema: Annotated, depth: number, walk: Walk): unknown {
  const treatment = schema?.['x-audit']
  if (treatment === 'mask') return MASK
  if (treatment === 'omit') return omitted(value)
  if (typeof value === 'string') return redactText(value, treatment === 'head' ? HEAD : LONGEST)
  if (typeof value === 'bigint') return value.toString()
  return typeof value === 'object' && value !== null ? contents(value, schema, depth, walk) : value
}

function contents(value: object, schema: Annotated, depth: number, walk: Walk): unknown {
  if (depth >= DEEPEST) return '[deep]'
  if (--walk.left < 0) return '[more]'
  if (Array.isArray(value)) return items(value, schema, depth, walk)
  return opaque(value) ?? members(value, schema, depth, walk)
}

/** Objects whose own members say nothing of them. */
function opaque(value: object): unknown {
  if (value instanceof Error)
    return { name: value.name, message: redactText(value.message), stack: redactText(value.stack ?? '') }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof URL) return redactText(value.href)
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  return undefined
}

function items(list: readonly unknown[], schema: Annotated, depth: number, walk: Walk): unknown[] {
  const of = part(schema?.items)
  return list
    .slice(0, WIDEST)
    .map((item, i) => (isSecretFlag(list[i - 1]) && !isShown(item) ? MASK : copy(item, of, depth + 1, walk)))
}

function members(value: object, schema: Annotated, depth: number, walk: Walk): unknown {
  const entries = Object.entries(value).slice(0, WIDEST)
  // `{ name: 'PASSWORD', value: 'x' }`, as lists of variables and headers have it.
  const named = 'name' in value ? value.name : 'key' in value ? value.key : undefined
  const isNamedSecret = typeof named === 'string' && isSecretName(named)
  const properties = part(schema?.properties)
  const shown = (key: string, v: unknown): unknown => {
    const own = properties && Object.hasOwn(properties, key) ? part(properties[key]) : undefined
    if (own?.['x-audit'] !== undefined) return copy(v, own, depth + 1, walk)
    if (isSecret(key, v) || (isNamedSecret && key === 'value' && !isShown(v))) return MASK
    if (/^(?:mcp[-_])?session(?:[-_]?id)?$/i.test(key) && typeof v === 'string') return shortId(v)
    return copy(v, own, depth + 1, walk)
  }
  return Object.fromEntries(entries.map(([key, v]) => [redactText(key, LONGEST_KEY), shown(key, v)]))
}

const part = (schema: unknown): Annotated =>
  typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? (schema as Annotated) : undefined

// Whether there is one is no secret.
const isShown = (value: unknown): boolean => typeof value === 'boolean' || value === null || value === undefined

const isSecret = (key: string, value: unknown): boolean =>
  isSecretName(key) && !isShown(value) && !(typeof value === 'number' && isCount(key, value))

function omitted(value: unknown): string {
  if (typeof value === 'string') return `[omitted: ${value.length} characters]`
  if (Array.isArray(value)) return `[omitted: ${value.length} items]`
  return '[omitted]'
}
