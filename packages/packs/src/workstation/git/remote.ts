import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Content, Context, Tool } from '@causeway/engine'
import type { Outcome } from '../../support/processes/exec.ts'
import { gitWords } from '../../support/git/failure.ts'
import { inRepository } from '../../support/git/repository.ts'
import type { Repository } from '../../support/git/repository.ts'
import { findRemote } from '../../support/git/remote/remote.ts'
import type { AllowedRemotes, Remote } from '../../support/git/remote/remote.ts'
import { exchange } from '../../support/git/remote/transport.ts'
import { quote } from '../../support/quote.ts'
import { inside, repositoryPath, word } from './call.ts'
import { merge } from './merge.ts'
import { rootPrefix } from './root-paths.ts'
import { plain } from '../build/reports/excerpt.ts'
import type { Workspace } from '../workspace.ts'

const TALKS = { readOnly: false, destructive: false, openWorld: true } as const
const TIME_MS = 5 * 60_000
const MARGIN_MS = 2000
const FETCH = ['--no-recurse-submodules', '--no-auto-maintenance', '--no-prune', '--refmap=']
const PUSH = ['--porcelain', '--no-verify', '--no-signed', '--recurse-submodules=no']
const remoteName = { type: 'string', description: 'Its name; default: that of the branch, or origin' } as const

/** The tools that talk to remotes, as far as the operator allows. */
export const remoteTools = (workspace: Workspace, allowed: AllowedRemotes): Tool[] =>
  [gitFetch, gitPull, gitPush].map(make => make({ ...workspace, allowed }))

interface RemoteWorkspace extends Workspace {
  readonly allowed: AllowedRemotes
}

const gitFetch = (workspace: RemoteWorkspace): Tool =>
  tool(
    {
      ...TALKS,
      name: 'git_fetch',
      title: 'Git fetch',
      description: 'Gets the branches and new tags of a remote, without changing the working tree.',
      idempotent: true,
      aliases: ['git/fetch'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: { remote: remoteName, repositoryPath },
        additionalProperties: false,
      },
    },
    (args, ctx) => withRemote(workspace, { ...args, ctx }, fetchAll),
  )

const gitPull = (workspace: RemoteWorkspace): Tool =>
  tool(
    {
      ...TALKS,
      name: 'git_pull',
      title: 'Git pull',
      description: 'Fetches, and merges the upstream branch into the current one. With conflicts nothing is merged.',
      idempotent: true,
      aliases: ['git/pull'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          remote: remoteName,
          branch: { type: 'string', description: 'The branch of the remote; default: the upstream of the current one' },
          fastForwardOnly: { type: 'boolean', default: false, description: 'Fail if a merge commit would be needed' },
          repositoryPath,
        },
        additionalProperties: false,
      },
    },
    async (args, ctx) => {
      const found = { revision: '', name: '' }
      const fetched = await withRemote(workspace, { ...args, ctx }, async at => {
        const { words, ...branch } = await fetchFor(at, args.branch)
        Object.assign(found, branch)
        return words
      })
      // The index is locked for the merge only, however long fetching takes.
      const merged = await inside(
        workspace,
        { path: args.repositoryPath, ctx, write: 'history', switches: true },
        repo => merge(repo, { ...found, isForwardOnly: args.fastForwardOnly, prefix: rootPrefix(workspace, repo) }),
      )
      return { content: [fetched, merged] }
    },
  )

interface FetchedBranch {
  readonly revision: string
  readonly name: string
  readonly words: string
}

/** Fetch, and find the branch there that is to be merged. */
async function fetchFor(at: AtRemote, wanted: string | undefined): Promise<FetchedBranch> {
  const { repo, remote, branch } = at
  const followed = branch === undefined ? undefined : upstreamOf(at, branch)
  const there = wanted === undefined ? followed : word(wanted, 'branch')
  if (there === undefined) throw new Error("No branch is checked out: name the one to merge by 'branch'.")
  const words = await fetchAll(at)
  const revision = `refs/remotes/${remote.name}/${there}`
  if ((await repo.run(['rev-parse', '--quiet', '--verify', revision])).code !== 0)
    throw new Error(`${quote(remote.name)} has no branch ${quote(there)}.`)
  return { revision, name: `${remote.name}/${there}`, words }
}

