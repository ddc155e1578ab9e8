import { tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Context, Tool } from '@causeway/engine'
import { offsetArgument, withPage } from '../../support/page.ts'
import type { Workspace } from '../workspace.ts'
import { diffPrefixes, namesFromRoot, rootPrefix, statFromRoot, statusFromRoot } from './root-paths.ts'
import { files, inside, insidePaged, line, linePaging, paths, repositoryPath, revision, word } from './call.ts'

const READS = { readOnly: true, idempotent: true, openWorld: false } as const
const FORMATS = { patch: [], stat: ['--stat=120'], names: ['--name-status'] } as const
const PLAIN_DIFF = ['--no-ext-diff', '--no-textconv', '--no-color', '--submodule=short']

/** Shows what has changed. */
export const gitStatus = (workspace: Workspace): Tool =>
  tool(
    {
      ...READS,
      name: 'git_status',
      title: 'Git status',
      description: 'Lists which files are staged, changed or untracked (git status --porcelain), and the branch.',
      aliases: ['get_status', 'git/status'],
      use: [dataFrom('git')],
      input: { type: 'object', properties: { repositoryPath }, additionalProperties: false },
    },
    (args, ctx) =>
      inside(workspace, { path: args.repositoryPath, ctx }, async repo => {
        const how = ['--porcelain', '--branch', '--untracked-files=normal', '--ignore-submodules=dirty']
        return statusFromRoot(await repo.read(['status', ...how]), rootPrefix(workspace, repo))
      }),
  )

const LOG_INPUT = {
  type: 'object',
  properties: {
    repositoryPath,
    limit: { type: 'integer', minimum: 1, maximum: 10_000, default: 10, description: 'How many commits' },
    offset: offsetArgument,
    maxCount: { type: 'integer', minimum: 1, maximum: 10_000, description: 'The same as limit' },
    revision,
    files,
    author: { type: 'string', description: 'Only commits whose author has this in name or address' },
    grep: { type: 'string', description: 'Only commits whose message has this' },
    skip: { type: 'integer', minimum: 0, description: 'The same as offset' },
  },
  additionalProperties: false,
} as const

/** Shows the latest commits. */
export const gitLog = (workspace: Workspace): Tool =>
  tool(
    {
      ...READS,
      name: 'git_log',
      title: 'Git log',
      description: 'Lists the latest commits, one per line: hash, subject, author, date. For one commit use git_show.',
      aliases: ['get_log', 'git/log'],
      use: [dataFrom('git')],
      input: LOG_INPUT,
    },
    async (args, ctx) => {
      const [limit, offset] = [args.maxCount ?? args.limit, args.skip ?? args.offset]
      let next: number | undefined
      const where = { path: args.repositoryPath, ctx, revisions: [args.revision] }
      const words = await inside(workspace, where, async repo => {
        const found = await repo.read([
          'log',
          '--no-show-signature',
          // One more than is wanted says whether there are more.
          `--max-count=${limit + 1}`,
          `--skip=${offset}`,
          '--fixed-strings',
          '--regexp-ignore-case',
          ...(args.author === undefined ? [] : [`--author=${line(args.author, 'author')}`]),
          ...(args.grep === undefined ? [] : [`--grep=${line(args.grep, 'grep')}`]),
          '--format=%h %s (%an, %as)',
          '--end-of-options',
          word(args.revision ?? 'HEAD', 'revision'),
          '--',
          ...(await paths(workspace, repo, args.files)),
        ])
        const commits = found.split(/(?<=\n)/)
        if (commits.length > limit) next = offset + limit
        return commits.slice(0, limit).join('') || 'No commits match'
      })
      return withPage([words], { offset, limit, ...(next !== undefined && { next }) })
    },
  )

interface Lines {
  readonly repositoryPath?: string
  readonly offset?: number
  readonly limit?: number
}

const whereOf = ({ repositoryPath: path, offset, limit }: Lines, ctx: Context): Parameters<typeof insidePaged>[1] => ({
  path,
  ctx,
  offset,
  limit,
})

const emptyDiff = ({ staged, revision: against }: { staged?: boolean; revision?: string }): string =>
  staged
    ? 'Nothing is staged'
    : `No changes${against === undefined ? ' that are not staged; new files are listed by git_status' : ''}`

