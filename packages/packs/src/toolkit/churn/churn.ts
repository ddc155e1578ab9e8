import type { Commit, History } from './history.ts'

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
  readonly total_files_changed: number
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

/** Sum up a history. Scores compare with the whole repository, so a file's does not depend on the directory asked for. */
export function churn({ commits, shallow, prefix }: History, periodDays: number): Churn {
  const counted = shallow ? commits.filter(({ hasParent }) => hasParent) : commits
  const { tallies, touched } = tally(counted)
  const all = [...tallies.values()]
  const most = {
    commits: all.reduce((max, { commits }) => Math.max(max, commits), 1),
    changes: all.reduce((max, { additions, deletions }) => Math.max(max, additions + deletions), 1),
  }
  const files = [...tallies]
    .filter(([path]) => path.startsWith(prefix))
    .map(([path, file]) => toFile(path.slice(prefix.length), file, most))
    .sort((a, b) => b.churn_score - a.churn_score || (a.path < b.path ? -1 : 1))
  return { summary: summarise(files, { touched, prefix, periodDays, shallow }), files }
}

interface Touched {
  readonly commit: Commit
  readonly paths: readonly string[]
}

/** From the newest commit to the oldest, so that old names lead to what the file is called now. */
function tally(commits: readonly Commit[]): { tallies: Map<string, Tally>; touched: Touched[] } {
  const tallies = new Map<string, Tally>()
  const now = new Map<string, string>()
  const touched = commits.map(commit => {
    const paths = new Set<string>()
    for (const { path, from, additions, deletions } of commit.changes) {
      const current = now.get(path) ?? path
      if (from !== undefined) {
        now.set(from, current)
        now.delete(path)
      }
      const file = tallies.get(current) ?? fresh(commit.time)
      tallies.set(current, file)
      file.additions += additions
      file.deletions += deletions
      if (paths.has(current)) continue
      paths.add(current)
      count(file, commit)
    }
    return { commit, paths: [...paths] }
  })
  return { tallies, touched }
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
  readonly touched: readonly Touched[]
  readonly prefix: string
  readonly periodDays: number
  readonly shallow: boolean
}

function summarise(files: readonly FileChurn[], { touched, prefix, periodDays, shallow }: About): ChurnSummary {
  const here = touched
    .map(({ commit, paths }) => ({ commit, paths: paths.filter(path => path.startsWith(prefix)) }))
    .filter(({ paths }) => paths.length > 0)
  const sum = (of: (file: FileChurn) => number): number => files.reduce((total, file) => total + of(file), 0)
  return {
    period_days: periodDays,
    total_commits: here.length,
    total_files_changed: files.length,
    total_additions: sum(file => file.additions),
    total_deletions: sum(file => file.deletions),
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
  for (const { commit, paths } of touched) {
    const key = `${commit.author}\0${commit.email}`
    const known = authors.get(key) ?? { author: commit.author, commits: 0, paths: new Set() }
    authors.set(key, known)
    known.commits += 1
    for (const path of paths) known.paths.add(path)
  }
  return [...authors.values()]
    .map(({ author, commits, paths }) => ({ author, commits, files: paths.size }))
    .sort((a, b) => b.commits - a.commits || (a.author < b.author ? -1 : 1))
}
