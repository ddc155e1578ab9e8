import { fault, tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Context, Tool } from '@causeway/engine'
import type { Repository } from '../../support/git/repository.ts'
import { quote } from '../../support/quote.ts'
import type { Workspace } from '../workspace.ts'
import { inside, repositoryPath, word } from './call.ts'
import { authorOf, commitOf, commitTree, forward, messageOf, tryMerge } from './commits.ts'
import type { Trial } from './commits.ts'
import { keepConflicts, kept } from './conflicts/keep.ts'
import { mustBeIdle } from './conflicts/operation.ts'
import { namedPath, rootPrefix } from './root-paths.ts'

const MOST_NAMED = 50

const INPUT = {
  type: 'object',
  properties: {
    revision: { type: 'string', description: 'The commit' },
    mainline: {
      type: 'integer',
      minimum: 1,
      maximum: 20,
      description: 'Of a merge commit: the parent to compare with',
    },
    keep_conflicts: keepConflicts,
    repositoryPath,
  },
  required: ['revision'],
  additionalProperties: false,
} as const

const WRITES = { readOnly: false, destructive: false, idempotent: false, openWorld: false } as const

/** Takes over one commit. */
export const gitCherryPick = (workspace: Workspace): Tool =>
  tool(
    {
      ...WRITES,
      name: 'git_cherry_pick',
      title: 'Git cherry-pick',
      description:
        'Applies one commit to the current branch, as a new commit. Conflicts are refused, or kept with keep_conflicts.',
      aliases: ['git/cherry_pick', 'git/cherry-pick'],
      use: [dataFrom('git')],
      input: INPUT,
    },
    (args, ctx) => pick(workspace, { ...args, name: 'cherry-pick' }, ctx),
  )

/** Takes one commit back. */
export const gitRevert = (workspace: Workspace): Tool =>
  tool(
    {
      ...WRITES,
      name: 'git_revert',
      title: 'Git revert',
      description: 'Reverts an earlier commit by a new one. Conflicts are refused, or kept with keep_conflicts.',
      aliases: ['git/revert'],
      use: [dataFrom('git')],
      input: INPUT,
    },
    (args, ctx) => pick(workspace, { ...args, name: 'revert' }, ctx),
  )

interface Picking {
  readonly name: 'cherry-pick' | 'revert'
  readonly revision: string
  readonly mainline?: number
  readonly keep_conflicts: boolean
  readonly repositoryPath?: string
}

function pick(workspace: Workspace, picking: Picking, ctx: Context): ReturnType<typeof inside> {
  const { name, revision, mainline, keep_conflicts: keep, repositoryPath: path } = picking
  const where = { path, ctx, write: 'history', switches: true, revisions: [revision] } as const
  return inside(workspace, where, async repo => {
    await mustBeIdle(repo)
    const commit = await commitOf(repo, word(revision, 'revision'))
    const parent = await parentOf(repo, commit, mainline)
    const [base, theirs] = name === 'revert' ? [commit, parent] : [parent, commit]
    const { tree, conflicts } = await replayed(repo, { onto: 'HEAD', base, theirs })
    if (conflicts.length > 0) {
      if (!keep)
        throw conflict(
          name,
          conflicts.map(file => namedPath(workspace, repo, file)),
        )
      const which = mainline === undefined ? [] : [`--mainline=${mainline}`]
      const quiet = name === 'revert' ? ['--no-edit'] : []
      return kept(workspace, repo)({ args: [name, '--no-gpg-sign', ...quiet, ...which, commit] })
    }
    if (tree === (await repo.read(['rev-parse', 'HEAD^{tree}'])).trim())
      return `Nothing to ${name}: the current branch is like that already.`
    const author = name === 'revert' ? {} : await authorOf(repo, commit)
    const message = name === 'revert' ? await reverting(repo, commit) : await messageOf(repo, commit)
    const made = await commitTree(repo, { tree, parents: ['HEAD'], message, author })
    const said = await forward(repo, made, { prefix: rootPrefix(workspace, repo), action: name })
    return `Made commit ${made.slice(0, 10)}: ${message.split('\n')[0]}\n${said}`
  })
}

const reverting = async (repo: Repository, commit: string): Promise<string> =>
  `Revert "${await messageOf(repo, commit, '%s')}"\n\nThis reverts commit ${commit}.`

/** What a commit is compared with. */
export async function parentOf(repo: Repository, commit: string, mainline: number | undefined): Promise<string> {
  const parents = (await repo.read(['rev-parse', `${commit}^@`])).split('\n').filter(line => line !== '')
  const name = quote(commit.slice(0, 10))
  if (parents.length === 0) throw new Error(`${name} is the first commit, which has nothing to be compared with.`)
  if (parents.length > 1 && mainline === undefined)
    throw fault(
      'invalid-arguments',
      `${name} is a merge: give 'mainline', 1 to ${parents.length}: the parent to compare it with. 1 is the branch that was merged into.`,
    )
  const parent = parents[(mainline ?? 1) - 1]
  if (parent !== undefined && (mainline === undefined || parents.length > 1)) return parent
  const what = parents.length === 1 ? 'is no merge: leave it out' : `has ${parents.length} parents`
  throw fault('invalid-arguments', `Parameter 'mainline' does not fit: ${name} ${what}.`, { argument: 'mainline' })
}

interface Replay {
  readonly onto: string
  readonly base: string
  readonly theirs: string
}

/** What changed from one commit to another, done to a third: a merge of two commits made for it, whose ancestor is the base. */
export async function replayed(repo: Repository, { onto, base, theirs }: Replay): Promise<Trial> {
  const treeOf = async (commit: string): Promise<string> =>
    (await repo.read(['rev-parse', '--verify', `${commit}^{tree}`])).trim()
  const ours = await commitTree(repo, { tree: await treeOf(onto), parents: [base], message: 'ours' })
  const other = await commitTree(repo, { tree: await treeOf(theirs), parents: [base], message: 'theirs' })
  return tryMerge(repo, ours, other)
}

function conflict(name: string, files: readonly string[]): Error {
  const named = files.slice(0, MOST_NAMED).join(', ')
  return new Error(
    `Nothing was changed: this ${name} would conflict in ${files.length} file${files.length === 1 ? '' : 's'}: ${named}. ` +
      'Call it with keep_conflicts to resolve them with git_conflicts and git_resolve.',
  )
}
