import { mkdir, readFile, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isMissing } from '../files/errno.ts'
import type { Held, Jail } from '../files/jail.ts'
import { quote } from '../quote.ts'
import { filtersIn, formatConfig, harmless, isOn, lastOf, ownersHarmless, parseConfig } from './config.ts'
import type { Setting } from './config.ts'
import { assumeGitlinks, gitlinksInSlices } from './index-file.ts'
import type { Gitlink } from './index-file.ts'
import { inRoots, readBelow, readIn } from './locate.ts'
import type { Location } from './locate.ts'
import { ownerPaths } from './program.ts'
import type { ReadBudget } from './read-budget.ts'
import { filesBelow, hasRef, parseRef, readRefs } from './refs.ts'
import type { Refs } from './refs.ts'

/** What a repository was when its private copy was made, and what was made of it. */
export interface Snapshot {
  readonly folder: string
  readonly hashBytes: number
  readonly refs: Refs
  readonly head: string
  readonly index: Buffer | undefined
  /** The entries of its index that stand for other repositories. */
  readonly links: readonly Gitlink[]
  /** Those of them that only the copy tells git not to look at. */
  readonly assumed: ReadonlySet<string>
  /** Files of operations that are not finished, by name, and what is in them. */
  readonly state: ReadonlyMap<string, Buffer>
  /** How long the reflogs are that were copied. */
  readonly logs: ReadonlyMap<string, number>
  /** Filters that are configured, and not run. */
  readonly filters: readonly string[]
  /** All that the repository, and the owner of the machine, configured: as data. */
  readonly settings: readonly Setting[]
  readonly ownerSettings: readonly Setting[]
  /** Lists of ignored files and of attributes that the owner of the machine keeps. */
  readonly ownerFiles: readonly string[]
  readonly bare: boolean
  readonly shallow: boolean
  /** Is there no commit yet where HEAD is? */
  readonly unborn: boolean
}

/** What is wanted of a copy. */
export interface Wanted {
  /** What the owner of the machine configured; being asked for while the rest is copied. */
  readonly owner: Promise<readonly Setting[]>
  /** Revisions such as `HEAD@{1}` are going to be asked for. */
  readonly reflogs: boolean
  /** It matters which branches are checked out elsewhere. */
  readonly worktrees: boolean
  /** For everything that is read. */
  readonly budget: ReadBudget
}

const CONFIG_BYTES = 1024 * 1024
const SMALL_BYTES = 1024 * 1024
const INDEX_BYTES = 128 * 1024 * 1024
const LOG_BYTES = 16 * 1024 * 1024
const MOST_WORKTREES = 200
const MOST_INCLUDES = 20
const STATE = `ORIG_HEAD FETCH_HEAD MERGE_HEAD MERGE_MODE MERGE_MSG SQUASH_MSG AUTO_MERGE CHERRY_PICK_HEAD REVERT_HEAD`
const INFO = ['info/exclude', 'info/attributes', 'info/sparse-checkout', 'shallow']
const EXTENSIONS =
  /^extensions\.(?:noop|noop-v1|preciousobjects|partialclone|worktreeconfig|objectformat|refstorage|relativeworktrees)$/

