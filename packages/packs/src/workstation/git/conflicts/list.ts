import { tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Tool } from '@causeway/engine'
import { offsetArgument, pageOf, withPage } from '../../../support/page.ts'
import type { Page } from '../../../support/page.ts'
import { relativeFiles } from '../../../support/git/relative-files.ts'
import type { Repository } from '../../../support/git/repository.ts'
import { inside, paths, repositoryPath } from '../call.ts'
import { namedPath } from '../root-paths.ts'
import type { Workspace } from '../../workspace.ts'
import { conflictFile } from './conflict-file.ts'
import { operationIn } from './operation.ts'
import { kindOf, markSizes, unmergedIn } from './unmerged.ts'
import type { Unmerged } from './unmerged.ts'

const MOST_CHARACTERS = 4000

interface Shown {
  readonly path: string
  readonly kind: string
  readonly hunks: readonly {
    readonly hunk: number
    readonly line: number
    readonly ours: string
    readonly theirs: string
  }[]
}

/** Lists conflicts. */
export const gitConflicts = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_conflicts',
      title: 'Git conflicts',
      description:
        'Lists the conflicts of an unfinished merge, cherry-pick or revert, each hunk with both sides: ours is the current branch.',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      aliases: ['git/conflicts'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          file: { type: 'string', description: 'Only this file, relative to repositoryPath' },
          repositoryPath,
          offset: offsetArgument,
          limit: { type: 'integer', minimum: 1, maximum: 1000, default: 20, description: 'How many files' },
        },
        additionalProperties: false,
      },
    },
    async ({ file, offset, limit, ...args }, ctx) => {
      let page: (Page & { readonly total: number }) | undefined
      let files: readonly Shown[] = []
      let operation: { readonly name: string; readonly commit: string } | undefined
      const words = await inside(workspace, { path: args.repositoryPath, ctx }, async repo => {
        const found = await operationIn(repo)
        operation = found && { name: found.name, commit: found.commit }
        const wanted = file === undefined ? undefined : relativeFiles(repo, await paths(workspace, repo, [file]))[0]
        const all = (await unmergedIn(repo)).filter(({ path }) => wanted === undefined || path === wanted)
        const part = pageOf(all, { offset, limit })
        page = part.page
        files = await shownFiles(workspace, repo, part.items)
        if (all.length === 0) return nothing(file, operation?.name)
        const head = `${operation ? `${operation.name} of ${operation.commit.slice(0, 10)}: ` : ''}${all.length} file${all.length === 1 ? '' : 's'} in conflict.`
        return [head, ...files.map(written)].join('\n\n')
      })
      const result = page ? withPage([words], page) : { content: [words] }
      const { total = 0, next } = page ?? {}
      return {
        ...result,
        structuredContent: { ...(operation && { operation }), files, total, ...(next !== undefined && { next }) },
      }
    },
  )

function nothing(file: string | undefined, operation: string | undefined): string {
  const what = file === undefined ? 'Nothing is in conflict.' : `'${file}' is not in conflict.`
  return operation === undefined ? what : `${what} The ${operation} is not finished: git_continue commits it.`
}

async function shownFiles(workspace: Workspace, repo: Repository, all: readonly Unmerged[]): Promise<Shown[]> {
  const named = all.map(({ path }) => path)
  const sizes = await markSizes(repo, named)
  const shown: Shown[] = []
  for (const one of all) {
    const { path } = one
    // What is no file has no lines to show.
    const file = await conflictFile(workspace, repo, { path, size: sizes.get(path) }).catch(() => undefined)
    const hunks = (file?.hunks ?? []).map(({ start, ours, theirs }, i) => ({
      hunk: i + 1,
      line: start + 1,
      ours: clipped(ours),
      theirs: clipped(theirs),
    }))
    shown.push({ path: namedPath(workspace, repo, path), kind: kindOf(one), hunks })
  }
  return shown
}

function clipped(latin1: string): string {
  const words = Buffer.from(latin1, 'latin1').toString()
  const more = words.length - MOST_CHARACTERS
  return more <= 0 ? words : `${words.slice(0, MOST_CHARACTERS)}\n[${more} more characters: read the file]\n`
}

function written({ path, kind, hunks }: Shown): string {
  const how = hunks.length === 0 ? 'no hunks: take one side whole, or edit the file and take it' : ''
  const lines = hunks.map(
    ({ hunk, line, ours, theirs }) =>
      `hunk ${hunk}, line ${line}\n--- ours\n${ended(ours)}--- theirs\n${ended(theirs)}`,
  )
  return [`${path}: ${kind}${how === '' ? '' : ` (${how})`}`, ...lines].join('\n').trimEnd()
}

const ended = (words: string): string => (words === '' || words.endsWith('\n') ? words : `${words}\n`)
