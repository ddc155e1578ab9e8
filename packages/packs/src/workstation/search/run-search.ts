import { join } from 'node:path'
import type { Jail } from '../../support/files/jail.ts'
import type { Limits, ThreadPool } from '../../support/threads/thread-pool.ts'
import type { Part } from '../../support/files/walk.ts'
import type { Extraction, Line } from './extract-lines.ts'
import type { Scanned, Search, Skipped } from './scan-lines.ts'
import { shown } from '../../support/files/shown.ts'

/** What is wanted of a search. */
export type Mode = 'lines' | 'files' | 'counts'

/** A search as it was asked for. */
export interface Asked extends Omit<Search, 'start' | 'id'> {
  /** Where to begin, from the root. */
  readonly path: string
  readonly isFile: boolean
  readonly mode: Mode
  readonly before: number
  readonly after: number
  readonly offset: number
  readonly limit: number
}

/** What was found. */
export interface Report {
  readonly matches: Match[]
  readonly total: number
  readonly files?: number
  readonly truncated: boolean
  /** The offset to go on with. */
  readonly next?: number
  readonly skipped?: {
    readonly binary: number
    readonly tooLarge: number
    readonly unreadable: number
    readonly paths: string[]
  }
}

/** A file, or a line of one. */
export interface Match {
  readonly path: string
  readonly line?: number
  readonly endLine?: number
  readonly text?: string
  readonly before?: string[]
  readonly after?: string[]
  readonly count?: number
}

interface Around {
  readonly jail: Jail
  readonly signal: AbortSignal
  readonly client: string
}

type CountedFiles = readonly (readonly [path: string, count: number])[]

// A thread looks for so long before it gives back what is left, so that others can take some of it.
const SLICE_MS = 10
const FIRST_SLICE_MS = 2
const LONGEST_MS = 60_000
const MOST_NAMED = 20

/** Search in threads: count first, then bring the lines that are on the page. */
export async function runSearch(threads: ThreadPool, asked: Asked, { jail, signal, client }: Around): Promise<Report> {
  const search: Search = { ...asked, start: asked.path, id: crypto.randomUUID() }
  const limits = { signal, client, deadlineMs: LONGEST_MS }
  const scanned = asked.isFile
    ? [await threads.run<Scanned>('scanFile', { search, path: asked.path }, limits)]
    : await everywhere(threads, search, limits)
  const found = scanned.flatMap(part => part.found).sort(([a], [b]) => (inOrder(a) < inOrder(b) ? -1 : 1))
  const name = (path: string): string => shown(jail, join(asked.root, path))
  const skipped = skips(scanned, name)
  const { wanted, mode, offset, limit } = asked
  if (!wanted || mode !== 'lines') {
    const isCounted = wanted && mode === 'counts'
    const matches = found
      .slice(offset, offset + limit)
      .map(([path, count]) => (isCounted ? { path: name(path), count } : { path: name(path) }))
    return { matches, total: found.length, ...onward(offset + matches.length, found.length), ...skipped }
  }
  const extraction: Extraction = {
    root: asked.root,
    wanted,
    ...page(found, asked),
    before: asked.before,
    after: asked.after,
  }
  const isEmpty = extraction.files.length === 0
  const lines = isEmpty ? [] : await threads.run<Line[]>('extractLines', extraction, limits)
  const total = found.reduce((sum, [, count]) => sum + count, 0)
  const matches = lines.map((line): Match => Object.assign(line, { path: name(line.path) }))
  return { matches, total, files: found.length, ...onward(offset + matches.length, total), ...skipped }
}

const onward = (end: number, total: number): { truncated: boolean; next?: number } =>
  end < total ? { truncated: true, next: end } : { truncated: false }

// Like walking a tree: what is in a directory comes where its name does.
const inOrder = (path: string): string => path.replaceAll('/', '\0')

/** The part of the files that is on the page: of the first and the last, perhaps not every line. */
function page(found: CountedFiles, { offset, limit }: Asked): Pick<Extraction, 'files'> {
  const files: { path: string; skip: number; take: number }[] = []
  let passed = 0
  for (const [path, count] of found) {
    const skip = Math.max(0, offset - passed)
    const take = Math.min(count - skip, offset + limit - Math.max(offset, passed))
    if (take > 0) files.push({ path, skip, take })
    passed += count
    if (passed >= offset + limit) break
  }
  return { files }
}

/** Let all threads search at once: a thread that is done takes a share of the directories that are left. */
function everywhere(threads: ThreadPool, search: Search, limits: Limits): Promise<Scanned[]> {
  const parts: Scanned[] = []
  const open: Part[] = [{ path: search.start }]
  let running = 0
  return new Promise((resolve, reject) => {
    const go = (): void => {
      if (running === 0 && open.length === 0) return resolve(parts)
      while (open.length > 0 && running < threads.size) {
        const taken = open.splice(0, Math.ceil(open.length / threads.size))
        const timeMs = parts.length === 0 ? FIRST_SLICE_MS : SLICE_MS
        running++
        threads.run<Scanned>('scanLines', { search, parts: taken, timeMs, shares: threads.size }, limits).then(part => {
          running--
          parts.push(part)
          open.push(...part.later)
          go()
        }, reject)
      }
    }
    go()
  })
}

function skips(scanned: readonly Scanned[], name: (path: string) => string): Pick<Report, 'skipped'> {
  const sum = (why: Skipped['why']): number => scanned.reduce((all, part) => all + part.skips[why], 0)
  const [binary, tooLarge, unreadable] = [sum('binary'), sum('too large'), sum('unreadable')]
  if (binary + tooLarge + unreadable === 0) return {}
  // What might have held something is named first.
  const named = scanned.flatMap(part => part.skipped)
  const rank = ({ why }: Skipped): number => (why === 'binary' ? 1 : 0)
  const paths = named
    .sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_NAMED)
    .map(({ path, why }) => `${name(path)} (${why})`)
  return { skipped: { binary, tooLarge, unreadable, paths } }
}