/** Our own settings of git: they stand last, so they win. */
const OURS: readonly Setting[] = [
  ['core.fsmonitor', 'false'],
  ['core.hookspath', '/dev/null'],
  ['core.quotepath', 'false'],
  ['core.untrackedcache', 'false'],
  ['core.splitindex', 'false'],
  ['core.fsync', 'none'],
  ['core.multipackindex', 'false'],
  ['core.bigfilethreshold', '16m'],
  ['core.packedgitwindowsize', '32m'],
  ['core.packedgitlimit', '256m'],
  ['core.deltabasecachelimit', '64m'],
  ['core.pager', 'cat'],
  ['core.editor', ':'],
  ['checkout.workers', '1'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['protocol.allow', 'never'],
  ['commit.gpgsign', 'false'],
  ['diff.ignoresubmodules', 'dirty'],
  ['diff.submodule', 'short'],
  ['submodule.recurse', 'false'],
  ['color.ui', 'false'],
  ['column.ui', 'never'],
]

/** Copy everything of a repository but its objects into a private git directory, with a configuration of our own. */
export function copyRepository(jail: Jail, place: Location, folder: string, wanted: Wanted): Promise<Snapshot> {
  return jail.inside({ path: place.gitDir }, own =>
    jail.inside({ path: place.common }, shared =>
      copyParts({ jail, own, shared, folder, budget: wanted.budget }, place, wanted),
    ),
  )
}

/** The two directories of a repository, held, and the folder that becomes its copy. */
interface Copying {
  readonly jail: Jail
  readonly own: Held
  readonly shared: Held
  readonly folder: string
  readonly budget: ReadBudget
}

async function copyParts(copying: Copying, place: Location, wanted: Wanted): Promise<Snapshot> {
  const { jail, own, shared, folder, budget } = copying
  const settings = await repositorySettings(copying, place)
  const hashBytes = lastOf(settings, 'extensions.objectformat')?.toLowerCase() === 'sha256' ? 32 : 20
  const bare = place.top === undefined || (own.path === shared.path && isOn(lastOf(settings, 'core.bare')))
  await mkdir(join(folder, 'info'))
  const head = (await readBelow(jail, own, 'HEAD', budget.upTo(SMALL_BYTES)))?.toString() ?? ''
  const points = parseRef(head)
  if (!points) throw new Error(`The HEAD of the git repository ${quote(own.path)} cannot be read`)
  await writeFile(join(folder, 'HEAD'), head)
  const refs = await copyRefs(copying)
  if (wanted.worktrees) await copyWorktrees(copying)
  const state = await copyFiles(copying, own, STATE.split(' '))
  const info = await copyFiles(copying, shared, INFO)
  const logs = wanted.reflogs ? await copyLogs(copying) : new Map<string, number>()
  const shallow = info.has('shallow')
  const unborn = 'target' in points && !hasRef(refs, points.target)
  const index = await copyIndex(copying, hashBytes)
  const ownerSettings = await wanted.owner
  const owner = ownersHarmless(ownerPaths(ownerSettings))
  const ownerFiles = owner.filter(([key]) => key.endsWith('file')).map(([, path]) => path)
  const filters = filtersIn([...ownerSettings, ...settings, ...(await includedSettings(copying, settings))])
  const facts = { owner, bare, hashBytes }
  await writeFile(join(folder, 'config'), configFor(settings, facts))
  const found = { refs, head, ...index, state, logs, filters, settings, ownerSettings, ownerFiles }
  return { folder, hashBytes, ...found, bare, shallow, unborn }
}

function toSettings(bytes: Buffer | undefined, path: string): Setting[] {
  try {
    return parseConfig(bytes?.toString() ?? '')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The git repository ${quote(path)} cannot be used: ${why}`, { cause })
  }
}

/** Files that the configuration includes say nothing to git, but which filters would be run is worth knowing. */
async function includedSettings({ jail, shared, budget }: Copying, settings: readonly Setting[]): Promise<Setting[]> {
  const paths = settings.filter(([key]) => /^include(?:if\..+)?\.path$/s.test(key)).slice(0, MOST_INCLUDES)
  const found = paths.map(([, path]) =>
    readIn(jail, resolve(shared.path, path), budget.upTo(CONFIG_BYTES))
      .then(bytes => toSettings(bytes, shared.path))
      .catch(() => []),
  )
  return (await Promise.all(found)).flat()
}

async function repositorySettings({ jail, own, shared, budget }: Copying, { top }: Location): Promise<Setting[]> {
  const read = async (dir: Held, name: string): Promise<Setting[]> =>
    toSettings(await readBelow(jail, dir, name, budget.upTo(CONFIG_BYTES)), dir.path)
  const common = await read(shared, 'config')
  const isOwn = isOn(lastOf(common, 'extensions.worktreeconfig'))
  const settings = isOwn ? [...common, ...(await read(own, 'config.worktree'))] : common
  mustBeKnown(settings, shared.path)
  const worktree = lastOf(settings, 'core.worktree')
  if (worktree !== undefined && top !== undefined) {
    const real = await inRoots(jail, resolve(own.path, worktree), own.path)
    if (real !== top)
      throw new Error(`${quote(own.path)} has its working tree elsewhere, at ${quote(real)}: ask for that`)
  }
  return settings
}

function mustBeKnown(settings: readonly Setting[], common: string): void {
  const cannot = (why: string): Error => new Error(`The git repository ${quote(common)} cannot be used: ${why}`)
  const version = lastOf(settings, 'core.repositoryformatversion') ?? '0'
  if (!/^[01]$/.test(version)) throw cannot(`its format has version ${quote(version)}, known are 0 and 1`)
  const storage = lastOf(settings, 'extensions.refstorage')
  if (storage !== undefined && storage !== 'files') throw cannot(`it stores refs as ${quote(storage)}, not as files`)
  const format = lastOf(settings, 'extensions.objectformat')
  if (format !== undefined && !/^sha(?:1|256)$/i.test(format)) throw cannot(`its objects are named by ${quote(format)}`)
  const unknown = settings.find(([key]) => key.startsWith('extensions.') && !EXTENSIONS.test(key))
  if (unknown && version === '1') throw cannot(`it uses the unknown extension ${quote(unknown[0].slice(11))}`)
}

interface Facts {
  readonly owner: readonly Setting[]
  readonly bare: boolean
  readonly hashBytes: number
}

function configFor(settings: readonly Setting[], { owner, bare, hashBytes }: Facts): string {
  const isWide = hashBytes === 32
  return formatConfig([
    ...owner,
    ...harmless(settings),
    ...OURS,
    ['core.bare', String(bare)],
    ['core.repositoryformatversion', isWide ? '1' : '0'],
    ...(isWide ? ([['extensions.objectformat', 'sha256']] as const) : []),
  ])
}

/** Refs become one file; those that name another ref stay files. */
async function copyRefs({ jail, shared, folder, budget }: Copying): Promise<Refs> {
  const refs = await readRefs(jail, shared, budget)
  await mkdir(join(folder, 'refs'))
  const lines = [...refs.packed]
  for (const [name, text] of refs.loose) {
    const points = parseRef(text)
    if (points && 'hash' in points) lines.push(`${points.hash} ${name}`)
    else if (points) await put(join(folder, name), text)
  }
  await writeFile(join(folder, 'packed-refs'), lines.map(line => `${line}\n`).join(''))
  return refs
}

async function put(path: string, contents: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, contents)
}

/** Which branches are checked out elsewhere, so that git does not check out one of them twice. */
async function copyWorktrees({ jail, own, shared, folder, budget }: Copying): Promise<void> {
  const ids = await jail
    .inside({ path: join(shared.path, 'worktrees') }, dir => readdir(dir.at()))
    .catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
  for (const [i, id] of ['', ...ids.slice(0, MOST_WORKTREES)].entries()) {
    const other = join('worktrees', id)
    if (join(shared.path, id === '' ? '' : other) === own.path) continue
    const read = async (name: string): Promise<string> =>
      (await readBelow(jail, shared, id === '' ? name : join(other, name), budget.upTo(SMALL_BYTES)))?.toString() ?? ''
    const [head, where] = [await read('HEAD'), id === '' ? shared.path : await read('gitdir')]
    if (!parseRef(head) || where === '' || where.includes('\0')) continue
    await put(join(folder, `worktrees/${i}/HEAD`), head)
    await put(join(folder, `worktrees/${i}/gitdir`), `${where.trim()}\n`)
    await put(join(folder, `worktrees/${i}/commondir`), '../..\n')
  }
}

async function copyFiles(
  { jail, folder, budget }: Copying,
  from: Held,
  names: readonly string[],
): Promise<Map<string, Buffer>> {
  const copied = new Map<string, Buffer>()
  for (const name of names) {
    const bytes = await readBelow(jail, from, name, budget.upTo(SMALL_BYTES))
    if (bytes === undefined) continue
    await put(join(folder, name), bytes)
    copied.set(name, bytes)
  }
  return copied
}

async function copyLogs({ jail, own, shared, folder, budget }: Copying): Promise<Map<string, number>> {
  const head = await readBelow(jail, own, 'logs/HEAD', budget.upTo(LOG_BYTES))
  const others = await filesBelow(jail, join(shared.path, 'logs/refs'), { most: LOG_BYTES, budget })
  const logs = new Map([...others].map(([name, bytes]) => [`logs/refs/${name}`, bytes]))
  if (head) logs.set('logs/HEAD', head)
  for (const [name, bytes] of logs) await put(join(folder, name), bytes)
  return new Map([...logs].map(([name, { length }]) => [name, length]))
}

/** Mark the submodules in the index of the copy again; it does not get younger by that. */
export async function shieldSubmodules({ folder, hashBytes }: Snapshot): Promise<void> {
  const path = join(folder, 'index')
  const [index, { atime, mtime }] = await Promise.all([readFile(path), stat(path)])
  if (assumeGitlinks(index, hashBytes).size === 0) return
  await writeFile(path, index)
  await utimes(path, atime, mtime)
}

type IndexCopy = Pick<Snapshot, 'index' | 'links' | 'assumed'>

async function copyIndex({ jail, own, folder, budget }: Copying, hashBytes: number): Promise<IndexCopy> {
  // Looked at before it is read: if it is replaced in between, its copy only seems older than it is.
  const stats = await stat(own.at('index')).catch(() => undefined)
  const index = await readBelow(jail, own, 'index', budget.upTo(INDEX_BYTES))
  if (!index || !stats) return { index: undefined, links: [], assumed: new Set() }
  try {
    const links = await gitlinksInSlices(index, hashBytes)
    const copy = links.every(link => link.assumed) ? index : Buffer.from(index)
    const assumed = assumeGitlinks(copy, hashBytes, links)
    await writeFile(join(folder, 'index'), copy)
    // Git compares files' times with the index's: it must not look younger than it is.
    const seconds = Math.floor(stats.mtimeMs / 1000)
    await utimes(join(folder, 'index'), seconds, seconds)
    return { index, links, assumed }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The git repository ${quote(own.path)} cannot be used: ${why}`, { cause })
  }
}
