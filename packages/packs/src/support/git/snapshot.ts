import { lstat, mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isMissing } from '../errno.ts'
import type { Jail } from '../jail.ts'
import { quote } from '../quote.ts'
import { filtersIn, formatConfig, harmless, isOn, lastOf, ownersHarmless, parseConfig } from './config.ts'
import type { Setting } from './config.ts'
import { assumeGitlinks, gitlinks } from './index-file.ts'
import type { Gitlink } from './index-file.ts'
import { inRoots, readIn } from './locate.ts'
import type { Location } from './locate.ts'
import { ownerPaths } from './program.ts'
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
  /** Files of operations that are not finished, by name. */
  readonly state: readonly string[]
  /** How long the reflogs are that were copied. */
  readonly logs: ReadonlyMap<string, number>
  /** Filters that are configured, and not run. */
  readonly filters: readonly string[]
  readonly bare: boolean
  readonly shallow: boolean
  /** Is there no commit yet where HEAD is? */
  readonly unborn: boolean
}

/** What is wanted of a copy. */
export interface Wanted {
  readonly owner: readonly Setting[]
  /** Files that filters would change are refused. */
  readonly staging: boolean
  /** Revisions such as `HEAD@{1}` are going to be asked for. */
  readonly reflogs: boolean
}

const CONFIG_BYTES = 1024 * 1024
const SMALL_BYTES = 1024 * 1024
const INDEX_BYTES = 512 * 1024 * 1024
const LOG_BYTES = 16 * 1024 * 1024
const MOST_WORKTREES = 200
const MOST_INCLUDES = 20
const STATE = `ORIG_HEAD FETCH_HEAD MERGE_HEAD MERGE_MODE MERGE_MSG SQUASH_MSG AUTO_MERGE CHERRY_PICK_HEAD REVERT_HEAD`
const INFO = ['info/exclude', 'info/attributes', 'info/sparse-checkout', 'shallow']
const EXTENSIONS =
  /^extensions\.(?:noop|noop-v1|preciousobjects|partialclone|worktreeconfig|objectformat|refstorage|relativeworktrees)$/

