import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { fault, tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Tool } from '@causeway/engine'
import { gitWords } from '../../support/git/failure.ts'
import type { Repository } from '../../support/git/repository.ts'
import { quote } from '../../support/quote.ts'
import type { Workspace } from '../workspace.ts'
import { inside, line, repositoryPath, unfiltered } from './call.ts'
import { tryMerge } from './commits.ts'
import { diffPrefixes, namesFromRoot, rootPrefix, statFromRoot, statusFromRoot } from './root-paths.ts'

const STASH = 'refs/stash'
const MOST_LISTED = 100
const MOST_NAMED = 50
const AT_ONCE = 200
const PLAIN_DIFF = ['--no-ext-diff', '--no-textconv', '--no-color', '--submodule=short']
const FORMATS = { patch: [], stat: ['--stat=120'], names: ['--name-status'] } as const

/** Puts changes aside, and takes them back. */
export const gitStash = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_stash',
      title: 'Git stash',
      description:
        'Saves uncommitted changes for later (push), restores them (pop, apply), lists, shows or drops them. With conflicts nothing is changed.',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
      aliases: ['git/stash'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          action: {
            type: 'string',
            enum: ['push', 'list', 'show', 'pop', 'apply', 'drop'],
            default: 'list',
            description: 'What to do',
          },
          index: {
            type: 'integer',
            minimum: 0,
            maximum: 10_000,
            default: 0,
            description: 'Which one; 0 is the newest',
          },
          message: { type: 'string', description: 'What to call it (push)', 'x-audit': 'head' },
          includeUntracked: { type: 'boolean', default: false, description: 'New files too (push)' },
          format: { type: 'string', enum: ['patch', 'stat', 'names'], default: 'patch', description: 'Of show' },
          repositoryPath,
        },
        additionalProperties: false,
      },
    },
    (args, ctx) => {
      const message = args.message === undefined ? undefined : line(args.message, 'message').trim()
      const where = { path: args.repositoryPath, ctx, revisions: ['@{0}'] }
      const changing = { ...where, write: 'history', switches: args.action !== 'drop' } as const
      const isReading = args.action === 'list' || args.action === 'show'
      return inside(workspace, isReading ? where : changing, repo =>
        act(repo, { ...args, message, prefix: rootPrefix(workspace, repo) }),
      )
    },
  )

interface Action {
  readonly action: 'push' | 'list' | 'show' | 'pop' | 'apply' | 'drop'
  readonly index: number
  readonly message: string | undefined
  readonly includeUntracked: boolean
  readonly format: keyof typeof FORMATS
  /** In front of the paths in the answer. */
  readonly prefix: string
}

async function act(
  repo: Repository,
  { action, index, message, includeUntracked, format, prefix }: Action,
): Promise<string> {
  if (action === 'list') return list(repo)
  if (action === 'push') return push(repo, { message, untracked: includeUntracked })
  const stash = await stashAt(repo, index)
  if (action === 'show') return show(repo, stash, { format, prefix })
  const done = action === 'drop' ? `Dropped stash ${index}: ${stash.subject}` : await apply(repo, stash, prefix)
  if (action !== 'apply') await drop(repo, index)
  return done
}

interface Stash {
  readonly commit: string
  /** What it was made on. */
  readonly base: string
  /** A commit of the files that were not tracked, if there were any. */
  readonly untracked: string | undefined
  readonly subject: string
}

async function list(repo: Repository): Promise<string> {
  if ((await repo.run(['rev-parse', '--quiet', '--verify', STASH])).code !== 0) return 'There are no stashes'
  const most = `--max-count=${MOST_LISTED}`
  return repo.read(['log', '--walk-reflogs', '--no-show-signature', most, '--format=%gd: %gs (%as)', STASH, '--'])
}

async function stashAt(repo: Repository, index: number): Promise<Stash> {
  const name = `${STASH}@{${index}}`
  const { code, stdout } = await repo.run(['log', '--max-count=1', '--format=%H%n%P%n%s', name, '--'])
  const [commit = '', parents = '', subject = ''] = stdout.split('\n')
  const [base, staged, untracked] = parents.split(' ')
  if (code === 0 && base !== undefined && staged !== undefined) return { commit, base, untracked, subject }
  const known = await list(repo)
  throw fault('invalid-arguments', `Parameter 'index' must name a stash, got ${index}. ${known}`, { argument: 'index' })
}

async function show(
  repo: Repository,
  { base, commit }: Stash,
  { format, prefix }: Pick<Action, 'format' | 'prefix'>,
): Promise<string> {
  const how = [...PLAIN_DIFF, ...diffPrefixes(prefix), ...FORMATS[format]]
  const found = await repo.read(['diff', ...how, base, commit, '--'])
  if (format === 'patch') return found
  return format === 'stat' ? statFromRoot(found, prefix) : namesFromRoot(found, prefix)
}

interface Pushing {
  readonly message: string | undefined
  readonly untracked: boolean
}

