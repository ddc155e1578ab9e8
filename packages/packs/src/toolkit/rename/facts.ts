import { posix } from 'node:path'
import { languageOf } from '../analysis/parse/grammar.ts'
import type { Language } from '../analysis/parse/grammar.ts'
import type { FileMetrics } from '../analysis/measure/metrics.ts'
import type { Definition } from '../analysis/symbols/definition.ts'
import type { Occurrence } from '../analysis/uses/occurrences.ts'
import type { Known } from '../structure/resolve.ts'
import type { Verdict } from './verdict.ts'

/** A definition and the file it is in. */
export interface Defined {
  readonly file: string
  readonly definition: Definition
}

/** A place and the file it is in. */
export interface Placed {
  readonly file: string
  readonly place: Occurrence
}

/** All that is known when the places of a name are told apart. */
export interface Facts {
  readonly target: Defined
  readonly language: Language
  /** It is part of a type or object. */
  readonly isMember: boolean
  /** What it is part of, the last name of it. */
  readonly owner: string | undefined
  /** The part of the file in which it is known, if that is a function. */
  readonly holder: { readonly from: number; readonly to: number } | undefined
  /** Definitions that are the same thing: overloads, declarations. */
  readonly same: ReadonlySet<Definition>
  /** Definitions of the same name that are something else. */
  readonly others: readonly Defined[]
  readonly places: readonly Placed[]
  /** Those that declare a variable, by file. */
  readonly locals: ReadonlyMap<string, readonly Placed[]>
  /** What imports of the name mean, by file. */
  readonly imports: Map<string, Verdict>
  /** What types say they are built on. */
  readonly heritage: ReadonlyMap<string, string>
  readonly known: Known
  /** What the project says it depends on: `package.json`, `Cargo.toml`. */
  readonly manifest: string
}

const FAMILIES: readonly (readonly Language[])[] = [['javascript', 'typescript', 'tsx']]
const MEMBERS = new Set(['method', 'field', 'property', 'enumerator', 'event', 'attribute', 'constructor'])

/** Languages whose files use each other. */
export const familyOf = (language: Language): readonly Language[] =>
  FAMILIES.find(family => family.includes(language)) ?? [language]

/** The last name of what a definition is part of. */
export const ownerOf = ({ container }: Definition): string | undefined => container?.split('.').at(-1)

/** Is it reached through something else, rather than by its bare name? */
export const isMemberOf = ({ kind, owner, container }: Definition, language: Language): boolean =>
  (MEMBERS.has(kind) || owner !== undefined) &&
  !(kind === 'enumerator' && language === 'cpp') &&
  // A method of no class is one of every object, called by its bare name.
  !(language === 'ruby' && kind === 'method' && container === undefined && owner === undefined)

/** Put together what is known of a name. */
export function factsOf(
  target: Defined,
  files: readonly FileMetrics[],
  project: Pick<Facts, 'known' | 'heritage' | 'manifest'>,
): Facts {
  const language = languageOf(target.file) ?? 'javascript'
  const family = familyOf(language)
  const own = files.filter(({ file }) => family.includes(languageOf(file) ?? 'javascript'))
  const places = own.flatMap(({ file, findings }) =>
    (findings?.occurrences?.places ?? []).map(place => ({ file, place })),
  )
  const definitions = places.flatMap(({ file, place: { definition } }) =>
    definition && definition.kind !== 'impl' ? [{ file, definition }] : [],
  )
  const isSame = sameAs(target, language)
  const same = new Set(definitions.filter(isSame).map(({ definition }) => definition))
  const at = places.find(({ file, place }) => file === target.file && place.at === target.definition.at)?.place
  const { within } = at ?? {}
  const isLocal = within !== undefined && /function|method|constructor/.test(within.kind)
  return {
    target,
    language,
    isMember: isMemberOf(target.definition, language) && !(isLocal && target.definition.kind === 'function'),
    owner: ownerOf(target.definition),
    holder: isLocal && !isMemberOf(target.definition, language) ? within : undefined,
    same,
    others: definitions.filter(({ definition }) => !same.has(definition)),
    places,
    locals: localsOf(places),
    imports: new Map(),
    ...project,
  }
}

function localsOf(places: readonly Placed[]): Map<string, Placed[]> {
  const locals = new Map<string, Placed[]>()
  for (const one of places) if (one.place.scope) locals.set(one.file, [...(locals.get(one.file) ?? []), one])
  return locals
}

/** Is a definition the same thing as another one: an overload of it, its declaration, its constructor? */
function sameAs({ file, definition: target }: Defined, language: Language): (other: Defined) => boolean {
  const path = target.container ?? ''
  return ({ file: other, definition }): boolean => {
    const container = definition.container ?? ''
    if (isConstructor(definition, target)) return true
    if (other === file && container === path) return isMemberOf(definition, language) === isMemberOf(target, language)
    if (language === 'csharp') return container === path && definition.kind === target.kind
    if (language !== 'cpp') return false
    return isDeclaration(definition, target) && isSamePath(container, path)
  }
}

const hasConstructors = ({ kind }: Definition): boolean => /^(?:class|struct|record|enum|union)$/.test(kind)
const isIn = (container: string, { name }: Definition): boolean => container === name || container.endsWith(`.${name}`)

const isConstructor = ({ kind, container = '' }: Definition, target: Definition): boolean =>
  /constructor|method|prototype|function/.test(kind) && hasConstructors(target) && isIn(container, target)

const isDeclaration = (one: Definition, other: Definition): boolean =>
  [one.kind, other.kind].some(kind => /^(?:prototype|method)$/.test(kind))

const isSamePath = (one: string, other: string): boolean => one === other || isTail(one, other) || isTail(other, one)
const isTail = (long: string, short: string): boolean => short !== '' && long.endsWith(`.${short}`)

/** Is this type built on the other one, as far as is known? */
export function isBuiltOn({ heritage }: Pick<Facts, 'heritage'>, type: string, base: string, depth = 0): boolean {
  const above = heritage.get(type)
  if (above === undefined || depth > 8) return false
  const names: readonly string[] = above.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []
  return names.includes(base) || names.some(name => name !== type && isBuiltOn({ heritage }, name, base, depth + 1))
}

/** The name of the module that a file is. */
export function moduleName(file: string): string {
  const name = posix.basename(file).replace(/\.[^.]+$/, '')
  return /^(?:mod|index|__init__|lib|main)$/.test(name) ? posix.basename(posix.dirname(file)) : name
}
