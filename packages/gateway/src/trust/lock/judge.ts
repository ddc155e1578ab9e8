import { isObject } from '@causeway/engine/internal'
import type { Lists } from '../../source/fetch-lists.ts'
import { compare } from './compare.ts'
import type { Change, ChangeClass } from './compare.ts'
import { FEATURES, instructionsOf } from './features.ts'
import type { FeatureKind } from './features.ts'
import { coveredBy, firstHash, hashOf, printOf, shapeOf } from './fingerprint.ts'
import type { Definition } from './fingerprint.ts'
import type { LockedFeature, LockedFeatures, LockedUpstream } from './lock-file.ts'
import { textChanges } from './text-changes.ts'

/** One feature that is not what was approved. */
export interface Held {
  readonly kind: FeatureKind['kind'] | 'instructions' | 'server'
  readonly name: string
  readonly change: ChangeClass | 'renamed'
  readonly details: readonly string[]
  /** The definition that was approved, if the lock has it, and the one there is now. */
  readonly before?: Definition | undefined
  readonly after?: Definition | undefined
}

const EARLIER = 'the lock is of an earlier version and does not cover it: run causeway lock again'
const MOST_NAMED = 5

/** What of a server is not as it was approved. */
export function judge(locked: LockedUpstream | undefined, lists: Lists): Held[] {
  if (!locked) return [{ kind: 'server', name: '', change: 'new', details: ['the server is not in the lock'] }]
  return [
    ...FEATURES.flatMap(feature => judgeKind(feature, locked, lists)),
    ...judgeOne('instructions', 'instructions', { locked: locked.instructions, now: instructionsOf(lists) }),
  ]
}

function judgeKind({ kind, member, listed }: FeatureKind, locked: LockedUpstream, lists: Lists): Held[] {
  const features: LockedFeatures = locked[member] ?? {}
  const now = new Map(listed(lists))
  const names = new Set([...now.keys(), ...Object.keys(features)])
  const isCovered = locked[member] !== undefined
  const held = [...names].flatMap(name => {
    const known = Object.hasOwn(features, name) ? features[name] : undefined
    return judgeOne(kind, name, { locked: known, now: now.get(name), isCovered })
  })
  return kind === 'tool' ? renamed(held, features) : held
}

interface Both {
  readonly locked: LockedFeature | undefined
  readonly now: Definition | undefined
  /** Does the lock cover its kind? */
  readonly isCovered?: boolean
}

function judgeOne(kind: Held['kind'], name: string, { locked, now, isCovered = true }: Both): Held[] {
  const before = isObject(locked) ? locked : undefined
  if (!now) {
    return locked === undefined ? [] : [{ kind, name, change: 'gone', details: ['it is gone'], before }]
  }
  if (locked !== undefined && isSame(kind, locked, now)) return []
  const after = coveredBy(now)
  if (locked === undefined) {
    return [{ kind, name, change: 'new', details: [isCovered ? 'it is not in the lock' : EARLIER], after }]
  }
  return [{ kind, name, ...changeOf(kind, before, after), before, after }]
}

function isSame(kind: Held['kind'], locked: LockedFeature, now: Definition): boolean {
  // Version 1 hashed the text of instructions alone.
  if (typeof locked === 'string')
    return locked === printOf(now) || (kind === 'instructions' && locked === hashOf(now.text))
  return Array.isArray(locked) ? locked[0] === firstHash(now) : printOf(locked as Definition) === printOf(now)
}

function changeOf(kind: Held['kind'], before: Definition | undefined, after: Definition): Change {
  if (!before)
    return { change: 'words', details: ['its definition changed, or has parts that the lock does not cover'] }
  if (kind === 'tool') return compare(before, after)
  const members = [...new Set(textChanges(before, after).map(({ where }) => where))]
  const more = members.length > MOST_NAMED ? ` and ${members.length - MOST_NAMED} more` : ''
  return { change: 'words', details: [`its ${members.slice(0, MOST_NAMED).join(', ')}${more} changed`] }
}

/** A tool that is new and shaped like one that is gone is that one under another name. */
function renamed(held: readonly Held[], features: LockedFeatures): Held[] {
  const gone = new Map<string, Held>()
  for (const one of held) {
    const shape = one.change === 'gone' ? lockedShape(features[one.name]) : undefined
    if (shape !== undefined) gone.set(shape, one)
  }
  const found = new Set<Held>()
  const changed = held.map(one => {
    const old = one.change === 'new' && one.after ? gone.get(shapeOf(one.after)) : undefined
    if (!old || found.has(old)) return one
    found.add(old)
    return { ...one, change: 'renamed', details: [`it was '${old.name}'`], before: old.before } as const
  })
  return changed.filter(one => !found.has(one))
}

function lockedShape(locked: LockedFeature | undefined): string | undefined {
  if (Array.isArray(locked)) return locked[1] as string
  return isObject(locked) ? shapeOf(locked) : undefined
}
