import { isObject, parseDuration, parseSize } from '@causeway/engine/internal'

/** A key that may be left out, and what it means then. */
export interface Optional {
  readonly key: string
  readonly fallback: number
  readonly least?: number
}

/** A text, if there is one. */
export function text(value: unknown, key: string, problems: string[]): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  problems.push(`'${key}' must be text`)
  return undefined
}

/** Texts; numbers are taken for what they look like. */
export function list(value: unknown, key: string, problems: string[]): string[] {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every(item => typeof item === 'string' || typeof item === 'number'))
    return value.map(String)
  problems.push(`'${key}' must be a list of texts`)
  return []
}

/** Texts by name. */
export function map(value: unknown, key: string, problems: string[]): Record<string, string> {
  if (value === undefined) return {}
  const fits = (item: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof item)
  if (isObject(value) && Object.values(value).every(fits))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, String(item)]))
  problems.push(`'${key}' must be an object of texts`)
  return {}
}

/** A whole number. */
export function number(value: unknown, { key, fallback, least = 0 }: Optional, problems: string[]): number {
  if (value === undefined) return fallback
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  problems.push(`'${key}' must be a whole number of at least ${least}`)
  return fallback
}

/** A time: milliseconds, or text such as `30s`; `off` and 0 mean none. */
export function durationMs(value: unknown, { key, fallback }: Optional, problems: string[]): number {
  if (value === undefined) return fallback
  if (value === 'off') return 0
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  const ms = typeof value === 'string' ? (parseDuration(value) ?? parseDuration(`${value}ms`)) : undefined
  if (ms !== undefined) return ms
  problems.push(`'${key}' must be milliseconds, or a time such as 30s, 5m or off`)
  return fallback
}

/** A size: bytes, or text such as `10mb`. */
export function sizeBytes(value: unknown, { key, fallback }: Optional, problems: string[]): number {
  if (value === undefined) return fallback
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  const bytes = typeof value === 'string' ? parseSize(value) : undefined
  if (bytes !== undefined && bytes > 0) return bytes
  problems.push(`'${key}' must be bytes, or a size such as 10mb`)
  return fallback
}
