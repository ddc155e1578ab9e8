import { gitWords } from '../../support/git/failure.ts'
import type { Repository } from '../../support/git/repository.ts'
import { unfiltered } from './call.ts'
import { statFromRoot } from './root-paths.ts'

/** The commit that a revision names. */
export const commitOf = async (repo: Repository, revision: string): Promise<string> =>
  (await repo.read(['rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`])).trim()

/** Is one commit an ancestor of the other? */
export async function holds(repo: Repository, descendant: string, ancestor: string): Promise<boolean> {
  return (await repo.run(['merge-base', '--is-ancestor', ancestor, descendant])).code === 0
}

/** Two commits merged. */
export interface Trial {
  /** The tree; with conflicts, git's marks are in its files. */
  readonly tree: string
  /** The files in conflict, from the top of the repository. */
  readonly conflicts: readonly string[]
}

/** Merge two commits without the working tree. */
export async function tryMerge(repo: Repository, ours: string, theirs: string): Promise<Trial> {
  const how = ['--write-tree', '--name-only', '--no-messages', '-z']
  const { code, stdout, stderr } = await repo.run(['merge-tree', ...how, ours, theirs])
  const [tree = '', ...rest] = stdout.split('\0')
  if (code === 0 || code === 1)
    return { tree: tree.trim(), conflicts: code === 0 ? [] : rest.filter(file => file !== '') }
  throw new Error(`Not merged, and nothing was changed: ${gitWords(stderr)} (merging needs git 2.38 or newer)`)
}

/** What a commit is made of. */
export interface NewCommit {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  /** Who wrote it, if not the one who commits. */
  readonly author?: Readonly<Record<string, string>>
}

/** Make a commit that nothing refers to yet. */
export async function commitTree(
  repo: Repository,
  { tree, parents, message, author = {} }: NewCommit,
): Promise<string> {
  const named = parents.flatMap(parent => ['-p', parent])
  const words = ['commit-tree', '--no-gpg-sign', ...named, '-m', message, tree]
  const { code, stdout, stderr } = await repo.run(words, { env: author })
  if (code !== 0) throw new Error(`No commit could be made: ${gitWords(stderr)}`)
  return stdout.trim()
}

/** Who wrote a commit, and when, as variables for git. */
export async function authorOf(repo: Repository, commit: string): Promise<Readonly<Record<string, string>>> {
  const format = ['--max-count=1', '--no-show-signature', '--format=%an%n%ae%n%ad', '--date=raw', commit, '--']
  const [name = '', email = '', date = ''] = (await repo.read(['log', ...format])).split('\n')
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: `@${date}` }
}

/** The subject, or the whole message, of a commit. */
export const messageOf = async (repo: Repository, commit: string, what: '%s' | '%B' = '%B'): Promise<string> =>
  (await repo.read(['log', '--max-count=1', '--no-show-signature', `--format=${what}`, commit, '--'])).trimEnd()

interface Forwarding {
  /** In front of the paths in the answer. */
  readonly prefix: string
  /** What the reflog calls it. */
  readonly action?: string
}

/** Move the current branch, its index and the working tree to a commit that follows it; what stands in the way is named. */
export async function forward(repo: Repository, to: string, { prefix, action }: Forwarding): Promise<string> {
  const env = action === undefined ? {} : { GIT_REFLOG_ACTION: action }
  const { code, stdout, stderr } = await repo.run(['merge', '--ff-only', '--no-autostash', '--stat', to], { env })
  if (code !== 0) throw new Error(`Not merged, and nothing was changed: ${gitWords(stderr || stdout)}`)
  return `${statFromRoot(stdout, prefix).trimEnd()}${unfiltered(repo)}`
}
