import { join, resolve as resolvePath } from 'node:path'
import { fault, tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Context, Tool } from '@causeway/engine'
import { firstNames } from '../../../support/first-names.ts'
import { contentsOf } from '../../../support/edits/undo-journal.ts'
import { replace } from '../../../support/files/file.ts'
import { refuseProtected } from '../../../support/git/protect.ts'
import { relativeFiles } from '../../../support/git/relative-files.ts'
import type { Repository } from '../../../support/git/repository.ts'
import { quote } from '../../../support/quote.ts'
import { inside, repositoryPath } from '../call.ts'
import { namedPath } from '../root-paths.ts'
import { orRoot } from '../../workspace.ts'
import type { Workspace } from '../../workspace.ts'
import { conflictFile } from './conflict-file.ts'
import type { ConflictFile } from './conflict-file.ts'
import { decided } from './hunks.ts'
import type { Side } from './hunks.ts'
import { mustBeUnfinished } from './operation.ts'
import { isSubmodule, kindOf, markSizes, reopen, unmergedIn } from './unmerged.ts'
import type { Unmerged } from './unmerged.ts'

const MOST_NAMED = 20

const INPUT = {
  type: 'object',
  properties: {
    file: { type: 'string', description: 'The file in conflict, relative to repositoryPath' },
    side: {
      type: 'string',
      enum: ['ours', 'theirs', 'both', 'file'],
      description: 'ours: the current branch; both: ours, then theirs; file: what is in the file now',
    },
    hunk: { type: 'integer', minimum: 1, description: 'Only this hunk, as git_conflicts counts them' },
    whole: {
      type: 'boolean',
      default: false,
      description: 'Take the whole file from the side, not only what conflicts: for lock files and the like',
    },
    repositoryPath,
  },
  required: ['file', 'side'],
  additionalProperties: false,
} as const

/** Decides conflicts. */
export const gitResolve = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_resolve',
      title: 'Git resolve',
      description:
        'Resolves merge conflicts, all hunks or one: by ours, theirs or both, or as they were edited by hand.',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
      aliases: ['git/resolve'],
      use: [dataFrom('git')],
      input: INPUT,
    },
    async ({ file, repositoryPath: path, ...how }, ctx) => {
      const { jail, inTurn } = workspace
      const sent = resolvePath(jail.roots[0] ?? '', orRoot(path), file)
      const real = await jail.locate({ path: sent, argument: 'file', link: true })
      refuseProtected(jail, real, { path: file, argument: 'file' })
      // The file first and the repository inside, as undoing does it: neither waits for the other.
      return inTurn(real, () =>
        inside(workspace, { path, ctx, write: 'history', switches: true }, async repo => {
          await mustBeUnfinished(repo)
          const all = await unmergedIn(repo)
          const one = all.find(({ path: other }) => join(repo.top, other) === real)
          if (!one) throw notInConflict(workspace, repo, { file, all })
          check(one, how)
          return resolve({ workspace, repo, one, real, ctx, path }, how)
        }),
      )
    },
  )

interface How {
  readonly side: 'ours' | 'theirs' | 'both' | 'file'
  readonly hunk?: number
  readonly whole: boolean
}

interface Resolving {
  readonly workspace: Workspace
  readonly repo: Repository
  readonly one: Unmerged
  readonly real: string
  readonly ctx: Context
  /** The repository as it was asked for. */
  readonly path: string | undefined
}

function notInConflict(
  workspace: Workspace,
  repo: Repository,
  { file, all }: { readonly file: string; readonly all: readonly Unmerged[] },
): Error {
  const names = all.map(({ path }) => namedPath(workspace, repo, path))
  const hint = all.length === 0 ? 'Nothing is: git_continue finishes.' : `These are: ${firstNames(names, MOST_NAMED)}.`
  return fault('invalid-arguments', `Parameter 'file' must name a file in conflict, got ${quote(file)}. ${hint}`)
}

function check(one: Unmerged, { side, hunk, whole }: How): void {
  if (isSubmodule(one))
    throw new Error(`${quote(one.path)} is a repository of its own. Resolve it with git in a terminal, or git_abort.`)
  if (hunk !== undefined && (whole || side === 'file'))
    throw fault('invalid-arguments', "Give 'hunk' without whole and with side ours, theirs or both.")
  if (whole && side !== 'ours' && side !== 'theirs')
    throw fault('invalid-arguments', "Parameter 'whole' needs side ours or theirs: a file comes from one of them.")
}

