import { fault, nearest } from '@causeway/engine'
import type { EmbeddedResource, Problem } from '@causeway/engine'
import type { Filter } from './observation.ts'
import type { Store } from './store.ts'
import { readMoment } from './time.ts'

/** An answer as the document has it: one resource block with the JSON as text, and the same as data. */
export interface Answered<T> {
  readonly content: readonly [EmbeddedResource & { readonly resource: { readonly text: string } }]
  readonly structuredContent: T
}

const TYPE = 'application/json'

/** Put a value into the document's block. */
export function answered<T>(uri: string, value: T): Answered<T> {
  const resource = { uri, mimeType: TYPE, text: JSON.stringify(value) }
  return { content: [{ type: 'resource', resource }], structuredContent: value }
}

/** `cassini://` and a path; values are encoded, colons of times stay readable. */
export function uriOf(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const encode = (text: string): string => encodeURIComponent(text).replaceAll('%3A', ':')
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encode(value)}`],
  )
  return `cassini://${path.map(encode).join('/')}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`
}

/** Arguments that are times, read; every one that is none is reported at once. */
export function readTimes<K extends string>(
  tool: string,
  given: Readonly<Record<K, string | undefined>>,
): Record<K, string | undefined> {
  const problems: Problem[] = []
  const times = Object.entries<string | undefined>(given).map(([argument, text]) => {
    const read = text === undefined ? undefined : readMoment(text)
    if (read && 'wrong' in read) problems.push(wrongTime(argument, read.wrong, text ?? ''))
    return [argument, read && 'moment' in read ? read.moment : undefined]
  })
  if (problems.length > 0) refuse(tool, problems)
  return Object.fromEntries(times) as Record<K, string | undefined>
}

/** Refuse arguments in the engine's own way. */
export function refuse(tool: string, problems: readonly Problem[]): never {
  throw fault('invalid-arguments', `Invalid arguments for tool '${tool}'`, { tool, problems })
}

function wrongTime(argument: string, wrong: string, text: string): Problem {
  const sent = `'${text.length > 100 ? `${text.slice(0, 100)}…` : text}'`
  return { argument, rule: 'time', what: `Parameter '${argument}' ${wrong}, got ${sent}.`, sent }
}

/** Why nothing was found, when a name is to blame: what the caller may have meant. */
export interface Hint {
  readonly message?: string
  readonly suggestions?: readonly string[]
}

/** Look for a team or a target that the plan does not have. */
export async function hintFor(store: Store, filter: Filter, signal: AbortSignal): Promise<Hint> {
  for (const kind of ['team', 'target'] as const) {
    const written = filter[kind]
    if (written === undefined) continue
    const { value } = await store.ask({ kind: 'names', of: kind }, signal)
    const known = value.map(({ name }) => name)
    if (!known.includes(written)) return unknownName(kind, written, known)
  }
  if (filter.from !== undefined && filter.to !== undefined && filter.from > filter.to) {
    return { message: 'The range ends before it begins.' }
  }
  return {}
}

function unknownName(kind: 'team' | 'target', written: string, known: readonly string[]): Hint {
  const suggestions = closest(written, known)
  const shown = written.length > 100 ? `${written.slice(0, 100)}…` : written
  const list = kind === 'team' ? `Teams: ${known.toSorted().join(', ')}.` : 'See list_targets for all of them.'
  const meant = suggestions.length > 0 ? `Did you mean ${suggestions.map(name => `'${name}'`).join(' or ')}? ` : ''
  return { message: `There is no ${kind} '${shown}'; names are case-sensitive. ${meant}${list}`, suggestions }
}

const letters = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** The same name written otherwise; else names that begin so, are spelled nearly so, or have it somewhere in them. */
export function closest(written: string, known: readonly string[]): string[] {
  const word = letters(written)
  const same = known.filter(name => letters(name) === word)
  if (same.length > 0) return same
  const akin = (is: (name: string) => boolean): string[] =>
    word.length < 3 ? [] : known.filter(name => is(letters(name)))
  const begun = akin(name => name.startsWith(word))
  const within = akin(name => name.includes(word) || word.includes(name))
  return [...new Set([...begun, ...nearest(written, known), ...within])].slice(0, 3)
}
