import type { FileChange, Commit, History } from './history.ts'

/** How much one file changed. */
export interface FileChurn {
  readonly path: string
  readonly commit_count: number
  readonly unique_authors: number
  readonly additions: number
  readonly deletions: number
  readonly churn_score: number
  readonly first_seen: string
  readonly last_modified: string
}

/** What one author did. */
export interface Contribution {
  readonly author: string
  readonly commits: number
  readonly files: number
}

/** What all changes together look like. */
export interface ChurnSummary {
  readonly period_days: number
  readonly total_commits: number
  /** Of the files there are now. */
  readonly total_files_changed: number
  /** Files that were changed and are gone. */
  readonly deleted_files?: number
  readonly total_additions: number
  readonly total_deletions: number
  readonly hotspot_files: readonly string[]
  readonly stable_files: readonly string[]
  readonly author_contributions: readonly Contribution[]
  /** The repository is shallow: its oldest commits could not be counted. */
  readonly shallow?: true
}

/** The whole analysis: every format is made of this. */
export interface Churn {
  readonly summary: ChurnSummary
  /** The hottest first. */
  readonly files: readonly FileChurn[]
}

interface Tally {
  commits: number
  additions: number
  deletions: number
  first: number
  last: number
  readonly authors: Set<string>
}

const MOST = 10
const HOT = 0.5
const STABLE = 0.1

/** What to sum up of a history. */
export interface Asked {
  readonly periodDays: number
  /** One file of the directory, instead of all. */
  readonly only?: string
  /** What to put in front of every path. */
  readonly as?: string
}

/** Sum up a history. Scores compare with the whole repository, so a file's does not depend on the directory asked for. */
export function churn({ commits, shallow, prefix, living }: History, { periodDays, only, as = '' }: Asked): Churn {
  const counted = shallow ? commits.filter(({ hasParent }) => hasParent) : commits
  const { tallies, touched } = tally(counted, living)
  const all = [...tallies.values()]
  const most = {
    commits: all.reduce((max, { commits }) => Math.max(max, commits), 1),
    changes: all.reduce((max, { additions, deletions }) => Math.max(max, additions + deletions), 1),
  }
  const isAsked = (path: string): boolean => (only === undefined ? path.startsWith(prefix) : path === prefix + only)
  const files = [...tallies]
    .filter(([path]) => isAsked(path))
    .map(([path, file]) => toFile(as + path.slice(prefix.length), file, most))
    .sort((a, b) => b.churn_score - a.churn_score || (a.path < b.path ? -1 : 1))
  const here = touched
    .map(({ commit, changes }) => ({ commit, changes: changes.filter(({ path }) => isAsked(path)) }))
    .filter(({ changes }) => changes.length > 0)
  return { summary: summarise(files, { here, living, periodDays, shallow }), files }
}

/** A commit, and what it changed by the names that files have now. */
interface Touched {
  readonly commit: Commit
  readonly changes: readonly FileChange[]
}

/**
 * From the newest commit to the oldest, so that old names lead to what a file is called now. A name that was given away
 * and taken again counts for both files, as `git log` and `git log --follow` say.
 */
function tally(
  commits: readonly Commit[],
  living: ReadonlySet<string>,
): { tallies: Map<string, Tally>; touched: Touched[] } {
  const tallies = new Map<string, Tally>()
  const heirs = new Map<string, string>()
  const touched = commits.map(commit => {
    const seen = new Set<string>()
    const changes = commit.changes.map(change => {
      const { path, from } = change
      const heir = heirs.get(path)
      const owners = [path, heir].filter((name): name is string => name !== undefined && living.has(name))
      if (from !== undefined) {
        heirs.set(from, heir ?? path)
        heirs.delete(path)
      }
      for (const owner of owners) add(tallies, owner, { commit, change, isFirst: !seen.has(owner) })
      for (const owner of owners) seen.add(owner)
      return { ...change, path: owners[0] ?? heir ?? path }
    })
    return { commit, changes }
  })
  return { tallies, touched }
}

interface Added {
  readonly commit: Commit
  readonly change: FileChange
  readonly isFirst: boolean
}

function add(tallies: Map<string, Tally>, path: string, { commit, change, isFirst }: Added): void {
  const file = tallies.get(path) ?? fresh(commit.time)
  tallies.set(path, file)
  file.additions += change.additions
  file.deletions += change.deletions
  if (isFirst) count(file, commit)
}

const fresh = (time: number): Tally => ({
  commits: 0,
  additions: 0,
  deletions: 0,
  first: time,
  last: time,
  authors: new Set(),
})

function count(file: Tally, { time, author, email }: Commit): void {
  file.commits += 1
  file.first = Math.min(file.first, time)
  file.last = Math.max(file.last, time)
  file.authors.add(`${author}\0${email}`)
}

function toFile(path: string, file: Tally, most: { commits: number; changes: number }): FileChurn {
  const changes = file.additions + file.deletions
  return {
    path,
    commit_count: file.commits,
    unique_authors: file.authors.size,
    additions: file.additions,
    deletions: file.deletions,
    churn_score: churnScore(file.commits / most.commits, changes / most.changes),
    first_seen: toIso(file.first),
    last_modified: toIso(file.last),
  }
}

/** The documented score, of a file's shares of the most commits and the most changed lines; three decimals. */
export const churnScore = (commits: number, changes: number): number =>
  Math.round(Math.min(1, 0.6 * commits + 0.4 * changes) * 1000) / 1000

const toIso = (seconds: number): string => new Date(seconds * 1000).toISOString()

interface About {
  /** Commits with what they changed of what was asked for. */
  readonly here: readonly Touched[]
  readonly living: ReadonlySet<string>
  readonly periodDays: number
  readonly shallow: boolean
}

function summarise(files: readonly FileChurn[], { here, living, periodDays, shallow }: About): ChurnSummary {
  const changes = here.flatMap(touched => touched.changes)
  const gone = new Set(changes.flatMap(({ path }) => (living.has(path) ? [] : [path])))
  const sum = (of: (change: FileChange) => number): number => changes.reduce((total, change) => total + of(change), 0)
  return {
    period_days: periodDays,
    total_commits: here.length,
    total_files_changed: files.length,
    ...(gone.size > 0 && { deleted_files: gone.size }),
    total_additions: sum(change => change.additions),
    total_deletions: sum(change => change.deletions),
    hotspot_files: files
      .filter(file => file.churn_score > HOT)
      .slice(0, MOST)
      .map(file => file.path),
    stable_files: files
      .filter(file => file.churn_score < STABLE)
      .slice(-MOST)
      .map(file => file.path)
      .toReversed(),
    author_contributions: contributions(here),
    ...(shallow && { shallow: true }),
  }
}

function contributions(touched: readonly Touched[]): Contribution[] {
  const authors = new Map<string, { author: string; commits: number; paths: Set<string> }>()
  for (const { commit, changes } of touched) {
    const key = `${commit.author}\0${commit.email}`
    const known = authors.get(key) ?? { author: commit.author, commits: 0, paths: new Set() }
    authors.set(key, known)
    known.commits += 1
    for (const { path } of changes) known.paths.add(path)
  }
  return [...authors.values()]
    .map(({ author, commits, paths }) => ({ author, commits, files: paths.size }))
    .sort((a, b) => b.commits - a.commits || (a.author < b.author ? -1 : 1))
}
