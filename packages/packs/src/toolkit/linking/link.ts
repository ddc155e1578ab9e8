import { walk } from '../../support/files/walk.ts'
import type { Met } from '../../support/files/walk.ts'
import { languageOf } from '../analysis/parse/grammar.ts'
import type { Language } from '../analysis/parse/grammar.ts'
import type { Link } from '../analysis/links/links.ts'
import { readConfig } from './config/read-config.ts'
import type { Resolution } from './resolution.ts'
import { csharp, definitionsOf, java, php, usedByName } from './resolve/by-name.ts'
import type { Definitions, Linked } from './resolve/by-name.ts'
import { go, includes } from './resolve/compiled.ts'
import { ruby, shell } from './resolve/dynamic.ts'
import { python } from './resolve/python.ts'
import type { Project, Resolver } from './resolve/resolver.ts'
import { rust } from './resolve/rust.ts'
import { rustModules } from './resolve/rust-modules.ts'
import { offeredBy, scripts } from './resolve/script.ts'
import { treeOf } from './tree.ts'

/** The files of a root whose links are to be followed; data that crosses threads. */
export interface Linking {
  readonly root: string
  /** By their paths from the root. */
  readonly files: readonly Linked[]
}

/** A link between two files of a root. */
export interface Edge {
  readonly from: string
  readonly to: string
  /** Only for types, or only as a part of itself: no code of the one runs the other's. */
  readonly how?: 'type' | 'declares' | undefined
}

/** A link that leads nowhere. */
export interface Unresolved {
  readonly file: string
  readonly line: number
  readonly import: string
}

/** Where the links of a root lead. */
export interface Network {
  readonly edges: readonly Edge[]
  readonly unresolved: readonly Unresolved[]
  /** What others made, by file. */
  readonly outside: Readonly<Record<string, readonly string[]>>
  /** By file: those whose exports can all be had from it. */
  readonly gives: Readonly<Record<string, readonly string[]>>
  /** Files that packages offer to others. */
  readonly offered: readonly string[]
}

const LONGEST = 200

/** Follow the links of files, by all that the files of their root say about names. */
export function linkFiles({ root, files }: Linking): Network {
  const tree = treeOf(pathsBelow(root))
  const project: Project = { tree, config: readConfig(root, tree) }
  const definitions = definitionsOf(files)
  const resolverOf = resolvers(project, files, definitions)
  const found: Found = { edges: new Map(), unresolved: [], outside: new Map(), gives: new Map() }
  for (const { file, links } of files) {
    for (const link of links.links) follow(found, file, link, resolverOf(languageOf(file)))
    for (const { to } of usedByName(file, definitions)) join(found.edges, file, { to, line: 0 }, { files: [to] })
  }
  return {
    edges: [...found.edges.values()],
    unresolved: found.unresolved,
    outside: Object.fromEntries([...found.outside].map(([file, names]) => [file, [...names].sort()])),
    gives: Object.fromEntries(found.gives),
    offered: offeredFiles(project, files),
  }
}

interface Found {
  readonly edges: Map<string, Edge>
  readonly unresolved: Unresolved[]
  readonly outside: Map<string, Set<string>>
  readonly gives: Map<string, string[]>
}

function follow({ edges, unresolved, outside, gives }: Found, file: string, link: Link, resolver?: Resolver): void {
  const found = resolver?.(file, link) ?? { files: [], outside: '' }
  if (found.outside) outside.set(file, (outside.get(file) ?? new Set()).add(found.outside))
  if (found.files.length === 0 && found.outside === undefined && link.how !== 'augments')
    unresolved.push(missing(file, link))
  join(edges, file, link, found)
  if (givesAll(link)) gives.set(file, [...(gives.get(file) ?? []), ...found.files])
}

/** `export *`, `from x import *`, `pub mod x;` and `pub use x::*`. */
const givesAll = ({ to, as, how, open }: Link): boolean =>
  as === '*' || (open === true && (how === 'declares' || to.endsWith('::*')))

function offeredFiles(project: Project, files: readonly Linked[]): string[] {
  const { crates, libraries } = project.config
  const isOfLibrary = (file: string): boolean =>
    /\.(?:php|cs)$/.test(file) && libraries.some(folder => folder === '' || file.startsWith(`${folder}/`))
  const open = files.map(({ file }) => file).filter(isOfLibrary)
  return [...offeredBy(project), ...crates.flatMap(({ lib }) => lib ?? []), ...open]
}

const missing = (file: string, { to, line }: Link): Unresolved => ({ file, line, import: to.slice(0, LONGEST) })

const KINDS: Readonly<Record<string, Edge['how']>> = { type: 'type', augments: 'type', declares: 'declares' }

function join(edges: Map<string, Edge>, from: string, { how }: Link, { files }: Resolution): void {
  const kind = KINDS[how ?? '']
  for (const to of files) {
    const key = `${from}\0${to}`
    const known = edges.get(key)
    // What is used once is used, whatever else is taken.
    if (to !== from && (!known || known.how !== undefined)) edges.set(key, { from, to, ...(kind && { how: kind }) })
  }
}

function resolvers(
  project: Project,
  files: readonly Linked[],
  definitions: Definitions,
): (language: Language | undefined) => Resolver | undefined {
  const made = new Map<Language, Resolver>()
  const make: Readonly<Partial<Record<Language, () => Resolver>>> = {
    javascript: () => scripts(project),
    python: () => python(project),
    rust: () => rust(rustModules(project.config.crates, files, project.tree)),
    go: () => go(project),
    cpp: () => includes(project),
    java: () => java(definitions),
    csharp: () => csharp(definitions),
    php: () => php(project, definitions),
    ruby: () => ruby(project),
    shell: () => shell(project),
  }
  return language => {
    const family = language && SCRIPTS.has(language) ? 'javascript' : language
    const known = family && (made.get(family) ?? make[family]?.())
    if (family && known) made.set(family, known)
    return known
  }
}

const SCRIPTS = new Set<Language>(['typescript', 'tsx', 'component'])

// What a program put there. What others wrote and this project keeps, such as `vendor`, is found, but not read.
const INSTALLED = new Set(['node_modules', 'target', '.venv', '__pycache__'])

/** Every file of a root that is not ignored, by its path. */
function pathsBelow(root: string): string[] {
  const paths: string[] = []
  const visit = ({ kind, name, path }: Met): 'on' | 'over' | 'end' => {
    if (kind === 'file') paths.push(path)
    if (paths.length > MOST_PATHS) return 'end'
    return kind === 'directory' && !INSTALLED.has(name) ? 'on' : 'over'
  }
  walk([{ path: '' }], { root, ignored: 'skip', visit })
  return paths
}

const MOST_PATHS = 1_000_000
