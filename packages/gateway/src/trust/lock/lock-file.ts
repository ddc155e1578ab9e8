import { canonicalJson, isObject } from '@causeway/engine/internal'
import type { UpstreamConfig } from '../../config/upstream-config.ts'
import type { Lists } from '../../source/fetch-lists.ts'
import { kindOf } from '../../upstream/target-kinds.ts'
import { FEATURES, instructionsOf } from './features.ts'
import type { FeatureKind } from './features.ts'
import { coveredBy, hashOf } from './fingerprint.ts'
import type { Definition } from './fingerprint.ts'

/**
 * What was approved of one feature: its definition, or a hash of one that is too large to be kept. Locks of version 1 have
 * the hash, the shape and the hints of tools, and a hash of everything else.
 */
export type LockedFeature = Definition | string | readonly [hash: string, shape: string, hints: string]

/** Features by name. */
export type LockedFeatures = Readonly<Record<string, LockedFeature>>

/** What was approved of one server. A kind that is missing was not covered when the lock was written. */
export interface LockedUpstream extends Readonly<Partial<Record<FeatureKind['member'], LockedFeatures>>> {
  readonly command?: readonly string[]
  readonly url?: string
  /** Names of the variables it gets. */
  readonly env?: readonly string[]
  readonly server?: { readonly name: string; readonly version: string }
  readonly speaks: string
  /** Absent if the server had none. */
  readonly instructions?: LockedFeature
  readonly tools: LockedFeatures
}

/** What was approved, by server. */
export type Lock = Readonly<Record<string, LockedUpstream>>

const VERSION = 2
const LONGEST_KEPT = 64 * 1024

/** A file that is no lock. */
export class MalformedLock extends Error {
  override readonly name = 'MalformedLock'
}

/** The lock in a file's text; one of an earlier version covers less. */
export function parseLock(text: string): Lock {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new MalformedLock(`it is not JSON: ${(error as Error).message}`)
  }
  if (!isObject(value) || (value.lockfileVersion !== VERSION && value.lockfileVersion !== 1)) {
    throw new MalformedLock(`it needs "lockfileVersion": ${VERSION}`)
  }
  if (!isObject(value.upstreams)) throw new MalformedLock('it needs "upstreams"')
  for (const [name, entry] of Object.entries(value.upstreams)) checkEntry(name.slice(0, 100), entry)
  return value.upstreams as Lock
}

function checkEntry(name: string, entry: unknown): void {
  if (!isObject(entry) || !isObject(entry.tools)) throw new MalformedLock(`the server '${name}' has no "tools"`)
  for (const { member } of FEATURES) {
    const features = entry[member]
    if (features !== undefined && !(isObject(features) && Object.values(features).every(isFeature)))
      throw new MalformedLock(`"${member}" of the server '${name}' is not an object of definitions`)
  }
  if (entry.instructions !== undefined && !isFeature(entry.instructions))
    throw new MalformedLock(`"instructions" of the server '${name}' is neither a definition nor a hash`)
}

const isFeature = (value: unknown): boolean => typeof value === 'string' || isObject(value) || Array.isArray(value)

/** Was the entry written by an earlier version, which covers less? */
export const isPartial = (locked: LockedUpstream): boolean => locked.resources === undefined

/** The file's text: a line per feature, in one order, so that a change of one is a change of one line. */
export function formatLock(lock: Lock): string {
  const members = new Set<string>(FEATURES.map(({ member }) => member))
  const servers = sorted(lock).map(([name, entry]) => {
    const lines = sorted(entry as unknown as Record<string, unknown>)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => {
        const features = members.has(key) ? sorted(value as Record<string, unknown>) : []
        if (features.length === 0) return `      ${JSON.stringify(key)}: ${canonicalJson(value)}`
        const inner = features.map(([feature, one]) => `        ${JSON.stringify(feature)}: ${canonicalJson(one)}`)
        return `      ${JSON.stringify(key)}: {\n${inner.join(',\n')}\n      }`
      })
    return `    ${JSON.stringify(name)}: {\n${lines.join(',\n')}\n    }`
  })
  const body = servers.length === 0 ? '{}' : `{\n${servers.join(',\n')}\n  }`
  return `{\n  "lockfileVersion": ${VERSION},\n  "upstreams": ${body}\n}\n`
}

const sorted = <T>(map: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(map).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

/** What the lock says of a server as it is now. */
export function lockedFrom({ target }: UpstreamConfig, lists: Lists): LockedUpstream {
  const features = FEATURES.map(({ member, listed }) => [
    member,
    Object.fromEntries(listed(lists).map(([name, definition]) => [name, lockedFeature(definition)])),
  ])
  const instructions = instructionsOf(lists)
  return {
    ...kindOf(target).locked(target),
    ...(lists.server && { server: lists.server }),
    speaks: lists.speaks,
    ...(instructions && { instructions: lockedFeature(instructions) }),
    ...(Object.fromEntries(features) as Record<FeatureKind['member'], LockedFeatures>),
  }
}

/** The definition itself, so that a change can be shown later; of a very large one only a hash. */
function lockedFeature(definition: Definition): LockedFeature {
  const covered = coveredBy(definition)
  return canonicalJson(covered).length <= LONGEST_KEPT ? covered : hashOf(covered)
}

/** A lock of one server with some of its features as they are now, and all others as they were; undefined for a name that neither has. */
export function approved(
  before: LockedUpstream | undefined,
  now: LockedUpstream,
  names: readonly string[],
): LockedUpstream | undefined {
  const wanted = new Set(names)
  const found = new Set<string>()
  const merged = FEATURES.map(({ member }) => {
    const features = new Map(Object.entries(before?.[member] ?? {}))
    for (const name of wanted) {
      const own = now[member]
      const feature = own && Object.hasOwn(own, name) ? own[name] : undefined
      if (feature !== undefined || features.has(name)) found.add(name)
      if (feature === undefined) features.delete(name)
      else features.set(name, feature)
    }
    return [member, Object.fromEntries(features)]
  })
  const hasNow = wanted.has('instructions')
  if (hasNow) found.add('instructions')
  if (found.size < wanted.size) return undefined
  const { instructions: current, ...facts } = now
  const instructions = hasNow ? current : before?.instructions
  return {
    ...facts,
    ...before,
    ...(Object.fromEntries(merged) as Record<FeatureKind['member'], LockedFeatures>),
    instructions,
  } as LockedUpstream
}
