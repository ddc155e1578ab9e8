import { isObject } from '@causeway/engine/internal'

/** A place at which two values are not the same. */
export interface Difference {
  readonly path: string
  readonly recorded: unknown
  readonly now: unknown
}

const MOST = 20

/** Where two values differ, at most twenty places. */
export function differences(recorded: unknown, now: unknown, path = ''): Difference[] {
  if (Object.is(recorded, now)) return []
  if (Array.isArray(recorded) && Array.isArray(now)) {
    const length = Math.max(recorded.length, now.length)
    return limited(length, at => differences(recorded[at], now[at], `${path}[${at}]`))
  }
  if (isObject(recorded) && isObject(now)) {
    const names = [...new Set([...Object.keys(recorded), ...Object.keys(now)])]
    return limited(names.length, at => {
      const name = names[at] ?? ''
      return differences(recorded[name], now[name], path === '' ? name : `${path}.${name}`)
    })
  }
  return [{ path, recorded, now }]
}

function limited(length: number, of: (at: number) => Difference[]): Difference[] {
  const found: Difference[] = []
  for (let at = 0; at < length && found.length < MOST; at++) found.push(...of(at))
  return found.slice(0, MOST)
}

/** The texts that stand in the place of others: what a server made up, as it is now. */
export function substitutes(
  recorded: unknown,
  now: unknown,
  known: Map<string, string> = new Map(),
): Map<string, string> {
  if (typeof recorded === 'string' && typeof now === 'string') {
    if (recorded !== now && recorded.length >= LEAST) known.set(recorded, now)
  } else if (Array.isArray(recorded) && Array.isArray(now)) {
    for (const [at, one] of recorded.entries()) substitutes(one, now[at], known)
  } else if (isObject(recorded) && isObject(now)) {
    for (const [name, one] of Object.entries(recorded)) substitutes(one, now[name], known)
  }
  return known
}

// A short text is seldom made up.
const LEAST = 8

/** A value in which these texts stand in the place of others. */
export function substituted(value: unknown, known: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return known.get(value) ?? value
  if (Array.isArray(value)) return value.map(one => substituted(one, known))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, substituted(one, known)]))
}
