import { gitWords } from '../../support/git/failure.ts'
import type { Repository } from '../../support/git/repository.ts'

/** One file in one commit. */
export interface FileChange {
  readonly path: string
  /** What it was called before this commit. */
  readonly from?: string
  readonly additions: number
  readonly deletions: number
}

/** One commit. */
export interface Commit {
  readonly author: string
  readonly email: string
  /** Seconds since 1970. */
  readonly time: number
  readonly hasParent: boolean
  readonly changes: readonly FileChange[]
}

/** What git reports of a repository. */
export interface History {
  /** Newest first. */
  readonly commits: readonly Commit[]
  /** Older commits are not here, so the oldest ones only look as if they added everything. */
  readonly shallow: boolean
  /** The files there are now, from the top of the repository. */
  readonly living: ReadonlySet<string>
  /** From the top of the repository to the directory that was asked for, with a slash at the end; empty at the top. */
  readonly prefix: string
}

const FORMAT = ['%H', '%aN', '%aE', '%ct', '%P'].join('%x00')
const FIELDS = 5
const HASH = /^[\da-f]{40,64}$/
const CUT = /\n\n\[… \d+ bytes left out/
const NO_COMMITS = /does not have any commits yet|unknown revision|bad revision/

/** Read the commits since a moment; renames are distinguished from deletions. */
export async function readHistory(repository: Repository, since: Date): Promise<History> {
  const args = [
    'log',
    '-z',
    '--numstat',
    '-M',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    `--format=tformat:${FORMAT}`,
    `--since=${since.toISOString()}`,
    '--end-of-options',
    'HEAD',
    '--',
  ]
  const [tree, log] = await Promise.all([
    repository.run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', '--end-of-options', 'HEAD']),
    repository.run(args),
  ])
  if (log.code !== 0 && !NO_COMMITS.test(log.stderr)) throw new Error(`git log failed: ${gitWords(log.stderr)}`)
  if (CUT.test(log.stdout) || CUT.test(tree.stdout))
    throw new Error('The history of this period is too long to be read at once: ask for fewer days')
  const { shallow, prefix } = repository
  const living = new Set(tree.stdout.split('\0'))
  return { commits: log.code === 0 ? parseLog(log.stdout) : [], shallow, living, prefix }
}

/** Read what `git log -z --numstat` wrote: fields and files with NUL behind each, so that any name may be in them. */
export function parseLog(text: string): Commit[] {
  const tokens = text.split('\0')
  const commits: Commit[] = []
  for (let at = 0; HASH.test(tokens[at] ?? '');) {
    const [, author = '', email = '', time, parents] = tokens.slice(at, at + FIELDS)
    const { changes, end } = parseChanges(tokens, at + FIELDS)
    commits.push({ author, email, time: Number(time), hasParent: parents !== '', changes })
    at = end
  }
  return commits
}

/** Lines `ADDED TAB DELETED TAB PATH`; where the path is empty, a rename, its two names come behind. */
function parseChanges(tokens: readonly string[], start: number): { changes: FileChange[]; end: number } {
  const changes: FileChange[] = []
  let at = start
  for (;;) {
    const token = tokens[at] ?? ''
    const tab = token.indexOf('\t')
    if (tab < 0) return { changes, end: at }
    const second = token.indexOf('\t', tab + 1)
    const additions = lines(token.slice(0, tab))
    const deletions = lines(token.slice(tab + 1, second))
    const path = token.slice(second + 1)
    if (path === '') changes.push({ path: tokens[at + 2] ?? '', from: tokens[at + 1] ?? '', additions, deletions })
    else changes.push({ path, additions, deletions })
    at += path === '' ? 3 : 1
  }
}

/** Binary files have a dash. */
const lines = (count: string): number => (count.endsWith('-') ? 0 : Number(count))
