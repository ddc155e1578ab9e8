import { resolve } from 'node:path'
import { fault, text } from '@causeway/engine'
import type { Content, Context, ToolResult } from '@causeway/engine'
import { inRepository } from '../../support/git/repository.ts'
import type { GitOptions, Repository } from '../../support/git/repository.ts'
import { pageOf, withPage } from '../../support/page.ts'
import type { Page } from '../../support/page.ts'
import { quote } from '../../support/quote.ts'
import { clip } from '../../support/processes/spool.ts'
import { orRoot } from '../workspace.ts'
import type { Workspace } from '../workspace.ts'

/** The argument that names a repository. */
export const repositoryPath: { readonly type: 'string'; readonly description: string } = {
  type: 'string',
  description: 'A directory in the repository; default: the first root',
}
/** The argument that names a revision. */
export const revision: { readonly type: 'string'; readonly description: string } = {
  type: 'string',
  description: 'A commit, branch, tag or range, such as HEAD~2 or main..feature',
}
/** The argument that names files. */
export const files: {
  readonly type: 'array'
  readonly items: { readonly type: 'string' }
  readonly description: string
} = {
  type: 'array',
  items: { type: 'string' },
  description: 'Only these files or directories, relative to repositoryPath',
}

/** A repository that is asked for, by whom, and what for. */
export interface Where {
  readonly path: string | undefined
  readonly ctx: Context
  readonly write?: GitOptions['write']
  /** The revisions that are going to be asked for. */
  readonly revisions?: readonly (string | undefined)[]
  readonly worktrees?: boolean
  /** It changes files anywhere in the working tree. */
  readonly switches?: boolean
  readonly deletes?: readonly string[]
}

/** The arguments that choose lines of what git prints. */
export const linePaging: {
  readonly offset: { readonly type: 'integer'; readonly minimum: 0; readonly description: string }
  readonly limit: { readonly type: 'integer'; readonly minimum: 1; readonly description: string }
} = {
  offset: { type: 'integer', minimum: 0, description: 'How many lines to skip; to read on: next' },
  limit: { type: 'integer', minimum: 1, description: 'How many lines to return; default: all' },
}

/** The same as `inside`, of which only some lines are wanted if that is asked for. */
export async function insidePaged(
  workspace: Workspace,
  { offset, limit, ...where }: Where & { readonly offset?: number | undefined; readonly limit?: number | undefined },
  work: (repo: Repository) => Promise<string>,
): Promise<ToolResult> {
  if (offset === undefined && limit === undefined) return { content: [await inside(workspace, where, work)] }
  let page: Page | undefined
  const words = await inside(workspace, where, async repo => {
    const lines = (await work(repo)).split(/(?<=\n)/)
    const found = pageOf(lines, { offset: offset ?? 0, limit: limit ?? lines.length })
    page = found.page
    return found.items.join('')
  })
  return page ? withPage([words], page) : { content: [words] }
}

/** Run something in a repository, and return its words. */
export function inside(
  { jail, gitJail, timeMs, textBytes, sandbox }: Workspace,
  { path, ctx, revisions = [], switches = false, ...more }: Where,
  work: (repo: Repository) => Promise<string>,
): Promise<Content> {
  const asked = { path: orRoot(path), argument: 'repositoryPath' }
  const reflogs = revisions.some(revision => revision?.includes('@{'))
  const options = { signal: ctx.signal, timeoutMs: timeMs, keep: textBytes, reflogs, sandbox, ...more }
  return inRepository(
    gitJail,
    asked,
    async repo => {
      if (switches && !jail.holds(repo.top)) throw outside(repo)
      return text(clip(await work(repo), textBytes))
    },
    options,
  )
}

const outside = ({ top }: Repository): Error =>
  new Error(
    `This would change files of ${quote(top)} outside the allowed roots. Restore single files with git_restore, ` +
      'or the operator gives that directory as --root.',
  )

// Git would search messages by a regular expression, whose cost has no bound.
const SEARCHES = /^:\/|\^\{\//

/** A word that git takes for a revision or a name, never for an option. */
export function word(value: string, argument: string): string {
  if (SEARCHES.test(value)) {
    const why = `Parameter '${argument}' cannot search commit messages (':/…', '^{/…}'), got ${quote(value)}.`
    throw fault('invalid-arguments', `${why} Find the commit with git_log and its argument grep.`, { argument })
  }
  if (value !== '' && !value.startsWith('-') && !/[\0\n]/.test(value)) return value
  const words = `Parameter '${argument}' must be a name, not empty and not beginning with '-', got ${quote(value)}.`
  throw fault('invalid-arguments', words, { argument, sent: value.slice(0, 100) })
}

/** A text that git takes literally, of one line. */
export function line(value: string, argument: string): string {
  if (!/[\0\n]/.test(value)) return value
  const words = `Parameter '${argument}' must be one line, got ${quote(value)}.`
  throw fault('invalid-arguments', words, { argument, sent: value.slice(0, 100) })
}

/** A note for answers of tools that would have run filters. */
export const unfiltered = ({ filters }: Repository): string =>
  filters.length === 0
    ? ''
    : `\nNot run: the filters that are configured (${filters.slice(0, 10).join(', ').slice(0, 200)}).`

/** The files as real paths in the jail; a link is meant itself. */
export const paths = ({ jail }: Workspace, repo: Repository, wanted: readonly string[] = []): Promise<string[]> =>
  Promise.all(
    wanted.map(file =>
      jail.locate({ path: file.trim() === '' ? file : resolve(repo.path, file), argument: 'files', link: true }),
    ),
  )
