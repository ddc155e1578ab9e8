import { tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Tool } from '@causeway/engine'
import type { Repository } from '../../support/git/repository.ts'
import type { Workspace } from '../workspace.ts'
import { files, inside, paths, repositoryPath, unfiltered, word } from './call.ts'
import { keepConflicts, kept } from './conflicts/keep.ts'
import type { Keep, Keeping } from './conflicts/keep.ts'
import { mustBeIdle } from './conflicts/operation.ts'
import { commitOf, forward, holds, tryMerge } from './commits.ts'
import { rootPrefix, statusFromRoot } from './root-paths.ts'

const MOST_NAMED = 50

/** Merges a branch. */
export const gitMerge = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_merge',
      title: 'Git merge',
      description:
        'Merges a branch into the current one. With conflicts nothing is changed, and they are named; with keep_conflicts they stay, for git_conflicts.',
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
          keep_conflicts: keepConflicts,
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
          const { branch, fastForwardOnly, keep_conflicts: keep } = args
          return merge(repo, {
            revision: branch,
            name: branch,
            isForwardOnly: fastForwardOnly,
            ...(keep && { kept: kept(workspace, repo) }),
            prefix: rootPrefix(workspace, repo),
          })
        },
      ),
  )

/** What is merged, what the message calls it, and how. */
interface Merged {
  readonly revision: string
  readonly name: string
  readonly isForwardOnly?: boolean
  /** Leaves conflicts in the files; default: with conflicts nothing is changed. */
  readonly kept?: Keep
  /** In front of the paths in the answer. */
  readonly prefix?: string
}

/** Merge a revision into the current branch and its working tree, or change nothing. */
export async function merge(
  repo: Repository,
  { revision, name, isForwardOnly = false, kept: keep, prefix = '' }: Merged,
): Promise<string> {
  await mustBeIdle(repo)
  const theirs = await commitOf(repo, revision)
  const isAhead = (await holds(repo, theirs, 'HEAD')) || (await holds(repo, 'HEAD', theirs))
  if (!isAhead && isForwardOnly)
    throw new Error('Not merged: both branches have commits of their own, so a merge commit would be needed.')
  if (isAhead) return forward(repo, theirs, { prefix })
  const { tree, conflicts } = await tryMerge(repo, 'HEAD', theirs)
  const message = `Merge ${name}`
  if (conflicts.length > 0 && keep) return keep(await leaving(repo, { theirs, name, message }))
  if (conflicts.length > 0) throw conflict(conflicts.map(file => `${prefix}${file}`))
  const words = ['commit-tree', '--no-gpg-sign', '-p', 'HEAD', '-p', theirs, '-m', message, tree]
  const made = (await repo.read(words)).trim()
  return `Merged with a merge commit. ${await forward(repo, made, { prefix })}`
}

/** `git merge` would start other programs to save the working tree; this part of it starts none. */
async function leaving(
  repo: Repository,
  { theirs, name, message }: { readonly theirs: string; readonly name: string; readonly message: string },
): Promise<Keeping> {
  const head = await commitOf(repo, 'HEAD')
  const { stdout } = await repo.run(['merge-base', '--all', head, theirs])
  return {
    args: ['merge-recursive', ...stdout.split('\n').filter(base => base !== ''), '--', head, theirs],
    env: { [`GITHEAD_${head}`]: 'HEAD', [`GITHEAD_${theirs}`]: name },
    state: { MERGE_HEAD: `${theirs}\n`, MERGE_MODE: 'no-ff', MERGE_MSG: `${message}\n` },
  }
}

function conflict(unmerged: readonly string[]): Error {
  const named = unmerged.slice(0, MOST_NAMED).join(', ')
  return new Error(
    `Not merged, and nothing was changed: ${unmerged.length} file${unmerged.length === 1 ? '' : 's'} would conflict: ${named}. ` +
      'Call git_merge with keep_conflicts to resolve them with git_conflicts and git_resolve.',
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
          const source = from === undefined ? [] : [`--source=${from}`]
          if (args.staged) await repo.read(['reset', '--quiet', ...(from === undefined ? [] : [from]), '--', ...wanted])
          else await repo.read(['restore', '--worktree', ...source, '--', ...wanted])
          const left = (
            await repo.read(['status', '--porcelain', '--ignore-submodules=dirty', '--', ...wanted])
          ).trimEnd()
          const done = args.staged ? 'Unstaged' : `Restored${unfiltered(repo)}`
          return left === ''
            ? `${done}. These files have no changes now.`
            : `${done}. Still changed:\n${statusFromRoot(left, rootPrefix(workspace, repo))}`
        },
      ),
  )
