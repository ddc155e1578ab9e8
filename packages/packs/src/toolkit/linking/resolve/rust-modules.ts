import type { Link } from '../../analysis/links/links.ts'
import type { Crate } from '../config/config.ts'
import { firstFile, folderOf, join, under } from '../tree.ts'
import type { Tree } from '../tree.ts'
import type { Linked } from './by-name.ts'

/** A module: a file, or a part of one. */
export interface Module {
  readonly file: string
  readonly parent: Module | undefined
  readonly root: Module
  readonly crate: Crate
  readonly children: Map<string, Module>
  /** What is defined right in it. */
  readonly items: Set<string>
  /** Names that it takes from elsewhere. */
  readonly uses: Link[]
}

/** The modules of a project. */
export interface Modules {
  /** The top of each library, by the name that code gives it. */
  readonly libraries: ReadonlyMap<string, Module>
  /** By file and the modules inside of it: a file may be a part of several programs. */
  readonly at: ReadonlyMap<string, readonly Module[]>
}

const DEEPEST = 100

/** Build the modules of crates from the files that they begin with. */
export function rustModules(crates: readonly Crate[], files: readonly Linked[], tree: Tree): Modules {
  const building: Building = { links: new Map(files.map(one => [one.file, one])), tree, at: new Map() }
  const libraries = new Map<string, Module>()
  for (const crate of crates) {
    const lib = crate.lib === undefined ? undefined : topOf(building, crate, crate.lib)
    if (lib) libraries.set(crate.name, lib)
    for (const program of crate.programs) topOf(building, crate, program)
  }
  return { libraries, at: building.at }
}

interface Building {
  readonly links: ReadonlyMap<string, Linked>
  readonly tree: Tree
  readonly at: Map<string, Module[]>
}

function topOf(building: Building, crate: Crate, file: string): Module | undefined {
  if (!building.links.has(file)) return undefined
  const top = moduleIn(file, crate, undefined)
  fill(building, top, { folder: folderOf(file), depth: 0 })
  return top
}

function moduleIn(file: string, crate: Crate, parent: Module | undefined): Module {
  const made: Omit<Module, 'root'> & { root?: Module } = {
    file,
    parent,
    crate,
    children: new Map(),
    items: new Set(),
    uses: [],
  }
  return Object.assign(made, { root: parent?.root ?? (made as Module) })
}

interface Where {
  /** Where the files of modules in it are. */
  readonly folder: string
  readonly depth: number
}

/** Read what a file says of its module and those inside, and the files of both. */
function fill(building: Building, top: Module, { folder, depth }: Where): void {
  const links = building.links.get(top.file)?.links
  if (!links || depth > DEEPEST) return
  add(building, `${top.file} `, top)
  const inner = (within = ''): Module =>
    within.split('::').reduce((up, name) => (name === '' ? up : inside(building, up, name)), top)
  for (const path of links.defines ?? []) define(path, inner)
  for (const link of links.links) if (link.how === undefined) inner(link.within).uses.push(link)
  const declared = links.links.filter(({ how }) => how === 'declares')
  for (const link of declared) open(building, inner(link.within), { link, folder, depth, from: top.file })
}

interface Declared extends Where {
  readonly link: Link
  readonly from: string
}

/** Go on with the file of `mod name;`. */
function open(building: Building, holder: Module, { link, folder, depth, from }: Declared): void {
  const file = fileOf(building.tree, from, folder, link)
  if (file === undefined || isAbove(holder, file)) return
  const child = moduleIn(file, holder.crate, holder)
  holder.children.set(link.as ?? '', child)
  const isOwnFolder = /(?:^|\/)mod\.rs$/.test(file) || link.to !== ''
  fill(building, child, { folder: isOwnFolder ? folderOf(file) : file.replace(/\.rs$/, ''), depth: depth + 1 })
}

function define(path: string, inner: (within: string) => Module): void {
  const parts = path.split('::')
  const name = parts.pop() ?? ''
  const holder = inner(parts.join('::'))
  if (name.endsWith('!')) holder.root.items.add(name.slice(0, -1))
  else holder.items.add(name)
}

const add = ({ at }: Building, key: string, module: Module): void => void at.set(key, [...(at.get(key) ?? []), module])

function inside(building: Building, up: Module, name: string): Module {
  const known = up.children.get(name)
  if (known) return known
  const made = moduleIn(up.file, up.crate, up)
  up.children.set(name, made)
  add(building, `${up.file} ${wayTo(made)}`, made)
  return made
}

/** The modules that a module is in, within its file. */
function wayTo(module: Module): string {
  const names: string[] = []
  for (let at: Module | undefined = module; at?.parent && at.parent.file === at.file; at = at.parent) {
    const here = at
    const [name] = [...at.parent.children].find(([, child]) => child === here) ?? []
    names.unshift(name ?? '')
  }
  return names.join('::')
}

const isAbove = (module: Module, file: string): boolean => {
  for (let at: Module | undefined = module; at; at = at.parent) if (at.file === file) return true
  return false
}

/** Where the file of `mod name;` is. */
function fileOf(
  tree: Tree,
  from: string,
  folder: string,
  { to: path, as: name = '', within = '' }: Link,
): string | undefined {
  const inner = under(folder, within.replaceAll('::', '/')).replace(/\/$/, '')
  if (path !== '') return firstFile(tree, [join(within === '' ? folderOf(from) : inner, path)])
  return firstFile(tree, [under(inner, `${name}.rs`), under(inner, `${name}/mod.rs`)])
}
