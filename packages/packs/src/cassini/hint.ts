import { NAME_KINDS, closest, renamedIn, shorten } from './database/names.ts'
import type { NameKind } from './database/names.ts'
import type { Filter } from './plan/observation.ts'
import type { Provenance } from './plan/provenance.ts'
import type { Store } from './database/store.ts'

/** What a result says in addition to its data: how it read a name, why it is empty, what the caller may have meant. */
export interface Hint {
  readonly message?: string
  readonly suggestions?: readonly string[]
}

/** What was asked, and how it was read. */
export interface Reading {
  readonly written: Filter
  readonly read: Filter
  readonly about: Provenance
  readonly total: number
  /** Were words looked for too? */
  readonly hasWords?: boolean
}

/** What to say to a result. */
export async function hintFor(
  store: Store,
  { written, read, about, total, hasWords = false }: Reading,
  signal: AbortSignal,
): Promise<Hint> {
  const renamed = renamedIn(written, read).join('; ')
  const note = renamed === '' ? undefined : `The ${renamed}.`
  if (total > 0) return note === undefined ? {} : { message: note }
  const { message, suggestions } =
    (await wrongName(store, read, signal)) ?? (await wrongRange(store, read, { about, hasWords }, signal))
  const said = [note, message].filter(words => words !== undefined).join(' ')
  return { ...(said !== '' && { message: said }), ...(suggestions && { suggestions }) }
}

async function wrongName(store: Store, filter: Filter, signal: AbortSignal): Promise<Hint | undefined> {
  for (const kind of NAME_KINDS) {
    const name = filter[kind]
    if (name === undefined) continue
    const { value } = await store.ask({ kind: 'names', of: kind }, signal)
    const known = value.map(row => row.name)
    if (!known.includes(name)) return unknownName(kind, name, known)
  }
  return undefined
}

async function wrongRange(
  store: Store,
  filter: Filter,
  { about, hasWords }: Pick<Reading, 'about' | 'hasWords'>,
  signal: AbortSignal,
): Promise<Hint> {
  const { from, to } = filter
  if (from === undefined && to === undefined) return {}
  if (from !== undefined && to !== undefined && from > to) return { message: 'The range ends before it begins.' }
  const covered = `The plan has observations from ${about.first} to ${about.last}.`
  if (to !== undefined && to < about.first) return { message: `The range ends before the mission begins. ${covered}` }
  if (from !== undefined && from > about.last) return { message: `The range begins after the mission ends. ${covered}` }
  const isNarrowed = hasWords || NAME_KINDS.some(kind => filter[kind] !== undefined)
  return isNarrowed ? { message: `Nothing of that starts within the range. ${covered}` } : gap(store, filter, signal)
}

/** The range lies between two observations. */
async function gap(store: Store, filter: Filter, signal: AbortSignal): Promise<Hint> {
  const { value } = await store.ask({ kind: 'around', filter }, signal)
  const [before, after] = value
  const nearest = [before && `the last one before it at ${before}`, after && `the first one after it at ${after}`]
  return { message: `No observation starts within the range: ${nearest.filter(Boolean).join(', ')}.` }
}

/** So many names are listed; an imported file may have any number. */
const MOST = 50

const LISTS: Readonly<Record<NameKind, (known: readonly string[]) => string>> = {
  team: known => `Teams: ${known.slice(0, MOST).toSorted().join(', ')}.`,
  target: () => 'See list_targets for all of them.',
  spass_type: known =>
    `Types: ${known
      .slice(0, MOST)
      .map(name => (name === '' ? 'empty' : name))
      .join(', ')}.`,
}

function unknownName(kind: NameKind, written: string, known: readonly string[]): Hint {
  const suggestions = closest(written, known)
  const meant = suggestions.length > 0 ? `Did you mean ${suggestions.map(name => `'${name}'`).join(' or ')}? ` : ''
  return { message: `There is no ${kind} '${shorten(written)}'. ${meant}${LISTS[kind](known)}`, suggestions }
}
