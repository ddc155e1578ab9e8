import { Lines } from '../parse/lines.ts'
import { hasMembers, isCallable } from './definition.ts'
import type { Definition } from './definition.ts'
import type { Raw } from './raw.ts'

const VALUES = new Set(['assigned', 'constant', 'variable', 'import'])
const OWN = new Set(['this', 'self'])

interface Text {
  readonly source: string
  /** How often each word stands in it. */
  readonly uses: ReadonlyMap<string, number>
}

/** Say of what stands in a file what it is part of; the variables of functions are left out. */
export function nested(found: readonly Raw[], { source, uses }: Text): Definition[] {
  const lines = new Lines(source)
  const open: Raw[] = []
  const seen = new Set<string>()
  return found.flatMap(raw => {
    while (open.length > 0 && isOver(open.at(-1)!, raw)) open.pop()
    const inside = holders(open, raw)
    if (!inside || isInnerName(open.at(-1), raw)) return []
    const kind = kindIn(inside.at(-1), raw)
    if (kind !== 'import') open.push(raw)
    const isElsewhere = raw.owner !== undefined && !OWN.has(raw.owner)
    const above = inside.map(({ name }) => name)
    const container = (isElsewhere ? above.concat(raw.owner ?? []) : above).join('.')
    // What is assigned once more is no other thing.
    const known = `${container}.${raw.name}`
    if (isAgain(raw, known, seen)) return []
    const count = uses.get(raw.name) ?? 0
    return [
      definitionOf(raw, lines, {
        kind,
        container,
        owner: isElsewhere ? raw.owner : undefined,
        depth: inside.length,
        uses: count,
      }),
    ]
  })
}

type Place = Pick<Definition, 'kind' | 'container' | 'owner' | 'depth' | 'uses'>

const definitionOf = (raw: Raw, lines: Lines, { kind, container, owner, depth, uses }: Place): Definition => ({
  name: raw.name,
  kind,
  line: lines.at(raw.at),
  end_line: lines.at(Math.max(0, raw.to - 1)),
  ...(container && { container }),
  ...(owner !== undefined && { owner }),
  ...(raw.signature !== undefined && { signature: raw.signature }),
  depth,
  exported: raw.exported,
  uses,
  at: raw.at,
  from: raw.from,
  to: raw.to,
})

function isAgain({ kind, owner }: Raw, known: string, seen: Set<string>): boolean {
  if (kind !== 'assigned' && owner !== 'self') return false
  const isKnown = seen.has(known)
  seen.add(known)
  return isKnown
}

const isOver = (outer: Raw, { from, to, owner }: Raw): boolean => {
  // `a.go = a.run = () => {}` are two names of one thing.
  const isAlike = to === outer.to && (from === outer.from || (owner !== undefined && outer.owner !== undefined))
  return from >= outer.to || isAlike
}

/** `app.go = function go() {}` is one thing, with a name for itself. */
const isInnerName = (outer: Raw | undefined, { name, to, at }: Raw): boolean =>
  outer !== undefined && outer.name === name && outer.to === to && at > outer.at

/** What something is part of; undefined if it is a variable of a function, which is nobody else's business. */
function holders(open: readonly Raw[], { kind, owner }: Raw): readonly Raw[] | undefined {
  const around = open.findLast(outer => isCallable(outer.kind) || hasMembers(outer.kind))
  if (VALUES.has(kind) && around && isCallable(around.kind)) return undefined
  const isPromoted = kind === 'field' && around !== undefined && isCallable(around.kind)
  if (!isPromoted && (owner === undefined || !OWN.has(owner))) return [...open]
  // What a method puts into its own object is part of the class.
  const type = open.findLastIndex(outer => hasMembers(outer.kind))
  if (type >= 0) return open.slice(0, type + 1)
  return kind === 'field' ? undefined : [...open]
}

function kindIn(outer: Raw | undefined, { kind }: Raw): string {
  const isMember = outer !== undefined && hasMembers(outer.kind)
  if (kind === 'assigned') return isMember ? 'field' : 'constant'
  return isMember && kind === 'function' ? 'method' : kind
}