const gitPush = (workspace: RemoteWorkspace): Tool =>
  tool(
    {
      ...TALKS,
      name: 'git_push',
      title: 'Git push',
      description: 'Sends a branch or tag to a remote under the same name. Never forces; hooks are not run.',
      idempotent: true,
      aliases: ['git/push'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          remote: remoteName,
          branch: { type: 'string', description: 'Default: the current one' },
          tag: { type: 'string', description: 'A tag to send instead' },
          repositoryPath,
        },
        additionalProperties: false,
      },
    },
    (args, ctx) =>
      withRemote(workspace, { ...args, ctx, direction: 'push' }, async at => {
        const branch = args.branch ?? at.branch
        if (branch === undefined && args.tag === undefined)
          throw new Error("No branch is checked out: name one by 'branch'.")
        const ref =
          args.tag === undefined ? `refs/heads/${word(branch ?? '', 'branch')}` : `refs/tags/${word(args.tag, 'tag')}`
        if ((await at.repo.run(['show-ref', '--quiet', '--verify', '--', ref])).code !== 0)
          throw new Error(
            `There is no ${args.tag === undefined ? 'branch' : 'tag'} ${quote(ref.replace(/^refs\/\w+\//, ''))}.`,
          )
        const outcome = await at.talk(['push', ...PUSH, at.remote.name, `${ref}:${ref}`])
        return saying(at.remote, outcome, 'Pushed')
      }),
  )

interface AtRemote {
  readonly repo: Repository
  readonly remote: Remote
  /** The branch that is checked out. */
  readonly branch: string | undefined
  readonly talk: (args: readonly string[]) => Promise<Outcome>
}

interface Asked {
  readonly remote?: string
  readonly repositoryPath?: string
  readonly direction?: 'fetch' | 'push'
  readonly ctx: Context
}

/** Find the remote, and work with it. A repository on this machine gets a private copy too, so that nothing in it is run. */
function withRemote(
  workspace: RemoteWorkspace,
  { remote: name, repositoryPath: path, direction = 'fetch', ctx }: Asked,
  work: (at: AtRemote) => Promise<string>,
): Promise<Content> {
  const { jail, gitJail, timeMs = TIME_MS, allowed } = workspace
  if (workspace.sandbox) throw new Error('The sandbox has no network: git_fetch, git_pull and git_push are off in it.')
  const wanted = Math.min(TIME_MS, timeMs)
  const timeoutMs = Math.min(wanted, Math.max(1, ctx.allowTime(wanted + MARGIN_MS) - MARGIN_MS))
  return inside(workspace, { path, ctx, write: 'refs' }, async repo => {
    const { code, stdout } = await repo.run(['symbolic-ref', '--quiet', '--short', 'HEAD'])
    const branch = code === 0 ? stdout.trim() : undefined
    const remote = findRemote(repo, { name, branch, direction, allowed })
    const talking = (to: Remote): AtRemote => ({
      repo,
      remote: to,
      branch,
      talk: args => exchange({ jail: gitJail, repo, remote: to, timeoutMs }, args),
    })
    if (remote.protocol !== 'file') return work(talking(remote))
    const other = { path: pathOf(remote, repo), argument: 'remote' }
    const write = direction === 'push' ? 'refs' : undefined
    const options = { signal: ctx.signal, timeoutMs, write, worktrees: true } as const
    return inRepository(jail, other, copy => work(talking({ ...remote, url: copy.folder })), options)
  })
}

function pathOf({ url }: Remote, { top }: Repository): string {
  const path = url.startsWith('file://') ? fileURLToPath(url) : url
  return isAbsolute(path) ? path : resolve(top, path)
}

/** What the current branch follows there: as configured, else the branch of its name. */
function upstreamOf({ repo, remote }: AtRemote, branch: string): string {
  const last = (key: string): string | undefined => repo.settings.findLast(([name]) => name === key)?.[1]
  const merged = last(`branch.${branch}.remote`) === remote.name ? last(`branch.${branch}.merge`) : undefined
  return merged?.replace(/^refs\/heads\//, '') ?? branch
}

async function fetchAll({ remote, talk }: AtRemote): Promise<string> {
  const refs = `+refs/heads/*:refs/remotes/${remote.name}/*`
  return saying(remote, await talk(['fetch', ...FETCH, remote.name, refs]), 'Fetched')
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /could not read (?:Username|Password)|Authentication failed|terminal prompts disabled|Permission denied \(/i,
    'A password cannot be typed here: ask the owner of the machine to set up a credential helper (git config --global) or an ssh agent.',
  ],
  [/Host key verification failed/i, 'Connect once with ssh in a terminal to accept the key of that host.'],
  [/non-fast-forward|fetch first|\[rejected\]/i, 'The remote has commits that are not here: call git_pull first.'],
  [/checked out branch/i, 'That branch is checked out there: push another one.'],
]

/** What git said, without passwords; a failure throws, with what to do. */
function saying({ url, shown, name }: Remote, { code, stdout, stderr }: Outcome, done: string): string {
  const words = gitWords(plain(`${stderr}${stdout}`).replaceAll(url, shown))
  const said = words === '' || words === 'Everything up-to-date' ? 'Nothing is new.' : words
  if (code === 0) return `${done}, ${quote(name)} at ${shown}:\n${said}`
  const advice = ADVICE.find(([pattern]) => pattern.test(words))?.[1]
  throw new Error(`git failed with ${quote(name)} at ${shown}: ${words}${advice === undefined ? '' : `\n${advice}`}`)
}
