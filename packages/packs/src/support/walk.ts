import { existsSync } from 'node:fs'
import type { Dirent } from 'node:fs'
import { openBelow } from './directory.ts'
import type { OpenDirectory } from './directory.ts'
import { codeOf } from './errno.ts'
import { readBoundedSync } from './file.ts'
import { ignoreRules } from './ignore-rules.ts'
import type { Rules } from './ignore-rules.ts'
import { isTemporary } from './temporary.ts'

/** Something met on a walk. */
export interface Met {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'other'
  /** From the root, with `/`. */
  readonly path: string
  /** How far below the start; what is in it has 1. */
  readonly level: number
  /** The directory it is in, open while it is visited. */
  readonly directory: OpenDirectory
  /** Named by a `.gitignore`; such a directory is not looked into. */
  readonly ignored: boolean
}

/** Where and how to walk. */
export interface Walk {
  /** The real path of the directory that nothing leads out of. */
  readonly root: string
  /** What `.gitignore` names: `all` takes it like anything else, `skip` leaves it out, `tell` visits it, marked. */
  readonly ignored: 'all' | 'skip' | 'tell'
  /** How many levels below the start. */
  readonly depth?: number
  /** Takes what is met: go on, look at nothing below it, or end the walk. */
  visit(met: Met): 'on' | 'over' | 'end'
  /** Asked before a directory is entered: if so, it is left for later. */
  enough?(): boolean
  /** Takes files that are being written, or that a crash left; they are not visited. */
  temporary?(name: string, directory: OpenDirectory): void
  /** Hears of directories that cannot be read. */
  unreadable?(path: string, code: string): void
  /** Keeps the rules of directories from one part of a walk to the next. */
  readonly known?: KnownRules
}

/** The rules that hold in directories, by their paths. */
export type KnownRules = Map<string, readonly Scoped[]>

/** The rules of one directory, and how many letters of a path come before what they speak of. */
export interface Scoped {
  readonly skip: number
  readonly rules: Rules
}

interface Here {
  readonly directory: OpenDirectory
  readonly path: string
  readonly level: number
  /** The nearest last. */
  readonly scopes: readonly Scoped[]
}

// Deeper than any source tree, and not so deep that open directories run out.
const DEEPEST = 100
const LARGEST_RULES = 256 * 1024

/**
 * Walk everything below some directories in the order of names, and return those that were left for later. It works
 * synchronously, so it is meant for threads. Links are met, never followed; what vanishes meanwhile is passed over.
 */
export function walk(starts: readonly string[], options: Walk): string[] {
  const walking: Walking = { options, later: [], known: options.known ?? new Map<string, readonly Scoped[]>() }
  const parent = new Parent(options.root)
  try {
    for (const [i, start] of starts.entries()) {
      if (options.enough?.()) return [...walking.later, ...starts.slice(i)]
      const scopes = options.ignored === 'all' ? [] : scopesAbove(options.root, start, walking.known)
      if (!entered(() => parent.open(start), { path: start, level: 1, scopes }, walking)) return []
    }
    return walking.later
  } finally {
    parent.close()
  }
}

/** Opens one directory after the other; those in the same one are opened from there. */
class Parent {
  readonly #root: string
  #path: string | undefined
  #directory: OpenDirectory | undefined

  constructor(root: string) {
    this.#root = root
  }