/** As git does it, without the other programs that git would start for it. */
async function push(repo: Repository, { message, untracked }: Pushing): Promise<string> {
  const git = (...args: readonly string[]): Promise<string> => atTop(repo, args)
  const head = (await git('log', '--max-count=1', '--no-show-signature', '--format=%h %s')).trim()
  const branch = await repo.run(['symbolic-ref', '--quiet', '--short', 'HEAD'])
  const on = `${branch.code === 0 ? branch.stdout.trim() : '(no branch)'}: `
  const fresh = untracked ? names(await git('ls-files', '--others', '--exclude-standard', '-z')) : []
  const staged = (await git('write-tree')).trim()
  await git('add', '--update', '--', '.')
  await repo.checkStaged()
  const changed = (await git('write-tree')).trim()
  if (changed === (await git('rev-parse', 'HEAD^{tree}')).trim() && staged === changed && fresh.length === 0)
    return 'There are no changes to stash'
  const index = await commit(repo, staged, ['HEAD'], `index on ${on}${head}`)
  const parents = ['HEAD', index]
  if (fresh.length > 0) {
    await git('read-tree', '--empty')
    await add(repo, fresh)
    await repo.checkStaged()
    parents.push(await commit(repo, (await git('write-tree')).trim(), [], `untracked files on ${on}${head}`))
    await git('read-tree', changed)
    await repo.shieldSubmodules()
    await add(repo, fresh)
  }
  const subject = message ? `On ${on}${message}` : `WIP on ${on}${head}`
  const made = await commit(repo, changed, parents, subject)
  await git('update-ref', '--create-reflog', '-m', subject, STASH, made)
  // Takes away what is in the index and not in HEAD, so the new files too.
  await git('reset', '--quiet', '--hard', '--no-recurse-submodules', 'HEAD')
  return `Put aside as stash 0: ${subject}`
}

/** Applied to the index as it is, and carried over into the working tree if nothing there is in the way. */
async function apply(
  repo: Repository,
  { base, commit: theirs, untracked, subject }: Stash,
  prefix: string,
): Promise<string> {
  const git = (...args: readonly string[]): Promise<string> => atTop(repo, args)
  const fresh = untracked === undefined ? [] : names(await git('ls-tree', '-r', '-z', '--name-only', untracked))
  await mustBeFree(repo, fresh)
  await repo.run(['update-index', '-q', '--refresh'])
  const ours = (await git('write-tree')).trim()
  const { tree, conflicts } = await tryMerge(repo, await commit(repo, ours, [base], 'as it is'), theirs)
  if (conflicts.length > 0) throw conflict(conflicts.map(file => `${prefix}${file}`))
  const { code, stderr } = await repo.run(['-C', repo.top, 'read-tree', '-m', '-u', ours, tree])
  if (code !== 0) throw new Error(`Not applied, and nothing was changed: ${gitWords(stderr)}`)
  const added = names(await git('diff', '--cached', '--name-only', '-z', '--no-renames', '--diff-filter=A', ours))
  await git('read-tree', ours)
  await repo.shieldSubmodules()
  await add(repo, added)
  await repo.run(['update-index', '-q', '--refresh'])
  for (const some of portions(fresh)) await git('restore', `--source=${untracked ?? ''}`, '--worktree', '--', ...some)
  const left = await git('status', '--porcelain', '--ignore-submodules=dirty')
  return `Applied: ${subject}\n${statusFromRoot(left.trimEnd(), prefix)}${unfiltered(repo)}`
}

function conflict(files: readonly string[]): Error {
  const count = `${files.length} file${files.length === 1 ? '' : 's'}`
  return new Error(
    `Not applied, and nothing was changed: ${count} would conflict: ${files.slice(0, MOST_NAMED).join(', ')}. ` +
      'Commit what has changed there, or restore it, and apply the stash again.',
  )
}

async function drop(repo: Repository, index: number): Promise<void> {
  await repo.read(['reflog', 'delete', '--updateref', '--rewrite', `${STASH}@{${index}}`])
  const left = await repo.run(['reflog', 'show', '--max-count=1', STASH])
  if (left.stdout === '') await repo.read(['update-ref', '-d', STASH])
}

/** Files that were not tracked come back only where there is nothing now. */
async function mustBeFree({ top }: Repository, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const isThere = await lstat(join(top, file)).then(
      () => true,
      () => false,
    )
    if (isThere)
      throw new Error(
        `Not applied, and nothing was changed: ${quote(file)} exists already. Move it out of the way first.`,
      )
  }
}

const atTop = (repo: Repository, args: readonly string[]): Promise<string> => {
  const [command = '', ...rest] = args
  return repo.read(['-C', repo.top, command, ...rest])
}

async function commit(repo: Repository, tree: string, parents: readonly string[], message: string): Promise<string> {
  const named = parents.flatMap(parent => ['-p', parent])
  return (await repo.read(['commit-tree', '--no-gpg-sign', ...named, '-m', message, tree])).trim()
}

async function add(repo: Repository, files: readonly string[]): Promise<void> {
  for (const some of portions(files)) await atTop(repo, ['add', '--', ...some])
}

const names = (list: string): string[] => list.split('\0').filter(name => name !== '')

const portions = (files: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(files.length / AT_ONCE) }, (_, i) => files.slice(i * AT_ONCE, (i + 1) * AT_ONCE))
