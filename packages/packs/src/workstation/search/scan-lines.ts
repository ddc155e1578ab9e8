import { isUtf8 } from 'node:buffer'
import type { OpenDirectory } from '../../support/files/directory.ts'
import { openBelow } from '../../support/files/directory.ts'
import { TooLargeError, readBoundedSync } from '../../support/files/file.ts'
import { anyGlob, anyGlobAbove } from '../../support/patterns/glob.ts'
import { lineMatcher } from '../../support/regex/line-matcher.ts'
import type { LineMatcher, Wanted } from '../../support/regex/line-matcher.ts'
import { SNIFFED, encodingOf, piecewise } from '../../support/files/encoding.ts'
import { walk } from '../../support/files/walk.ts'
import type { KnownRules, Met, Part } from '../../support/files/walk.ts'

/** What is searched for, in data that crosses threads. */
export interface Search {
  /** Tells this search from others. */
  readonly id: string
  /** The root that nothing leads out of. */
  readonly root: string
  /** Where the search began, from the root: patterns speak of paths below it. */
  readonly start: string
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly includeIgnored: boolean
  readonly type: 'file' | 'directory' | 'any'
  readonly wanted?: Wanted | undefined
}

/** A part of a search: some directories, how long to look before giving the rest back, and for how many to divide it. */
export interface Slice {
  readonly search: Search
  readonly parts: readonly Part[]
  readonly timeMs: number
  readonly shares: number
}

/** A file that was not searched, and why. */
export interface Skipped {
  readonly path: string
  readonly why: 'binary' | 'too large' | 'unreadable'
}

/** What was found in a part. */
export interface Scanned {
  /** What matches, with the number of its lines that do, or 0 where only names were asked for. */
  readonly found: readonly (readonly [path: string, count: number])[]
  /** What was not looked into yet. */
  readonly later: readonly Part[]
  readonly skipped: readonly Skipped[]
  /** How many of each kind were skipped, also those that are not named. */
  readonly skips: Readonly<Record<Skipped['why'], number>>
  readonly searched: number
}

/** The largest file that is searched. */
export const LARGEST: number = 50 * 1024 * 1024
const NEWLINE = 10
const SCRATCH = Buffer.allocUnsafeSlow(256 * 1024)
const MOST_NAMED = 100
/** Where the beginning of a small file is read to; behind its end are the bytes of others. */
const SCRATCH_HEAD = SCRATCH.subarray(0, SNIFFED)

let last: { readonly key: string; readonly matcher: LineMatcher } | undefined
let rules: { readonly id: string; readonly known: KnownRules } | undefined

/** The rules that this search has met; files may change, so another search reads them again. */
function rulesOf({ id }: Search): KnownRules {
  if (rules?.id !== id) rules = { id, known: new Map() }
  return rules.known
}

/** The matcher of a search; kept, since a search comes in many parts. */
export function matcherOf(wanted: Wanted): LineMatcher {
  const key = JSON.stringify(wanted)
  if (last?.key !== key) last = { key, matcher: lineMatcher(wanted) }
  return last.matcher
}

/** Look through some directories. */
export function scanLines({ search, parts, timeMs, shares }: Slice): Scanned {
  const began = performance.now()
  const seen = new Scan(search)
  const later = walk(parts, {
    root: search.root,
    ignored: search.includeIgnored ? 'all' : 'skip',
    visit: met => seen.visit(met),
    enough: () => performance.now() - began > timeMs,
    shares,
    unreadable: path => seen.skip(path, 'unreadable'),
    known: rulesOf(search),
  })
  return { ...seen.result, later }
}

/** Look into a single file. */
export function scanFile({ search, path }: { readonly search: Search; readonly path: string }): Scanned {
  const seen = new Scan(search)
  const cut = path.lastIndexOf('/')
  const directory = openBelow(search.root, path.slice(0, Math.max(0, cut)))
  try {
    seen.look(directory, path.slice(cut + 1), path)
  } finally {
    directory.close()
  }
  return { ...seen.result, later: [] }
}

class Scan {
  readonly #search: Search
  readonly #matcher: LineMatcher | undefined
  readonly #isIncluded: (path: string) => boolean
  readonly #isExcluded: (path: string) => boolean
  readonly #found: [string, number][] = []
  readonly #skipped: Skipped[] = []
  readonly #skips = { binary: 0, 'too large': 0, unreadable: 0 }
  #searched = 0

  constructor(search: Search) {
    this.#search = search
    this.#matcher = search.wanted && matcherOf(search.wanted)
    this.#isIncluded = search.include.length === 0 ? () => true : anyGlob(search.include)
    this.#isExcluded = search.exclude.length === 0 ? () => false : anyGlobAbove(search.exclude)
  }

  get result(): Omit<Scanned, 'later'> {
    return { found: this.#found, skipped: this.#skipped, skips: this.#skips, searched: this.#searched }
  }

  visit({ kind, path, name, directory }: Met): 'on' | 'over' {
    const { start, type } = this.#search
    const shown = start === '' ? path : path.slice(start.length + 1)
    if (this.#isExcluded(shown)) return 'over'
    const isWanted = type === 'any' ? kind !== 'other' : kind === type
    if (!isWanted || !this.#isIncluded(shown)) return 'on'
    if (!this.#matcher) this.#found.push([path, 0])
    else if (kind === 'file') this.look(directory, name, path)
    return 'on'
  }

  look(directory: OpenDirectory, name: string, path: string): void {
    const bytes = readText(directory, name)
    if (typeof bytes === 'string') return this.skip(path, bytes)
    this.#searched++
    const count = this.#matcher ? countLines(bytes, this.#matcher) : 0
    if (count > 0) this.#found.push([path, count])
  }

  skip(path: string, why: Skipped['why']): void {
    this.#skips[why]++
    if (this.#skipped.length < MOST_NAMED) this.#skipped.push({ path, why })
  }
}

/** The bytes of a text file, as UTF-8, or why there are none. */
export function readText(directory: OpenDirectory, name: string): Buffer | Skipped['why'] {
  let bytes: Buffer
  try {
    bytes = readBoundedSync(directory.at(name), LARGEST, { into: SCRATCH })
  } catch (error) {
    return error instanceof TooLargeError ? 'too large' : 'unreadable'
  }
  const nul = (bytes.buffer === SCRATCH.buffer ? SCRATCH_HEAD : bytes.subarray(0, SNIFFED)).indexOf(0)
  const isPlain = (nul < 0 || nul >= bytes.length) && (bytes[0] ?? 0) < 0xfe
  if (isPlain && isUtf8(bytes)) return bytes
  return otherText(bytes) ?? (isPlain ? bytes : 'binary')
}

/** A text that is not stored in UTF-8, as if it were. */
function otherText(bytes: Buffer): Buffer | undefined {
  const encoding = encodingOf(bytes.subarray(0, SNIFFED), bytes.length <= SNIFFED)
  if (encoding === undefined) return undefined
  // A file that is cut, or has a few odd bytes far behind its beginning, is searched all the same.
  const take = piecewise(encoding === 'utf-8' ? 'windows-1252' : encoding)
  return Buffer.from((take(bytes) + take()).replace(/^\uFEFF/, ''))
}

function countLines(bytes: Buffer, matcher: LineMatcher): number {
  let count = 0
  if (matcher.blocks) {
    for (const _ of matcher.blocks(bytes)) count++
    return count
  }
  for (let from = 0; from < bytes.length;) {
    const at = matcher.find(bytes, from)
    if (at < 0) return count
    count++
    const end = bytes.indexOf(NEWLINE, at)
    if (end < 0) return count
    from = end + 1
  }
  return count
}
