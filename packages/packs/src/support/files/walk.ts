import { existsSync } from 'node:fs'
import type { Dirent } from 'node:fs'
import { openBelow } from './directory.ts'
import type { OpenDirectory } from './directory.ts'
import { codeOf } from './errno.ts'
import { readBoundedSync } from './file.ts'
import { ignoreRules } from '../patterns/ignore-rules.ts'
import type { Rules } from '../patterns/ignore-rules.ts'
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

/** A directory, or those of its entries whose names are not before `from` and before `to`. */
export interface Part {
  /** From the root, with `/`. */
  readonly path: string
  readonly from?: string
  readonly to?: string
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
  /** Asked again and again: if so, the rest is left for later. */
  enough?(): boolean
  /** Into how many parts the rest of a directory is divided, so that as many can go on with it. Default: 1. */
  readonly shares?: number
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
  readonly part: Part
  readonly level: number
  /** The nearest last. */
  readonly scopes: readonly Scoped[]
  /** Not to be left before this time, so that listing it again costs little beside the work. */
  readonly worthUntil: number
}

// How many times as long as listing a directory took must be spent in it before it is left.
const WORTH_LISTING = 4
// So many entries are taken before the clock is looked at again, and so many are worth a part of their own.
const ENTRIES_AT_ONCE = 8
// Deeper than any source tree, and not so deep that open directories run out.
const DEEPEST = 100
const LARGEST_RULES = 256 * 1024

/**
 * Walk everything below some directories in the order of names, and return what was left for later. It works
 * synchronously, so it is meant for threads. Links are met, never followed; what vanishes meanwhile is passed over.
 */
export function walk(starts: readonly Part[], options: Walk): Part[] {
  const walking: Walking = { options, later: [], known: options.known ?? new Map<string, readonly Scoped[]>() }
  const parent = new Parent(options.root)
  try {
    for (const [i, start] of starts.entries()) {
      if (i > 0 && options.enough?.()) return [...walking.later, ...starts.slice(i)]
      const scopes = options.ignored === 'all' ? [] : scopesAbove(options.root, start.path, walking.known)
      if (!entered(() => parent.open(start.path), { part: start, level: 1, scopes }, walking)) return []
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
  readonly later: Part[]
  readonly known: KnownRules
}

/** False: the walk is over. */
function entered(open: () => OpenDirectory, here: Omit<Here, 'directory' | 'worthUntil'>, walking: Walking): boolean {
  const { path, from = '', to } = here.part
  let directory: OpenDirectory
  try {
    directory = open()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') walking.options.unreadable?.(path, codeOf(error) ?? 'changed')
    return true
  }
  try {
    const began = performance.now()
    const all = directory.entries()
    const scopes = walking.known.get(path) ?? scopesIn(directory, all, here, walking.options)
    walking.known.set(path, scopes)
    const entries = all
      .filter(({ name }) => name >= from && (to === undefined || name < to))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    const now = performance.now()
    const worthUntil = now + WORTH_LISTING * (now - began)
    return visited(entries, { ...here, directory, scopes, worthUntil }, walking)
  } finally {
    directory.close()
  }
}

/** The rules that hold in a directory: those from above, and its own. */
function scopesIn(
  directory: OpenDirectory,
  entries: readonly Dirent[],
  { part, scopes }: Pick<Here, 'part' | 'scopes'>,
  { ignored }: Walk,
): readonly Scoped[] {
  if (ignored === 'all' || !entries.some(({ name }) => name === '.gitignore')) return scopes
  const own = rulesIn(directory, '.gitignore', part.path)
  return own ? [...scopes, own] : scopes
}

function visited(entries: readonly Dirent[], here: Here, walking: Walking): boolean {
  const { options } = walking
  for (const [i, entry] of entries.entries()) {
    if (i > 0 && isEnough(entry, i, here, options)) {
      leave(entries.slice(i), here.part, walking)
      return true
    }
    const path = here.part.path === '' ? entry.name : `${here.part.path}/${entry.name}`
    const next = visitOne(entry, path, here, options)
    if (next === 'end') return false
    if (next === 'on' && entry.isDirectory() && !descended(entry.name, path, here, walking)) return false
  }
  return true
}

/** Walk a directory of this one, unless that is too deep. */
function descended(name: string, path: string, { directory, level, scopes }: Here, walking: Walking): boolean {
  const { depth, enough } = walking.options
  if (level < Math.min(depth ?? DEEPEST, DEEPEST))
    return entered(() => directory.open(name), { part: { path }, level: level + 1, scopes }, walking)
  // The next part begins there anew, with few directories open.
  if (enough && depth === undefined) walking.later.push({ path })
  return true
}

const isEnough = (entry: Dirent, i: number, { worthUntil }: Here, { enough }: Walk): boolean =>
  enough !== undefined &&
  (i % ENTRIES_AT_ONCE === 0 || entry.isDirectory()) &&
  enough() &&
  performance.now() >= worthUntil

/** What is left of a directory, in as many parts as can be worked on at once. */
function leave(rest: readonly Dirent[], { path, to }: Part, { options, later }: Walking): void {
  const size = Math.max(ENTRIES_AT_ONCE, Math.ceil(rest.length / (options.shares ?? 1)))
  for (let i = 0; i < rest.length; i += size) {
    const end = rest[i + size]?.name ?? to
    later.push({ path, from: rest[i]?.name ?? '', ...(end !== undefined && { to: end }) })
  }
}

function visitOne(entry: Dirent, path: string, here: Here, options: Walk): 'on' | 'over' | 'end' {
  const { directory, level, scopes } = here
  if (isTemporary(entry.name)) {
    options.temporary?.(entry.name, directory)
    return 'over'
  }
  if (entry.name === '.git') return 'over'
  const ignored = isIgnored(scopes, path, entry.isDirectory())
  if (ignored && options.ignored === 'skip') return 'over'
  const next = options.visit({ name: entry.name, kind: entryKind(entry), path, level, directory, ignored })
  return ignored && next === 'on' ? 'over' : next
}

/** What an entry of a directory is, in a word. */
export function entryKind(entry: Dirent): Met['kind'] {
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