/** Write what was chosen, stage it if nothing is left to choose, and remember how to take that back. */
async function resolve(resolving: Resolving, how: How): Promise<string> {
  const { workspace, repo, one, real, ctx } = resolving
  const { jail, journal } = workspace
  const contents = (): ReturnType<typeof contentsOf> => jail.at({ path: real, link: true }, contentsOf)
  const before = await contents()
  const said = await choose(resolving, how)
  const after = await contents()
  const isStaged = said.left === 0
  const also = isStaged ? undoing(resolving, await headsOf(repo)) : undefined
  if (after !== 'unknown') journal.add(ctx, { tool: 'git_resolve', path: real, before, after, ...(also && { also }) })
  const name = namedPath(workspace, repo, one.path)
  if (!isStaged) return `Resolved ${said.what} of ${name}. ${said.left} left in it.`
  const others = (await unmergedIn(repo)).length
  const next = others === 0 ? 'Nothing is left in conflict: git_continue finishes.' : `${others} more in conflict.`
  return `Resolved and staged ${name} (${said.what}). ${next}`
}

interface Said {
  readonly what: string
  readonly left: number
}

async function choose(resolving: Resolving, { side, hunk, whole }: How): Promise<Said> {
  const { workspace, repo, one } = resolving
  const size = (await markSizes(repo, [one.path])).get(one.path)
  const file = whole ? undefined : await conflictFile(workspace, repo, { path: one.path, size })
  const count = file?.hunks.length ?? 0
  if (side === 'file') return takeFile(resolving, count)
  if (hunk !== undefined && hunk > count)
    throw fault('invalid-arguments', `Parameter 'hunk' must be 1 to ${count}, got ${hunk}. See git_conflicts.`)
  if (file && count > 0) return takeHunks(resolving, file, { side, hunk })
  if (side === 'both') throw noHunks(one)
  return takeSide(resolving, side)
}

/** Decide one hunk, or all of them; what merged cleanly stays. */
async function takeHunks(
  resolving: Resolving,
  { lines, hunks }: ConflictFile,
  { side, hunk }: { readonly side: Side; readonly hunk: number | undefined },
): Promise<Said> {
  const write = (latin1: string): Promise<void> =>
    resolving.workspace.jail.at({ path: resolving.real, link: true }, place =>
      replace(place, Buffer.from(latin1, 'latin1')),
    )
  await write(decided(lines, hunks, { side, hunk }))
  const left = hunk === undefined ? 0 : hunks.length - 1
  if (left === 0) {
    await stage(resolving).catch(async (error: unknown) => {
      await write(lines.join(''))
      throw error
    })
  }
  const all = `${hunks.length} hunk${hunks.length === 1 ? '' : 's'} by ${side}`
  return { what: hunk === undefined ? all : `hunk ${hunk} by ${side}`, left }
}

const noHunks = (one: Unmerged): Error =>
  fault('invalid-arguments', `${quote(one.path)} has no hunks (${kindOf(one)}): side must be ours, theirs or file.`)

async function takeFile(resolving: Resolving, count: number): Promise<Said> {
  const { workspace, repo, one } = resolving
  if (count > 0)
    throw new Error(
      `${quote(namedPath(workspace, repo, one.path))} still has ${count} conflict${count === 1 ? '' : 's'} in it. Edit it, or choose a side.`,
    )
  await stage(resolving)
  return { what: 'as it is', left: 0 }
}

/** The version of one side, which may be that there is no file. */
async function takeSide(resolving: Resolving, side: 'ours' | 'theirs'): Promise<Said> {
  const { repo, one, real } = resolving
  if (one.stages.has(side === 'ours' ? 2 : 3)) {
    await repo.read(['-C', repo.top, 'checkout', '--quiet', `--${side}`, '--', ...relativeFiles(repo, [real])])
    await stage(resolving)
    return { what: `as in ${side}`, left: 0 }
  }
  await repo.read(['-C', repo.top, 'rm', '--quiet', '--force', '--', one.path])
  return { what: `deleted, as in ${side}`, left: 0 }
}

async function stage({ repo, one }: Resolving): Promise<void> {
  await repo.read(['-C', repo.top, 'add', '--all', '--', one.path])
  await repo.checkStaged()
}

const headsOf = async (repo: Repository): Promise<string> => {
  const head = (await repo.read(['rev-parse', 'HEAD'])).trim()
  return `${head} ${(await mustBeUnfinished(repo)).commit}`
}

/** Takes a resolution back, in the index too; refuses when what it belonged to is over. */
const undoing =
  ({ workspace, one, path }: Resolving, heads: string) =>
  async (ctx: Context): Promise<void> => {
    await inside(workspace, { path, ctx, write: 'history', switches: true }, async repo => {
      const now = await headsOf(repo).catch(() => '')
      if (now !== heads)
        throw new Error(
          `The merge in which ${quote(namedPath(workspace, repo, one.path))} was resolved is over, so this is not undone. To take its commit back use git_revert.`,
        )
      await reopen(repo, one)
      return ''
    })
  }
