import { fault, tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Tool } from '@causeway/engine'
import type { Workspace } from '../workspace.ts'
import { files, inside, paths, repositoryPath, unfiltered, word } from './call.ts'
import { namesFromRoot, rootPrefix, statFromRoot } from './root-paths.ts'

const WRITES = { readOnly: false, destructive: false, openWorld: false } as const

/** Stages files. */
export const gitAdd = (workspace: Workspace): Tool =>
  tool(
    {
      ...WRITES,
      name: 'git_add',
      title: 'Git add: stage files',
      description: 'Stages files for the next commit, new and deleted ones too; "." stages everything below.',
      idempotent: true,
      aliases: ['add', 'git/add'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          files: { ...files, minItems: 1, description: 'Files or directories to stage, relative to repositoryPath' },
          repositoryPath,
        },
        required: ['files'],
        additionalProperties: false,
      },
    },
    (args, ctx) =>
      inside(workspace, { path: args.repositoryPath, ctx, write: 'staging' }, async repo => {
        await repo.read(['add', '--', ...(await paths(workspace, repo, args.files))])
        const staged = await repo.read(['diff', '--no-ext-diff', '--no-textconv', '--cached', '--name-status'])
        const names = namesFromRoot(staged.trimEnd(), rootPrefix(workspace, repo))
        return names.trim() === '' ? 'Nothing is staged' : `Staged:\n${names}`
      }),
  )

/** Commits what is staged. */
export const gitCommit = (workspace: Workspace): Tool =>
  tool(
    {
      ...WRITES,
      name: 'git_commit',
      title: 'Git commit',
      description: 'Commits what is staged. Hooks are not run. Stage files with git_add first.',
      idempotent: false,
      aliases: ['commit', 'git/commit'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          message: { type: 'string', minLength: 1, description: 'The commit message', 'x-audit': 'head' },
          amend: { type: 'boolean', default: false, description: 'Replace the last commit instead of adding one' },
          repositoryPath,
        },
        required: ['message'],
        additionalProperties: false,
      },
    },
    async (args, ctx) => {
      if (args.message.trim() === '') throw fault('invalid-arguments', "Parameter 'message' must not be blank.")
      return inside(workspace, { path: args.repositoryPath, ctx, write: 'history' }, async repo => {
        const said = await repo.read([
          'commit',
          ...(args.amend ? ['--amend'] : []),
          '--no-verify',
          '--no-gpg-sign',
          '--no-edit',
          '--cleanup=whitespace',
          `--message=${args.message}`,
        ])
        return statFromRoot(said, rootPrefix(workspace, repo))
      })
    },
  )

/** Makes a branch. */
export const gitCreateBranch = (workspace: Workspace): Tool =>
  tool(
    {
      ...WRITES,
      name: 'git_create_branch',
      title: 'Git create branch',
      description: 'Creates a branch without switching to it. To switch use git_checkout.',
      idempotent: false,
      aliases: ['create_branch', 'git/create_branch', 'git/create-branch'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          branch: { type: 'string', description: 'Its name' },
          startPoint: { type: 'string', default: 'HEAD', description: 'The revision it begins at' },
          repositoryPath,
        },
        required: ['branch'],
        additionalProperties: false,
      },
    },
    (args, ctx) =>
      inside(
        workspace,
        { path: args.repositoryPath, ctx, write: 'history', revisions: [args.startPoint] },
        async repo => {
          const start = word(args.startPoint ?? 'HEAD', 'startPoint')
          await repo.read(['branch', '--no-track', '--end-of-options', word(args.branch, 'branch'), start])
          return `Created branch ${args.branch} at ${start}`
        },
      ),
  )

/** Deletes a branch. */
export const gitDeleteBranch = (workspace: Workspace): Tool =>
  tool(
    {
      ...WRITES,
      destructive: true,
      name: 'git_delete_branch',
      title: 'Git delete branch',
      description:
        'Deletes a local branch whose commits are merged; with force also one whose commits would be lost. Says where it was.',
      idempotent: false,
      aliases: ['delete_branch', 'git/delete_branch', 'git/delete-branch'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          branch: { type: 'string', description: 'Its name' },
          force: { type: 'boolean', default: false, description: 'Delete it although its commits are not merged' },
          repositoryPath,
        },
        required: ['branch'],
        additionalProperties: false,
      },
    },
    (args, ctx) => {
      const branch = word(args.branch, 'branch')
      const deletes = [`refs/heads/${branch}`]
      return inside(workspace, { path: args.repositoryPath, ctx, write: 'history', deletes }, async repo => {
        const { code, stdout } = await repo.run(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])
        const deleting = ['branch', '--delete', ...(args.force ? ['--force'] : []), '--', branch]
        await repo.read(deleting)
        const was = code === 0 ? stdout.trim().slice(0, 10) : ''
        return `Deleted branch ${branch}, which was at ${was}: git_create_branch with startPoint ${was} brings it back.`
      })
    },
  )

/** Switches branches. */
export const gitCheckout = (workspace: Workspace): Tool =>
  tool(
    {
      ...WRITES,
      name: 'git_checkout',
      title: 'Git checkout',
      description: 'Switches the working tree to a branch or revision; refuses if local changes would be lost.',
      idempotent: true,
      aliases: ['checkout', 'git/checkout'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: { branch: { type: 'string', description: 'A branch, tag or commit' }, repositoryPath },
        required: ['branch'],
        additionalProperties: false,
      },
    },
    (args, ctx) =>
      inside(
        workspace,
        { path: args.repositoryPath, ctx, write: 'history', switches: true, revisions: [args.branch] },
        async repo => {
          // What follows the dashes would be files, so what stands before them is none.
          await repo.read(['checkout', '--quiet', '--no-recurse-submodules', word(args.branch, 'branch'), '--'])
          return `Switched to ${args.branch}${unfiltered(repo)}`
        },
      ),
  )
