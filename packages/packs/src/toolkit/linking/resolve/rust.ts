import type { Link } from '../../analysis/links/links.ts'
import { NOWHERE, outside, to } from '../resolution.ts'
import type { Resolution } from '../resolution.ts'
import type { Module, Modules } from './rust-modules.ts'
import type { Resolver } from './resolver.ts'

const STANDARD = new Set(['std', 'core', 'alloc', 'proc_macro', 'test'])
const MOST_STEPS = 200

/** How Rust names things: by the modules of crates, through everything that they take and give on. */
export function rust(modules: Modules): Resolver {
  return (from, link) => {
    const places = modules.at.get(`${from} ${link.within ?? ''}`) ?? []
    if (link.how === 'declares') return declared(places, link)
    if (places.length === 0) return orphan(link)
    const found = places.map(place => resolve(modules, place, link))
    const files = [...new Set(found.flatMap(one => one.files))]
    return files.length > 0 ? { files } : (found.find(one => one.outside !== undefined) ?? NOWHERE)
  }
}

const declared = (places: readonly Module[], { as: name = '' }: Link): Resolution =>
  places.length === 0 ? { files: [], outside: '' } : to(...new Set(places.map(place => place.children.get(name)?.file)))

/** Of a file that no crate has, only what others made is known. */
function orphan({ to: path, how }: Link): Resolution {
  const [first = ''] = path.split('::')
  if (how === 'path') return { files: [], outside: '' }
  return /^(?:crate|self|super)$/.test(first) ? NOWHERE : outside(first)
}

function resolve(modules: Modules, place: Module, { to: path, how }: Link): Resolution {
  const parts = path.split('::').map(part => part.trim())
  const [first = ''] = parts
  if (STANDARD.has(first) && !place.children.has(first)) return outside('std')
  const found = walk({ modules, steps: 0 }, place, parts)
  if (found) return to(found.file)
  const outer = place.crate.dependencies[first]
  if (outer !== undefined && !modules.libraries.has(outer)) return outside(outer)
  // A path in the code may begin with a type, a generic or a module of somebody else.
  if (how === 'path' && !/^(?:crate|self|super)$/.test(first)) return { files: [], outside: '' }
  return /^(?:crate|self|super)$/.test(first) || outer !== undefined ? NOWHERE : ofUse(place, first)
}

/** `use name` of something that a macro, a glob or a dependency of the build makes known. */
const ofUse = (place: Module, first: string): Resolution =>
  place.items.has(first) || place.root.items.has(first) ? { files: [], outside: '' } : outside(first)

interface Search {
  readonly modules: Modules
  steps: number
}

/** Something that was found: a module, or the file of something in one. */
interface Found {
  readonly file: string
  readonly module?: Module
}

/** Follow a path from a module to the file that it ends in. */
function walk(search: Search, place: Module, path: readonly string[]): Found | undefined {
  const [first = '', ...rest] = path
  if ((search.steps += 1) > MOST_STEPS) return undefined
  const start = firstOf(search, place, first)
  return start && onwards(search, start, rest)
}

function onwards(search: Search, start: Found, path: readonly string[]): Found | undefined {
  let at = start
  for (const name of path) {
    const { module } = at
    // What is in a type is in its file.
    if (!module || name === '*') return at
    const next = name === 'super' ? ofModule(module.parent) : name === 'self' ? at : member(search, module, name)
    // What macros make, nobody sees; the module is known all the same.
    if (!next) return module === start.module && path.length === 1 && module.parent === undefined ? undefined : at
    at = next
  }
  return at
}

const ofModule = (module: Module | undefined): Found | undefined => module && { file: module.file, module }

function firstOf(search: Search, place: Module, name: string): Found | undefined {
  if (name === 'crate') return ofModule(place.root)
  if (name === 'self') return ofModule(place)
  if (name === 'super') return ofModule(place.parent)
  const near = member(search, place, name)
  if (near) return near
  const asked = place.crate.dependencies[name] ?? name
  const library = search.modules.libraries.get(asked)
  if (library) return ofModule(library)
  return undefined
}

/** What a module has under a name: of its own, or taken from elsewhere. */
function member(search: Search, module: Module, name: string): Found | undefined {
  const child = module.children.get(name)
  if (child) return ofModule(child)
  if (module.items.has(name)) return { file: module.file }
  if ((search.steps += 1) > MOST_STEPS) return undefined
  return taken(search, module, name) ?? takenWithAll(search, module, name)
}

function taken(search: Search, module: Module, name: string): Found | undefined {
  for (const { to: path, as } of module.uses) {
    const found = as === name && path !== name ? walk(search, module, path.split('::')) : undefined
    if (found) return found
  }
  return undefined
}

/** By `use path::*`. */
function takenWithAll(search: Search, module: Module, name: string): Found | undefined {
  for (const { to: path } of module.uses) {
    if (!path.endsWith('::*')) continue
    const from = walk(search, module, path.slice(0, -3).split('::'))
    const found = from?.module && from.module !== module ? member(search, from.module, name) : undefined
    if (found) return found
  }
  return undefined
}