/** What we decide about git, whoever says otherwise: it stands last, so it wins. */
const OURS: readonly Setting[] = [
  ['core.fsmonitor', 'false'],
  ['core.hookspath', '/dev/null'],
  ['core.quotepath', 'false'],
  ['core.untrackedcache', 'false'],
  ['core.splitindex', 'false'],
  ['core.fsync', 'none'],
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
export async function copyRepository(jail: Jail, place: Location, folder: string, wanted: Wanted): Promise<Snapshot> {
  const { gitDir, common } = place
  const settings = await repositorySettings(jail, place)
  const hashBytes = lastOf(settings, 'extensions.objectformat')?.toLowerCase() === 'sha256' ? 32 : 20
  const bare = place.top === undefined || (gitDir === common && isOn(lastOf(settings, 'core.bare')))
  const filters = filtersIn([...wanted.owner, ...settings, ...(await includedSettings(jail, common, settings))])
  await mkdir(join(folder, 'info'))
  await writeFile(join(folder, 'config'), configFor(settings, { ...wanted, bare, hashBytes, filters }))
  const head = (await readIn(jail, join(gitDir, 'HEAD'), SMALL_BYTES))?.toString() ?? ''
  const points = parseRef(head)
  if (!points) throw new Error(`The HEAD of the git repository ${quote(gitDir)} cannot be read`)
  await writeFile(join(folder, 'HEAD'), head)
  const refs = await copyRefs(jail, common, folder)
  await copyWorktrees(jail, place, folder)
  const state = await copyFiles(jail, { from: gitDir, to: folder, names: STATE.split(' ') })
  const shared = await copyFiles(jail, { from: common, to: folder, names: INFO })
  const logs = wanted.reflogs ? await copyLogs(jail, place, folder) : new Map<string, number>()
  const shallow = shared.includes('shallow')
  const unborn = 'target' in points && !hasRef(refs, points.target)
  const index = await copyIndex(jail, { gitDir, folder, hashBytes })
  return { folder, hashBytes, refs, head, ...index, state, logs, filters, bare, shallow, unborn }
}

async function readSettings(jail: Jail, path: string): Promise<Setting[]> {
  const text = (await readIn(jail, path, CONFIG_BYTES))?.toString() ?? ''
  try {
    return parseConfig(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The git repository ${quote(dirname(path))} cannot be used: ${why}`, { cause })
  }
}

/** Files that the configuration includes say nothing to git, but which filters would be run is worth knowing. */
async function includedSettings(jail: Jail, common: string, settings: readonly Setting[]): Promise<Setting[]> {
  const paths = settings.filter(([key]) => /^include(?:if\..+)?\.path$/s.test(key)).slice(0, MOST_INCLUDES)
  const found = paths.map(([, path]) => readSettings(jail, resolve(common, path)).catch(() => []))
  return (await Promise.all(found)).flat()
}

async function repositorySettings(jail: Jail, { top, gitDir, common }: Location): Promise<Setting[]> {
  const shared = await readSettings(jail, join(common, 'config'))
  const isOwn = isOn(lastOf(shared, 'extensions.worktreeconfig'))
  const settings = isOwn ? [...shared, ...(await readSettings(jail, join(gitDir, 'config.worktree')))] : shared
  mustBeKnown(settings, common)
  const worktree = lastOf(settings, 'core.worktree')
  if (worktree !== undefined && top !== undefined) {
    const real = await inRoots(jail, worktree.startsWith('/') ? worktree : join(gitDir, worktree), gitDir)
    if (real !== top)
      throw new Error(`${quote(gitDir)} has its working tree elsewhere, at ${quote(real)}: ask for that`)
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

interface Facts extends Wanted {
  readonly bare: boolean
  readonly hashBytes: number
  readonly filters: readonly string[]
}

function configFor(settings: readonly Setting[], { owner, staging, bare, hashBytes, filters }: Facts): string {
  const isWide = hashBytes === 32
  const required = staging ? filters.map((name): Setting => [`filter.${name}.required`, 'true']) : []
  return formatConfig([
    ...ownersHarmless(ownerPaths(owner)),
    ...harmless(settings),
    ...OURS,
    ...required,
    ['core.bare', String(bare)],
    ['core.repositoryformatversion', isWide ? '1' : '0'],
    ...(isWide ? ([['extensions.objectformat', 'sha256']] as const) : []),
  ])
}

/** Refs become one file; those that name another ref stay files. */
async function copyRefs(jail: Jail, common: string, folder: string): Promise<Refs> {
  const refs = await readRefs(jail, common)
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
async function copyWorktrees(jail: Jail, { gitDir, common }: Location, folder: string): Promise<void> {
  const ids = await jail
    .inside({ path: join(common, 'worktrees') }, dir => readdir(dir.at()))
    .catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
  const others = ids.slice(0, MOST_WORKTREES).map(id => join(common, 'worktrees', id))
  for (const [i, other] of [common, ...others].entries()) {
    if (other === gitDir) continue
    const head = (await readIn(jail, join(other, 'HEAD'), SMALL_BYTES))?.toString() ?? ''
    const where = other === common ? common : (await readIn(jail, join(other, 'gitdir'), SMALL_BYTES))?.toString()
    if (!parseRef(head) || where === undefined || /\0/.test(where)) continue
    await put(join(folder, `worktrees/${i}/HEAD`), head)
    await put(join(folder, `worktrees/${i}/gitdir`), `${where.trim()}\n`)
    await put(join(folder, `worktrees/${i}/commondir`), '../..\n')
  }
}

async function copyFiles(
  jail: Jail,
  { from, to, names }: { from: string; to: string; names: readonly string[] },
): Promise<string[]> {
  const copied: string[] = []
  for (const name of names) {
    const bytes = await readIn(jail, join(from, name), SMALL_BYTES)
    if (bytes === undefined) continue
    await put(join(to, name), bytes)
    copied.push(name)
  }
  return copied
}

async function copyLogs(jail: Jail, { gitDir, common }: Location, folder: string): Promise<Map<string, number>> {
  const head = await readIn(jail, join(gitDir, 'logs/HEAD'), LOG_BYTES)
  const others = await filesBelow(jail, join(common, 'logs/refs'), LOG_BYTES)
  const logs = new Map([...others].map(([name, bytes]) => [`logs/refs/${name}`, bytes]))
  if (head) logs.set('logs/HEAD', head)
  for (const [name, bytes] of logs) await put(join(folder, name), bytes)
  return new Map([...logs].map(([name, { length }]) => [name, length]))
}

type IndexCopy = Pick<Snapshot, 'index' | 'links' | 'assumed'>

async function copyIndex(
  jail: Jail,
  { gitDir, folder, hashBytes }: { gitDir: string; folder: string; hashBytes: number },
): Promise<IndexCopy> {
  const path = join(gitDir, 'index')
  // Looked at before it is read: if it is replaced in between, its copy only seems older than it is.
  const stats = await lstat(path).catch(() => undefined)
  const index = await readIn(jail, path, INDEX_BYTES)
  if (!index || !stats) return { index: undefined, links: [], assumed: new Set() }
  const copy = Buffer.from(index)
  try {
    const links = gitlinks(copy, hashBytes)
    const assumed = assumeGitlinks(copy, hashBytes)
    await writeFile(join(folder, 'index'), copy)
    // Git compares files' times with the index's: it must not look younger than it is.
    const seconds = Math.floor(stats.mtimeMs / 1000)
    await utimes(join(folder, 'index'), seconds, seconds)
    return { index, links, assumed }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The git repository ${quote(gitDir)} cannot be used: ${why}`, { cause })
  }
}
