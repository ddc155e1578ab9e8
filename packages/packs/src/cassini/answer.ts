import { fault, text } from '@causeway/engine'
import type { EmbeddedResource, Problem, TextContent } from '@causeway/engine'
import { shorten } from './database/names.ts'
import { openingOf, sourceOf } from './plan/provenance.ts'
import type { Provenance } from './plan/provenance.ts'
import { readMoment } from './plan/time.ts'
import type { End } from './plan/time.ts'

/** A result: a sentence or two, the JSON as a resource block, and the same as data. */
export interface Answered<T> {
  readonly content: readonly [TextContent, EmbeddedResource & { readonly resource: { readonly text: string } }]
  readonly structuredContent: Marked<T>
}

/** Data that says first whether it is made up, and where it is from. */
export type Marked<T> = { readonly synthetic: boolean; readonly source: string } & T

const TYPE = 'application/json'

/** What a result is made of. */
export interface Facts<T> {
  readonly about: Provenance
  readonly uri: string
  /** The result in a sentence. */
  readonly words: string
  readonly value: T
}

/** Put a value into blocks; where its data is from stands first in each. */
export function answered<T extends object>({ about, uri, words, value }: Facts<T>): Answered<T> {
  const marked = { synthetic: about.synthetic, source: sourceOf(about), ...value }
  const resource = { uri, mimeType: TYPE, text: JSON.stringify(marked) }
  return { content: [text(`${openingOf(about)} ${words}`), { type: 'resource', resource }], structuredContent: marked }
}

/** `cassini://` and a path; values are encoded, colons of times stay readable. */
export function uriOf(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const encode = (part: string): string => encodeURIComponent(part).replaceAll('%3A', ':')
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encode(value)}`],
  )
  return `cassini://${path.map(encode).join('/')}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`
}

const ENDS: ReadonlySet<string> = new Set(['to', 'end_time', 'end'])
const endOf = (argument: string): End => (ENDS.has(argument) ? 'end' : 'start')

/** Arguments that are times, read; every one that is none is reported at once. */
export function readTimes<K extends string>(
  tool: string,
  given: Readonly<Record<K, string | undefined>>,
): Record<K, string | undefined> {
  const problems: Problem[] = []
  const times = Object.entries<string | undefined>(given).map(([argument, written]) => {
    const read = written === undefined ? undefined : readMoment(written, endOf(argument))
    if (read && 'wrong' in read) problems.push(wrongTime(argument, read.wrong, written ?? ''))
    return [argument, read && 'moment' in read ? read.moment : undefined]
  })
  if (problems.length > 0) refuse(tool, problems)
  return Object.fromEntries(times) as Record<K, string | undefined>
}

/** Refuse arguments in the engine's own way. */
export function refuse(tool: string, problems: readonly Problem[]): never {
  throw fault('invalid-arguments', `Invalid arguments for tool '${tool}'`, { tool, problems })
}

function wrongTime(argument: string, wrong: string, written: string): Problem {
  const sent = `'${shorten(written)}'`
  return { argument, rule: 'time', what: `Parameter '${argument}' ${wrong}, got ${sent}.`, sent }
}
