import type { Context } from '@causeway/engine'
import { isUnder } from '../../../support/files/jail.ts'
import { shown as shownPath } from '../../../support/files/shown.ts'
import { languageOf } from '../../analysis/parse/grammar.ts'
import type { FileMetrics } from '../../analysis/measure/metrics.ts'
import type { Definition } from '../../analysis/symbols/definition.ts'
import type { Occurrence } from '../../analysis/uses/occurrences.ts'
import type { ServerKind } from '../../servers/kinds.ts'
import { isAmong, referencesOf } from '../../servers/references.ts'
import type { Known } from '../../servers/references.ts'
import type { Bench, Measured } from '../analysis.ts'
import { isNamed } from '../symbol-name.ts'

/** Uses of a name, those of other things with that name left out where a language server knows them. */
export interface Narrowed extends Measured {
  /** Who says so: a language server, or the parser. */
  readonly source: string
  /** Why it was not, or not only, a server. */
  readonly notes: readonly string[]
  /** Places of the name that the server does not take for a use of what is meant. */
  readonly others: readonly Other[]
}

/** A place that has the name and means something else, or nothing that the server knows. */
export interface Other {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** What is meant by a name. */
export interface Meant {
  readonly name: string
  readonly container?: string | undefined
  /** What was looked at. */
  readonly path: string
  /** Only this one of the definitions. */
  readonly only?: { readonly file: string; readonly line: number } | undefined
}

/** Said of what parsers found. */
export const PARSER = 'parser'

const MOST_DEFINITIONS = 10
const MOST_EXTRA = 2000
const LONGEST_LINE = 200

/** What the parser found, and no server was asked about. */
export const byParser = (found: Measured): Narrowed => ({ ...found, source: PARSER, notes: [], others: [] })

/** Ask language servers which places of a name are uses of what is meant. */
export async function narrow(bench: Bench, found: Measured, meant: Meant, ctx: Context): Promise<Narrowed> {
  const { servers, jail } = bench
  if (!servers) return byParser(found)
  const scope = await jail.resolve(meant.path)
  const { root } = jail.below(scope)
  const kinds = grouped(found.files, ({ file }) => servers.kindOf(languageOf(file)))
  const files: FileMetrics[] = []
  const sources = new Set<string>()
  const notes: string[] = []
  const others: Other[] = []
  for (const [kind, group] of kinds) {
    const answer = kind && (await judged(bench, { kind, group, meant, root }, ctx))
    if (answer === undefined || 'why' in answer) {
      if (answer?.why !== undefined) notes.push(answer.why)
      if (group.some(hasPlaces)) sources.add(PARSER)
      files.push(...group)
      continue
    }
    sources.add(answer.source)
    const kept = sifted(bench, group, answer.known, others)
    files.push(...kept, ...extras(bench, { group: kept, known: answer.known, scope }))
    if (answer.known.outside > 0) notes.push(`${answer.known.outside} uses lie outside of the roots`)
  }
  files.sort((a, b) => (a.file < b.file ? -1 : 1))
  return { ...found, files, source: [...sources].join('; ') || PARSER, notes, others }
}

function grouped<K, T>(list: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const one of list) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}

const placesOf = ({ findings }: FileMetrics): readonly Occurrence[] => findings?.occurrences?.places ?? []
const isCode = ({ role }: Occurrence): boolean => role !== 'comment' && role !== 'string'
const hasPlaces = (file: FileMetrics): boolean => placesOf(file).some(isCode)

interface Judging {
  readonly kind: ServerKind
  readonly group: readonly FileMetrics[]
  readonly meant: Meant
  readonly root: string
}

type Judged = { readonly known: Known; readonly source: string } | { readonly why: string | undefined }

