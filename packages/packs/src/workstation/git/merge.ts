import { tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Tool } from '@causeway/engine'
import { gitWords } from '../../support/git/failure.ts'
import type { Repository } from '../../support/git/repository.ts'
import type { Workspace } from '../workspace.ts'
import { files, inside, paths, repositoryPath, unfiltered, word } from './call.ts'

const MOST_NAMED = 50

/** Merges a branch. */
export const gitMerge = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_merge',
      title: 'Git merge',
      description:
        'Merges a branch into the current one. With conflicts nothing is changed, and they are named. Rebasing is not offered.',
      readOnly: false,
      destructive: false,
      idempotent: true,
      openWorld: false,
      aliases: ['git/merge'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          branch: { type: 'string', description: 'A branch, tag or commit to merge' },
          fastForwardOnly: { type: 'boolean', default: false, description: 'Fail if a merge commit would be needed' },
          repositoryPath,
        },
        required: ['branch'],
        additionalProperties: false,
      },
    },
    (args, ctx) =>
      inside(
        workspace,
        { path: args.repositoryPath, ctx, write: 'history', switches: true, revisions: [args.branch] },
        repo => {
          word(args.branch, 'branch')
          return merge(repo, { revision: args.branch, name: args.branch }, args.fastForwardOnly)
        },
      ),
  )

/** What is merged, and what the message calls it. */
interface Merged {
  readonly revision: string
  readonly name: string
}

/** Merge a revision into the current branch and its working tree, or change nothing. */
export async function merge(repo: Repository, { revision, name }: Merged, isForwardOnly = false): Promise<string> {
  const theirs = await commitOf(repo, revision)
  const isAhead = (await holds(repo, theirs, 'HEAD')) || (await holds(repo, 'HEAD', theirs))
  if (!isAhead && isForwardOnly)
    throw new Error('Not merged: both branches have commits of their own, so a merge commit would be needed.')
  const target = isAhead ? theirs : await mergeCommit(repo, theirs, name)
  const { code, stdout, stderr } = await repo.run(['merge', '--ff-only', '--no-autostash', '--stat', target])
  if (code !== 0) throw new Error(`Not merged, and nothing was changed: ${gitWords(stderr || stdout)}`)
  return `${isAhead ? '' : 'Merged with a merge commit. '}${stdout.trimEnd()}${unfiltered(repo)}`
}

const commitOf = async (repo: Repository, revision: string): Promise<string> =>
  (await repo.read(['rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`])).trim()

/** Is one commit an ancestor of the other? */
async function holds(repo: Repository, descendant: string, ancestor: string): Promise<boolean> {
  return (await repo.run(['merge-base', '--is-ancestor', ancestor, descendant])).code === 0
}

/** A commit that merges another one into HEAD, made without the working tree; conflicts throw. */
async function mergeCommit(repo: Repository, theirs: string, name: string): Promise<string> {
  const tree = await mergedTree(repo, 'HEAD', theirs)
  const message = `Merge ${name}`
  return (await repo.read(['commit-tree', '--no-gpg-sign', '-p', 'HEAD', '-p', theirs, '-m', message, tree])).trim()
}

/** The tree of two commits merged, made without the working tree; conflicts throw. */
export async function mergedTree(repo: Repository, ours: string, theirs: string): Promise<string> {
  const how = ['--write-tree', '--name-only', '--no-messages']
  const { code, stdout, stderr } = await repo.run(['merge-tree', ...how, ours, theirs])
  const [tree = '', ...rest] = stdout.trimEnd().split('\n')
  if (code === 1) throw conflict(rest.filter(file => file !== ''))
  if (code !== 0)
    throw new Error(`Not merged, and nothing was changed: ${gitWords(stderr)} (merging needs git 2.38 or newer)`)
  return tree
}

function conflict(unmerged: readonly string[]): Error {
  const named = unmerged.slice(0, MOST_NAMED).join(', ')
  return new Error(
    `Not merged, and nothing was changed: ${unmerged.length} file${unmerged.length === 1 ? '' : 's'} would conflict: ${named}. ` +
      'Make the changes of both sides agree in these files, commit, and merge again.',
  )
}

/** Takes changes back. */
export const gitRestore = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_restore',
      title: 'Git restore',
      description:
        'Discards changes of files permanently: restores them as staged, or as in a revision. With staged it only unstages.',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      aliases: ['git/restore', 'git/unstage'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          files: { ...files, minItems: 1, description: 'Files or directories, relative to repositoryPath' },
          staged: { type: 'boolean', default: false, description: 'Unstage them; the files stay as they are' },
          revision: { type: 'string', description: 'Take them from this commit, branch or tag' },
          repositoryPath,
        },
        required: ['files'],
        additionalProperties: false,
      },
    },
    (args, ctx) =>
      inside(
        workspace,
        { path: args.repositoryPath, ctx, write: 'history', revisions: [args.revision] },
        async repo => {
          const from = args.revision === undefined ? undefined : word(args.revision, 'revision')
          const wanted = await paths(workspace, repo, args.files)
          if (args.staged) await repo.read(['reset', '--quiet', ...(from === undefined ? [] : [from]), '--', ...wanted])
          else
            await repo.read([
              'restore',
              '--worktree',
              ...(from === undefined ? [] : [`--source=${from}`]),
              '--',
              ...wanted,
            ])
          const left = (
            await repo.read(['status', '--porcelain', '--ignore-submodules=dirty', '--', ...wanted])
          ).trimEnd()
          const done = args.staged ? 'Unstaged' : `Restored${unfiltered(repo)}`
          return left === '' ? `${done}. These files have no changes now.` : `${done}. Still changed:\n${left}`
        },
      ),
  )
