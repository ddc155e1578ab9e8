import type { Occurrence } from '../analysis/uses/occurrences.ts'
import { decide } from './decide.ts'
import { ownerOf } from './facts.ts'
import type { Facts, Placed } from './facts.ts'
import { relatives } from './members.ts'

/** A place that speaks against a rename. */
export interface Objection {
  readonly file: string
  readonly line: number
  readonly text: string
  readonly why: string
}

/** What a rename would change, or why it cannot be. */
export interface Plan {
  /** The places to change, by file. */
  readonly changes: ReadonlyMap<string, readonly Occurrence[]>
  readonly objections: readonly Objection[]
  /** Mentions that stay as they are. */
  readonly left: { readonly comments: number; readonly strings: number }
}

/** Which mentions that are no code are changed too. */
export interface Also {
  readonly comments: boolean
  readonly strings: boolean
}

/** Think a rename out: every place is looked at, and one that nobody can judge speaks against all. */
export function planRename(facts: Facts, also: Also): Plan {
  const changes = new Map<string, Occurrence[]>()
  const objections: Objection[] = relatives(facts).map(({ file, definition }) => ({
    file,
    line: definition.line,
    text: `${ownerOf(definition) ?? ''}.${definition.name}`,
    why: 'a related type has a member of this name, and would not be its override any more',
  }))
  const left = { comments: 0, strings: 0 }
  for (const placed of facts.places) {
    const { file, place } = placed
    const verdict = isText(place) ? ofText(place, also) : decide(facts, placed)
    if (verdict === 'left') left[place.role === 'comment' ? 'comments' : 'strings'] += 1
    else if (typeof verdict === 'object') objections.push(objection(placed, verdict.unclear))
    else if (verdict === 'yes') changes.set(file, [...(changes.get(file) ?? []), place])
  }
  return { changes, objections, left }
}

const isText = ({ role }: Occurrence): boolean => role === 'comment' || role === 'string'

const ofText = ({ role }: Occurrence, { comments, strings }: Also): 'yes' | 'left' =>
  (role === 'comment' ? comments : strings) ? 'yes' : 'left'

const objection = ({ file, place }: Placed, why: string): Objection => ({
  file,
  line: place.line,
  text: place.text,
  why,
})

/** Where the new name is taken already, in the files that would be changed. */
export function takenBy(facts: Facts, changed: ReadonlySet<string>, places: readonly Placed[]): Objection | undefined {
  const taken = places.find(({ file, place }) => {
    if (!changed.has(file) && file !== facts.target.file) return false
    if (isText(place) || place.role === 'key') return false
    if (!facts.isMember) return place.receiver === undefined
    const owner = place.definition && ownerOf(place.definition)
    return place.definition !== undefined && owner === facts.owner
  })
  return taken && objection(taken, 'the new name is there already')
}

/** A text with a name replaced at some places. */
export function renamed(
  source: string,
  places: readonly Occurrence[],
  { from, to }: { from: string; to: string },
): string {
  const parts: string[] = []
  let at = 0
  for (const place of [...places].sort((a, b) => a.at - b.at)) {
    parts.push(source.slice(at, place.at), place.shorthand === 'value' ? `${from}: ${to}` : to)
    at = place.at + from.length
  }
  return [...parts, source.slice(at)].join('')
}