/** Shows differences of the working tree. */
export const gitDiff = (workspace: Workspace): Tool =>
  tool(
    {
      ...READS,
      name: 'git_diff',
      title: 'Git diff',
      description:
        'Shows changes as a diff: of the working tree, of what is staged (staged), or against a revision. ' +
        'For what one commit changed use git_show.',
      aliases: ['get_diff', 'git/diff'],
      use: [dataFrom('diff')],
      input: {
        type: 'object',
        properties: {
          repositoryPath,
          staged: { type: 'boolean', default: false, description: 'What is staged, instead of the working tree' },
          revision: { ...revision, description: `Compare with this: ${revision.description}` },
          files,
          format: {
            type: 'string',
            enum: ['patch', 'stat', 'names'],
            default: 'patch',
            description: 'The whole diff, lines changed by file, or only names',
          },
          ...linePaging,
        },
        additionalProperties: false,
      },
    },
    (args, ctx) =>
      insidePaged(workspace, { ...whereOf(args, ctx), revisions: [args.revision] }, async repo => {
        const against = args.revision === undefined ? [] : ['--end-of-options', word(args.revision, 'revision')]
        const staged = args.staged ? ['--cached'] : []
        const [prefix, format] = [rootPrefix(workspace, repo), args.format ?? 'patch']
        const found = await repo.read([
          'diff',
          ...PLAIN_DIFF,
          ...diffPrefixes(prefix),
          ...FORMATS[format],
          '--ignore-submodules=dirty',
          ...staged,
          ...against,
          '--',
          ...(await paths(workspace, repo, args.files)),
        ])
        if (found === '') return emptyDiff(args)
        if (format === 'patch') return found
        return format === 'stat' ? statFromRoot(found, prefix) : namesFromRoot(found, prefix)
      }),
  )

/** Shows one commit. */
export const gitShow = (workspace: Workspace): Tool =>
  tool(
    {
      ...READS,
      name: 'git_show',
      title: 'Git show',
      description: 'Shows one commit with its message and diff, or a file as it was (HEAD~3:src/main.ts).',
      aliases: ['git/show'],
      use: [dataFrom('diff')],
      input: {
        type: 'object',
        properties: {
          repositoryPath,
          revision: { type: 'string', default: 'HEAD', description: 'A commit, tag, or REVISION:PATH' },
          ...linePaging,
        },
        additionalProperties: false,
      },
    },
    (args, ctx) =>
      insidePaged(workspace, { ...whereOf(args, ctx), revisions: [args.revision] }, repo =>
        repo.read([
          'show',
          ...PLAIN_DIFF,
          ...diffPrefixes(rootPrefix(workspace, repo)),
          '--no-show-signature',
          '--format=medium',
          '--end-of-options',
          word(args.revision ?? 'HEAD', 'revision'),
          '--',
        ]),
      ),
  )

/** Lists branches. */
export const gitListBranches = (workspace: Workspace): Tool =>
  tool(
    {
      ...READS,
      name: 'git_list_branches',
      title: 'Git branches',
      description: 'Lists all branches, local and remote-tracking; the current one is marked with *.',
      aliases: ['list_branches', 'git/branches', 'git/list_branches'],
      use: [dataFrom('git')],
      input: { type: 'object', properties: { repositoryPath }, additionalProperties: false },
    },
    (args, ctx) =>
      inside(workspace, { path: args.repositoryPath, ctx, worktrees: true }, repo =>
        repo.read(['branch', '--all', '--no-color', '--no-column']),
      ),
  )

/** Names the current branch. */
export const gitCurrentBranch = (workspace: Workspace): Tool =>
  tool(
    {
      ...READS,
      name: 'git_current_branch',
      title: 'Git current branch',
      description: 'Names the branch that is checked out, also before its first commit. git_status names it too.',
      aliases: ['get_current_branch', 'git/current_branch', 'git/current-branch'],
      use: [dataFrom('git')],
      input: { type: 'object', properties: { repositoryPath }, additionalProperties: false },
    },
    (args, ctx) =>
      inside(workspace, { path: args.repositoryPath, ctx }, async repo => {
        const { code, stdout } = await repo.run(['symbolic-ref', '--quiet', '--short', 'HEAD'])
        if (code === 0) return stdout.trim()
        return `HEAD (detached at ${(await repo.read(['rev-parse', '--short', 'HEAD'])).trim()})`
      }),
  )
