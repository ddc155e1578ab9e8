import { mkdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { environment } from '../processes/environment.ts'
import { run } from '../processes/exec.ts'
import type { Outcome } from '../processes/exec.ts'
import { unlessBlocked } from './blocking-files.ts'
import type { Setting } from './config.ts'
import { gitFailure } from './failure.ts'
import { locateRepository } from './locate.ts'
import type { Location } from './locate.ts'
import { locked } from './publish/lock.ts'
import type { Lock } from './publish/lock.ts'
import { withObjects } from './objects.ts'
import { gitProgram, ownerSettings } from './program.ts'
import { publish } from './publish/publish.ts'
import { readBudget } from './read-budget.ts'
import { bubblewrap } from './sandbox.ts'
import type { View } from './sandbox.ts'
import { copyRepository, shieldSubmodules } from './snapshot.ts'
import type { Snapshot } from './snapshot.ts'
import { checkStaged } from './publish/staging.ts'
import type { Held, Jail } from '../files/jail.ts'
import { inPrivateFolder } from '../files/private-folder.ts'
import { turns } from '../threads/turns.ts'

/** A repository inside the jail. Git works on a private copy of it, whose configuration is ours. */
export interface Repository {
  /** The directory that was asked for. */
  readonly path: string
  /** From the top of the repository to that directory, with a slash at the end; empty at the top. */
  readonly prefix: string
  /** Are its oldest commits missing? */
  readonly shallow: boolean
  /** Filters that are configured for the repository or on this machine; they are never run. */
  readonly filters: readonly string[]
  /** The top of the working tree, or the directory of a bare repository. */
  readonly top: string
  /** The private copy. */
  readonly folder: string
  /** The program that is run, and what the repository and the owner of the machine configured: data, none of it in force. */
  readonly program: string
  readonly settings: readonly Setting[]
  readonly ownerSettings: readonly Setting[]
  /** Run git to its end, whatever its exit code. */
  run(args: readonly string[], more?: RunOptions): Promise<Outcome>
  /** Run git; what it wrote, or an error that says in our words why it failed. */
  read(args: readonly string[]): Promise<string>
  /** Tell git again not to look into submodules, after it read its index anew from a tree. */
  shieldSubmodules(): Promise<void>
  /** Stop if something is staged in the copy that must not be stored. */
  checkStaged(): Promise<void>
}

/** Options of one run of git. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** It starts other programs, which end with it. */
  readonly wild?: boolean
  readonly timeoutMs?: number | undefined
  /** What it reads. */
  readonly input?: string | undefined
}

/** What may be chosen about running git. */
export interface GitOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  /** Bytes kept of its output. */
  readonly keep?: number | undefined
  /**
   * What git does to the copy is done to the repository afterwards. `staging` takes new contents from files; `refs` leaves
   * index and working tree alone, so that it may take long without blocking others.
   */
  readonly write?: 'staging' | 'history' | 'refs' | undefined
  /** Revisions such as `HEAD@{1}` are going to be asked for. */
  readonly reflogs?: boolean
  /** It matters which branches are checked out elsewhere. */
  readonly worktrees?: boolean
  /** The refs that may be gone afterwards, by their whole names: they are deleted in the repository too. */
  readonly deletes?: readonly string[]
  /** Run git in a sandbox in which nothing outside the roots exists; it is an error if there is none. */
  readonly sandbox?: boolean | undefined
}

/** Where it is asked for, and under which name. */
export interface Asked {
  readonly path: string
  readonly argument?: string
}

interface Session {
  readonly jail: Jail
  readonly dir: Held
  readonly place: Location
  readonly options: GitOptions
}

/** How git is started, and what it works on. */
interface Started {
  readonly program: string
  readonly before: Snapshot
  readonly toCommand: ToCommand
}

const SMALL_BYTES = 2 * 1024 * 1024
const STAGED_BYTES = 16 * 1024 * 1024
// What one git may take. Packs are mapped in windows (see OURS), so that large repositories fit.
const MEMORY_BYTES = 2 * 1024 ** 3
const inTurn = turns()

/** Work in the repository that holds a directory of the jail. */
export function inRepository<T>(
  jail: Jail,
  asked: Asked,
  work: (repository: Repository) => Promise<T>,
  options: GitOptions = {},
): Promise<T> {
  return jail.inside(asked, async dir => {
    const place = await locateRepository(jail, dir.path)
    const session = { jail, dir, place, options }
    if (options.write === undefined || options.write === 'refs') return inCopy(session, work)
    return inTurn(place.gitDir, () =>
      place.top === undefined
        ? inCopy(session, work)
        : locked(jail, join(place.gitDir, 'index'), lock => inCopy(session, work, lock)),
    )
  })
}