async function judged({ servers, jail }: Bench, { kind, group, meant, root }: Judging, ctx: Context): Promise<Judged> {
  if (!servers || !group.some(hasPlaces)) return { why: undefined }
  const definitions = group.flatMap(file =>
    placesOf(file).flatMap(({ definition, at }) =>
      definition && isMeant(file.file, definition, meant) ? [{ file: file.file, at }] : [],
    ),
  )
  if (definitions.length === 0) return { why: undefined }
  if (definitions.length > MOST_DEFINITIONS)
    return { why: `${meant.name} is defined ${definitions.length} times: name one, as in Type.${meant.name}` }
  const first = new Set(definitions.map(({ file }) => file))
  const names = [...first, ...group.filter(hasPlaces).flatMap(({ file }) => (first.has(file) ? [] : [file]))]
  const real = new Map<string, string>()
  for (const name of names) real.set(name, await jail.resolve(name))
  const served = await servers.use(kind, root, ctx, desk =>
    referencesOf(desk, jail, {
      name: meant.name,
      files: names.map(name => real.get(name) ?? ''),
      definitions: definitions.map(({ file, at }) => ({ path: real.get(file) ?? '', at })),
    }),
  )
  if ('why' in served) return served
  if (served.made === undefined) return { why: `${served.source} does not know the definition` }
  return { known: served.made, source: served.source }
}

function isMeant(file: string, definition: Definition, { container, only }: Meant): boolean {
  if (definition.kind === 'import') return false
  return only ? file === only.file && definition.line === only.line : isNamed(definition, container)
}

/** The places that the server knows, and those in files that it was not shown. */
function sifted({ jail }: Bench, group: readonly FileMetrics[], known: Known, others: Other[]): FileMetrics[] {
  const byName = new Map([...known.documents.values()].map(one => [shownPath(jail, one.path), one]))
  return group.map(file => {
    const document = byName.get(file.file)
    const occurrences = file.findings?.occurrences
    if (!document || !occurrences) return file
    const listed = known.places.get(document.path) ?? []
    const places = occurrences.places.filter(place => {
      if (!isCode(place) || place.definition || isAmong(listed, document, place.at)) return true
      others.push({ file: file.file, line: place.line, text: place.text })
      return false
    })
    return { ...file, findings: { ...file.findings, occurrences: { ...occurrences, places } } }
  })
}

/** Uses under another name, which no parser could find. */
function extras(
  { jail }: Bench,
  { group, known, scope }: { readonly group: readonly FileMetrics[]; readonly known: Known; readonly scope: string },
): FileMetrics[] {
  const taken = new Map(group.map(file => [file.file, new Set(placesOf(file).map(({ line }) => line))]))
  const more: FileMetrics[] = []
  for (const [path, places] of known.places) {
    if (!isUnder(scope, path)) continue
    const file = shownPath(jail, path)
    const lines = [...new Set(places.map(({ range }) => range.start.line + 1))]
    const added = lines.filter(line => taken.get(file)?.has(line) !== true).slice(0, MOST_EXTRA)
    if (added.length === 0) continue
    const positions = known.documents.get(path)?.positions
    const made = added.map((line): Occurrence => {
      const column = (places.find(({ range }) => range.start.line + 1 === line)?.range.start.character ?? 0) + 1
      const text = (positions?.line(line - 1) ?? '').trim().slice(0, LONGEST_LINE)
      return { role: 'use', at: 0, line, column, text }
    })
    more.push({ file, lines: 0, functions: [], findings: { occurrences: { places: made, heritage: {} } } })
  }
  return more
}

const MOST_OTHERS = 20

/** Who found it, for an answer. */
export const sourced = ({ source, notes, others }: Narrowed): object => ({
  source,
  ...(notes.length > 0 && { source_notes: notes }),
  ...(others.length > 0 && { not_references: others.length }),
})

/** The same for people. */
export function sourceLines({ source, notes, others }: Narrowed): string[] {
  const rest = others.length > MOST_OTHERS ? `, and ${others.length - MOST_OTHERS} more` : ''
  const places = others.slice(0, MOST_OTHERS).map(({ file, line }) => `${file}:${line}`)
  return [
    `Source: ${source}.${notes.map(note => ` ${note.replace(/\.?$/, '.')}`).join('')}`,
    ...(others.length === 0 ? [] : [`Same name, but not a reference to it: ${places.join(', ')}${rest}.`]),
  ]
}
