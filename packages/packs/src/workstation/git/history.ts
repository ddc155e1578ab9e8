import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fault, tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Tool } from '@causeway/engine'
import { readBounded } from '../../support/files/file.ts'
import { offsetArgument, withPage } from '../../support/page.ts'
import type { Workspace } from '../workspace.ts'
import { inside, insidePaged, paths, repositoryPath, word } from './call.ts'

const MOST_TAGS = 200
const SMALL_BYTES = 1024 * 1024

/** Says who changed each line last. */
export const gitBlame = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_blame',
      title: 'Git blame',
      description: 'Shows which commit last changed each line of a file, by whom and when.',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      aliases: ['git/blame'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          file: { type: 'string', description: 'The file, relative to repositoryPath' },
          offset: { type: 'integer', minimum: 1, default: 1, description: 'The first line, counted from 1' },
          limit: { type: 'integer', minimum: 1, maximum: 5000, default: 200, description: 'How many lines' },
          startLine: { type: 'integer', minimum: 1, description: 'The same as offset' },
          lines: { type: 'integer', minimum: 1, maximum: 5000, description: 'The same as limit' },
          revision: { type: 'string', description: 'As of this commit, branch or tag; default: the working tree' },
          repositoryPath,
        },
        required: ['file'],
        additionalProperties: false,
      },
    },
    async (args, ctx) => {
      const [offset, limit] = [args.startLine ?? args.offset, args.lines ?? args.limit]
      let next: number | undefined
      const where = { path: args.repositoryPath, ctx, revisions: [args.revision] }
      const words = await inside(workspace, where, async repo => {
        const revision = args.revision === undefined ? [] : [word(args.revision, 'revision')]
        const file = await paths(workspace, repo, [args.file])
        // One more than is wanted says whether there are more.
        const range = `-L${offset},+${limit + 1}`
        const lines = (await repo.read(['blame', '--date=short', range, ...revision, '--', ...file])).split(/(?<=\n)/)
        if (lines.length > limit) next = offset + limit
        return lines.slice(0, limit).join('')
      })
      return withPage([words], { offset, limit, ...(next !== undefined && { next }) })
    },
  )

/** Lists tags. */
export const gitListTags = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_list_tags',
      title: 'Git tags',
      description: 'Lists tags, the newest first, with their commits.',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      aliases: ['git/tags'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          pattern: { type: 'string', description: 'Only matching tags, such as v2.*' },
          repositoryPath,
          offset: offsetArgument,
          limit: { type: 'integer', minimum: 1, maximum: 10_000, default: MOST_TAGS, description: 'How many tags' },
        },
        additionalProperties: false,
      },
    },
    ({ offset, limit, ...args }, ctx) =>
      insidePaged(workspace, { path: args.repositoryPath, ctx, offset, limit }, async repo => {
        const format = '--format=%(refname:strip=2) %(objectname:short) %(creatordate:short) %(subject)'
        const pattern = args.pattern === undefined ? [] : [word(args.pattern, 'pattern')]
        const found = await repo.read(['tag', '--list', '--sort=-creatordate', format, ...pattern])
        return found.trimEnd() || 'There are no such tags'
      }),
  )

/** Lists working trees. */
export const gitListWorktrees = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_list_worktrees',
      title: 'Git worktrees',
      description: 'Lists the working trees of a repository with what is checked out in each.',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      aliases: ['git/worktrees'],
      use: [dataFrom('git')],
      input: { type: 'object', properties: { repositoryPath }, additionalProperties: false },
    },
    (args, ctx) =>
      inside(workspace, { path: args.repositoryPath, ctx, worktrees: true }, async repo => {
        const others = await readdir(join(repo.folder, 'worktrees')).catch(() => [])
        const lines = await Promise.all(others.map(id => worktree(workspace, join(repo.folder, 'worktrees', id))))
        const head = await textOf(join(repo.folder, 'HEAD'))
        return [`${repo.top} ${checkedOut(head)} (this one)`, ...lines.toSorted()].join('\n')
      }),
  )

const textOf = async (path: string): Promise<string> => (await readBounded(path, SMALL_BYTES)).toString()

const checkedOut = (head: string): string =>
  /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? `detached at ${head.trim().slice(0, 10)}`

async function worktree({ jail }: Workspace, folder: string): Promise<string> {
  const [head, where] = await Promise.all(['HEAD', 'gitdir'].map(name => textOf(join(folder, name))))
  const path = (where ?? '').trim().replace(/\/\.git$/, '')
  const isHere = jail.holds(path)
  const note = isHere ? (existsSync(path) ? '' : ' (gone)') : ' (outside the allowed roots)'
  return `${path} ${checkedOut(head ?? '')}${note}`
}

/** Makes a tag. */
export const gitCreateTag = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_create_tag',
      title: 'Git create tag',
      description: 'Creates a tag; with a message it is annotated. Fails if the tag exists.',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
      aliases: ['git/tag'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          tag: { type: 'string', description: 'Its name' },
          message: { type: 'string', description: 'What the tag says', 'x-audit': 'head' },
          revision: { type: 'string', default: 'HEAD', description: 'The commit it names' },
          repositoryPath,
        },
        required: ['tag'],
        additionalProperties: false,
      },
    },
    (args, ctx) => {
      if (args.message?.trim() === '') throw fault('invalid-arguments', "Parameter 'message' must not be blank.")
      const at = word(args.revision ?? 'HEAD', 'revision')
      const message = args.message === undefined ? [] : ['--annotate', `--message=${args.message}`]
      const where = { path: args.repositoryPath, ctx, write: 'history', revisions: [args.revision] } as const
      return inside(workspace, where, async repo => {
        await repo.read(['tag', '--no-sign', ...message, '--', word(args.tag, 'tag'), at])
        return `Created tag ${args.tag} at ${(await repo.read(['rev-parse', '--short', '--verify', at])).trim()}`
      })
    },
  )