async function inCopy<T>(session: Session, work: (repository: Repository) => Promise<T>, lock?: Lock): Promise<T> {
  const { jail, place, options } = session
  const isSmall = options.write === undefined && (await sizeOf(place)) < SMALL_BYTES
  return inPrivateFolder(jail, isSmall ? 'small' : 'any', async folder => {
    const program = await gitProgram(jail)
    const owner = ownerSettings(program, place.gitDir)
    // Its caller handles its failure; if the copy fails first, there is no caller.
    owner.catch(() => {})
    const { write, reflogs = false, worktrees = write === 'history' } = options
    const budget = readBudget({ signal: options.signal })
    const wanted = { owner, reflogs, worktrees, budget }
    const before = await copyRepository(jail, place, folder, wanted).finally(budget.release)
    await mkdir(join(folder, 'none'))
    const sandbox = options.sandbox ? await bubblewrap(jail) : undefined
    const objects = { jail, objects: join(place.common, 'objects'), folder, held: sandbox === undefined, budget }
    return withObjects(objects, async links => {
      const view = viewOf(session, before, links)
      const command = (args: readonly string[]): string[] => [program, '--no-pager', ...args]
      const wrapped = sandbox && ((args: readonly string[]) => sandbox(command(args), session.dir.path, view))
      const repository = repositoryOf(session, { program, before, toCommand: wrapped ?? command })
      const result = await work(repository)
      if (options.write === 'staging') await repository.checkStaged()
      if (options.write !== undefined)
        await publish({ jail, place, before, lock, stashes: reflogs, deletes: options.deletes ?? [] })
      return result
    })
  })
}

/** Of what may be large in the copy of a repository that is only read. */
async function sizeOf({ gitDir, common }: Location): Promise<number> {
  const paths = [join(gitDir, 'index'), join(common, 'packed-refs')]
  const sizes = paths.map(path =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** In a sandbox git writes to its copy, and to the working tree only if it is to switch that. */
function viewOf({ jail, options }: Session, { folder, ownerFiles }: Snapshot, links: string): View {
  const isSwitching = options.write === 'history'
  const roots = isSwitching ? [] : jail.roots
  return { reads: [...ownerFiles, ...roots], writes: [...(isSwitching ? jail.roots : []), folder, links] }
}

type ToCommand = (args: readonly string[]) => string[]

function repositoryOf(session: Session, started: Started): Repository {
  const { dir, place, options } = session
  const { before, program: gitItself, toCommand } = started
  const env = surroundings(before, place.top)
  const git: Repository['run'] = (wanted, more = {}) => {
    const [program = '', ...args] = toCommand(wanted)
    const limits = { memoryBytes: MEMORY_BYTES, ...options }
    const command = { ...limits, ...more, program, args, cwd: dir.at(), env: { ...env, ...more.env } }
    return unlessBlocked(place.top, options.signal, signal => run({ ...command, signal }))
  }
  const prefix = relative(place.top ?? dir.path, dir.path).replaceAll(sep, '/')
  return {
    path: dir.path,
    prefix: prefix === '' ? '' : `${prefix}/`,
    shallow: before.shallow,
    filters: before.filters,
    top: place.top ?? dir.path,
    folder: before.folder,
    program: gitItself,
    settings: before.settings,
    ownerSettings: before.ownerSettings,
    run: git,
    read: async args => {
      const outcome = await git(args)
      if (outcome.code === 0) return outcome.stdout
      throw gitFailure(args, outcome, {
        path: dir.path,
        top: place.top ?? dir.path,
        memoryBytes: MEMORY_BYTES,
        ...before,
      })
    },
    shieldSubmodules: () => shieldSubmodules(before),
    checkStaged: () => {
      // However little an answer may have, this is read whole.
      const whole = repositoryOf({ ...session, options: { ...options, keep: STAGED_BYTES } }, started)
      return checkStaged(before, place.top ?? '', whole.run)
    },
  }
}

/** Git sees our copy, no home directory, and no program: neither another git nor anything else can be found. */
function surroundings({ folder, bare }: Snapshot, top: string | undefined): Record<string, string> {
  const nothing = join(folder, 'none')
  return {
    ...environment(),
    PATH: nothing,
    GIT_EXEC_PATH: nothing,
    HOME: nothing,
    XDG_CONFIG_HOME: nothing,
    GIT_DIR: folder,
    ...(top !== undefined && !bare && { GIT_WORK_TREE: top }),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    LC_ALL: 'C',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
  }
}