  open(path: string): OpenDirectory {
    if (path === '') return openBelow(this.#root, '')
    const above = aboveOf(path)
    if (this.#path !== above) {
      this.close()
      this.#directory = openBelow(this.#root, above)
      this.#path = above
    }
    return (this.#directory ?? openBelow(this.#root, above)).open(path.slice(path.lastIndexOf('/') + 1))
  }

  close(): void {
    this.#directory?.close()
    this.#directory = undefined
    this.#path = undefined
  }
}

const aboveOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

interface Walking {
  readonly options: Walk
  readonly later: string[]
  readonly known: KnownRules
}

/** False: the walk is over. */
function entered(open: () => OpenDirectory, here: Omit<Here, 'directory'>, walking: Walking): boolean {
  let directory: OpenDirectory
  let entries: Dirent[]
  try {
    directory = open()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') walking.options.unreadable?.(here.path, codeOf(error) ?? 'changed')
    return true
  }
  try {
    entries = directory.entries().sort((a, b) => (a.name < b.name ? -1 : 1))
    const hasRules = walking.options.ignored !== 'all' && entries.some(({ name }) => name === '.gitignore')
    const own = hasRules ? rulesIn(directory, '.gitignore', here.path) : undefined
    const scopes = own ? [...here.scopes, own] : here.scopes
    walking.known.set(here.path, scopes)
    return visited(entries, { ...here, directory, scopes }, walking)
  } finally {
    directory.close()
  }
}

function visited(entries: readonly Dirent[], here: Here, walking: Walking): boolean {
  const { directory, level, scopes } = here
  const { options, later } = walking
  const deepest = Math.min(options.depth ?? DEEPEST, DEEPEST)
  for (const entry of entries) {
    const { name } = entry
    const path = here.path === '' ? name : `${here.path}/${name}`
    const next = visitOne(entry, path, here, options)
    if (next === 'end') return false
    if (next === 'over' || !entry.isDirectory() || level >= deepest) continue
    if (options.enough?.()) later.push(path)
    else if (!entered(() => directory.open(name), { path, level: level + 1, scopes }, walking)) return false
  }
  return true
}

function visitOne(entry: Dirent, path: string, here: Here, options: Walk): 'on' | 'over' | 'end' {
  const { directory, level, scopes } = here
  if (isTemporary(entry.name)) options.temporary?.(entry.name, directory)
  if (entry.name === '.git' || isTemporary(entry.name)) return 'over'
  const ignored = isIgnored(scopes, path, entry.isDirectory())
  if (ignored && options.ignored === 'skip') return 'over'
  const next = options.visit({ name: entry.name, kind: kindOf(entry), path, level, directory, ignored })
  return ignored && next === 'on' ? 'over' : next
}

/** What an entry of a directory is, in a word. */
export function kindOf(entry: Dirent): Met['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

/** The last rule that says anything decides, and deeper files speak last. */
function isIgnored(scopes: readonly Scoped[], path: string, isDirectory: boolean): boolean {
  for (let i = scopes.length - 1; i >= 0; i--) {
    const scope = scopes[i]
    const says = scope?.rules(path.slice(scope.skip), isDirectory)
    if (says !== undefined) return says
  }
  return false
}

/** The rules of the directories above the start: from the top of its repository or, without one, from the root. */
function scopesAbove(root: string, start: string, known: KnownRules): readonly Scoped[] {
  const above = aboveOf(start)
  const kept = start === '' ? undefined : known.get(above)
  if (kept) return kept
  if (start === '' || isTop(root, start)) return excludesOf(root, start)
  const further = scopesAbove(root, above, known)
  const own = inDirectory(root, above, directory => rulesIn(directory, '.gitignore', above))
  const scopes = own ? [...further, own] : further
  known.set(above, scopes)
  return scopes
}

/** The rules that belong to the repository whose top this is, if it is one. */
function excludesOf(root: string, path: string): readonly Scoped[] {
  const rules = inDirectory(root, path, directory => rulesIn(directory, '.git/info/exclude', path))
  return rules ? [rules] : []
}

const isTop = (root: string, path: string): boolean =>
  inDirectory(root, path, directory => existsSync(directory.at('.git')))

function inDirectory<T>(root: string, path: string, work: (directory: OpenDirectory) => T): T {
  const directory = openBelow(root, path)
  try {
    return work(directory)
  } finally {
    directory.close()
  }
}

function rulesIn(directory: OpenDirectory, name: string, path: string): Scoped | undefined {
  try {
    const text = readBoundedSync(directory.at(name), LARGEST_RULES).toString()
    return text.trim() === '' ? undefined : { skip: path === '' ? 0 : path.length + 1, rules: ignoreRules(text) }
  } catch {
    // No rules, or none that can be read.
    return undefined
  }
}
