import { tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Tool } from '@causeway/engine'
import { gitWords } from '../../support/git/failure.ts'
import type { Repository } from '../../support/git/repository.ts'
import { quote } from '../../support/quote.ts'
import type { Workspace } from '../workspace.ts'
import { inside, repositoryPath, unfiltered, word } from './call.ts'
import { authorOf, commitOf, commitTree, holds, messageOf } from './commits.ts'
import { mustBeIdle } from './conflicts/operation.ts'
import { replayed } from './pick.ts'
import { namedPath } from './root-paths.ts'

const MOST_COMMITS = 200
const MOST_NAMED = 20

/** Moves commits onto others. */
export const gitRebase = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_rebase',
      title: 'Git rebase',
      description:
        'Rebases the unpublished commits of the current branch onto another one. Conflicts are refused, and so is what a remote branch or a tag has.',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      aliases: ['git/rebase'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: { onto: { type: 'string', description: 'The branch or commit to begin at' }, repositoryPath },
        required: ['onto'],
        additionalProperties: false,
      },
    },
    (args, ctx) =>
      inside(
        workspace,
        { path: args.repositoryPath, ctx, write: 'history', switches: true, revisions: [args.onto] },
        async repo => {
          await mustBeIdle(repo)
          const [head, onto] = [await commitOf(repo, 'HEAD'), await commitOf(repo, word(args.onto, 'onto'))]
          if (await holds(repo, head, onto)) return `Nothing to do: the current branch begins at ${args.onto} already.`
          if (await holds(repo, onto, head))
            throw new Error('The current branch has no commits of its own: git_merge forwards it.')
          await mustBeClean(repo)
          const commits = await ownCommits(repo, onto)
          const made = await again(workspace, repo, { commits, onto })
          await move(repo, made.tip)
          const dropped = commits.length - made.count
          const left = dropped === 0 ? '' : ` ${dropped} had nothing left to change.`
          return (
            `Rebased ${made.count} commit${made.count === 1 ? '' : 's'} onto ${args.onto}.${left} Before, the branch was at ${head.slice(0, 10)}: ` +
            `git_create_branch with startPoint ${head.slice(0, 10)} keeps that.${unfiltered(repo)}`
          )
        },
      ),
  )

async function mustBeClean(repo: Repository): Promise<void> {
  const status = ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=dirty']
  if ((await repo.read(status)).trim() === '') return
  throw new Error(
    'There are uncommitted changes: commit them, or put them aside with git_stash, and call git_rebase again.',
  )
}

/** The commits of the current branch that are not in the other, the oldest first. */
async function ownCommits(repo: Repository, onto: string): Promise<string[]> {
  const list = ['rev-list', '--reverse', '--topo-order', `--max-count=${MOST_COMMITS + 1}`]
  const lines = async (...args: readonly string[]): Promise<string[]> =>
    (await repo.read([...list, ...args, '--'])).split('\n').filter(line => line !== '')
  const commits = await lines(`${onto}..HEAD`)
  if (commits.length > MOST_COMMITS)
    throw new Error(`More than ${MOST_COMMITS} commits would be rebased: use git_merge.`)
  const free = new Set(await lines(`${onto}..HEAD`, '--not', '--remotes', '--tags'))
  const published = commits.find(commit => !free.has(commit))
  if (published !== undefined)
    throw new Error(
      `${quote(published.slice(0, 10))} is published: a remote branch or a tag has it, and rebasing would rewrite what others may have. Use git_merge.`,
    )
  const [merge] = await lines('--min-parents=2', `${onto}..HEAD`)
  if (merge !== undefined)
    throw new Error(`${quote(merge.slice(0, 10))} is a merge, which a rebase would lose. Use git_merge.`)
  return commits
}

interface Made {
  readonly tip: string
  readonly count: number
}

/** The same commits on top of another one, without the working tree; conflicts throw. */
async function again(
  workspace: Workspace,
  repo: Repository,
  { commits, onto }: { readonly commits: readonly string[]; readonly onto: string },
): Promise<Made> {
  let [tip, count] = [onto, 0]
  for (const commit of commits) {
    const { tree, conflicts } = await replayed(repo, { onto: tip, base: `${commit}^`, theirs: commit })
    if (conflicts.length > 0) {
      const names = conflicts.map(file => namedPath(workspace, repo, file))
      throw await conflict(repo, commit, names)
    }
    if (tree === (await repo.read(['rev-parse', `${tip}^{tree}`])).trim()) continue
    const [author, message] = [await authorOf(repo, commit), await messageOf(repo, commit)]
    tip = await commitTree(repo, { tree, parents: [tip], message, author })
    count++
  }
  return { tip, count }
}

async function conflict(repo: Repository, commit: string, files: readonly string[]): Promise<Error> {
  const named = files.slice(0, MOST_NAMED).join(', ')
  const subject = await messageOf(repo, commit, '%s')
  return new Error(
    `Not rebased, and nothing was changed: ${commit.slice(0, 10)} (${subject}) would conflict in ${named}. Use git_merge with keep_conflicts, ` +
      'or make a branch there with git_create_branch and take the commits over one by one with git_cherry_pick and keep_conflicts.',
  )
}

async function move(repo: Repository, to: string): Promise<void> {
  const env = { GIT_REFLOG_ACTION: 'rebase' }
  const { code, stderr } = await repo.run(['-C', repo.top, 'reset', '--quiet', '--keep', to], { env })
  if (code !== 0) throw new Error(`Not rebased, and nothing was changed: ${gitWords(stderr)}`)
}
