import { readdir, stat } from 'node:fs/promises'
import type { FSWatcher } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { createServer } from '@causeway/engine'
import { within } from '@causeway/engine/internal'
import type { Feature, Log, Mount, Server } from '@causeway/engine'
import { UsageError } from '../config/usage-error.ts'
import { followFolder } from '../serve/follow-files.ts'
import { canLoadTypeScript, moduleLoader, packageOf } from './module-loader.ts'
import { problemOf, shown } from './module-problem.ts'
import type { ModuleProblem } from './module-problem.ts'
import type { ModuleChange, ModulesOptions, ServedModules } from './served-modules.ts'

const MODULES = ['.js', '.mjs']
const TYPESCRIPT = ['.ts', '.mts']
const OTHER_CODE = ['.cjs', '.cts', '.tsx', '.jsx']
const KINDS: ReadonlySet<unknown> = new Set(['tool', 'resource', 'template', 'prompt'])
// Editors write a file in several steps.
const SETTLE_MS = 20
const MOST_FOLDERS = 200
// A module that waits for something that does not come would keep all others, and the server, from starting.
const LOAD_MS = 20_000

interface Loaded {
  features: readonly Feature[]
  mount?: Mount
  problem?: ModuleProblem
}

/** The features that modules export, served as they are now: a module that changed is loaded again, a broken one stays as it was. */
export class ToolModules implements ServedModules {
  readonly #paths: readonly string[]
  readonly #options: ModulesOptions
  readonly #files = new Map<string, Loaded>()
  readonly #watched = new Map<string, readonly FSWatcher[]>()
  readonly #dirty = new Set<string>()
  #server: Server | undefined
  #soon: NodeJS.Timeout | undefined
  #work: Promise<void> = Promise.resolve()

  private constructor(paths: readonly string[], options: ModulesOptions) {
    this.#paths = paths.map(path => resolve(path))
    this.#options = options
  }

  /** Load what files, and the modules of folders, export, in the order of their names. */
  static async load(paths: readonly string[], options: ModulesOptions): Promise<ToolModules> {
    const modules = new ToolModules(paths, options)
    for (const path of modules.#paths) {
      const files = await modulesIn(path)
      for (const file of files) await modules.#load(file)
    }
    // Promises that failed while loading are reported now, and not in the middle of something else.
    await setImmediate()
    return modules
  }

  get features(): readonly Feature[] {
    return [...this.#files.values()].flatMap(({ features }) => features)
  }

  get problems(): readonly ModuleProblem[] {
    return [...this.#files.values()].flatMap(({ problem }) => problem ?? [])
  }

  mount(server: Server): void {
    this.#server = server
    for (const [file, loaded] of this.#files) this.#offer(file, loaded, loaded.features)
  }

  prepare(): () => void {
    return () => {
      for (const [file, loaded] of this.#files) this.#offer(file, loaded, loaded.features)
    }
  }

  follow(): void {
    // What is no folder is watched by the folder it is in.
    const named = this.#paths.flatMap(path => [path, dirname(path)])
    for (const folder of [...named, ...moduleLoader().folders]) this.#watch(folder)
  }

  close(): void {
    clearTimeout(this.#soon)
    for (const watcher of [...this.#watched.values()].flat()) watcher.close()
    this.#watched.clear()
  }

  #watch(folder: string): void {
    if (this.#watched.has(folder) || this.#watched.size >= MOST_FOLDERS) return
    this.#watched.set(
      folder,
      followFolder(folder, name => {
        if (![...MODULES, ...TYPESCRIPT, '.json'].includes(extname(name))) return
        this.#dirty.add(join(folder, name))
        clearTimeout(this.#soon)
        this.#soon = setTimeout(() => this.#settle(), SETTLE_MS)
      }),
    )
  }

  #settle(): void {
    const files = [...this.#dirty]
    this.#dirty.clear()
    this.#work = this.#work
      .then(() => this.#reload(files))
      .catch((error: unknown) => {
        this.#options.log('error', 'modules could not be loaded again', { error })
      })
  }

  async #reload(files: readonly string[]): Promise<void> {
    const touched = await moduleLoader().touch(files)
    for (const path of this.#paths) {
      const present = new Set(await modulesIn(path).catch(() => []))
      const gone = [...this.#files.keys()].filter(file => isOf(path, file) && !present.has(file))
      for (const file of gone) this.#drop(file)
      for (const file of present) if (touched.has(file) || !this.#files.has(file)) await this.#load(file)
    }
    for (const folder of moduleLoader().folders) this.#watch(folder)
  }

  async #load(file: string): Promise<void> {
    const began = performance.now()
    const before: Loaded = this.#files.get(file) ?? { features: [] }
    this.#files.set(file, before)
    try {
      const folder = this.#options.changed ? packageOf(dirname(file)) : dirname(file)
      const ms = this.#options.loadMs ?? LOAD_MS
      const features = await within(featuresOf(file, folder), ms, () => notLoaded(ms))
      const refused = this.#offer(file, before, features)
      if (refused) throw refused
      delete before.problem
      if (this.#server) this.#report({ file, features, ms: performance.now() - began })
    } catch (error) {
      before.problem = problemOf(error, file)
      this.#report({ file, features: before.features, ms: performance.now() - began, problem: before.problem })
    }
  }

  /** Serve these features in the place of those before; the error if none of them changed because one is refused. */
  #offer(file: string, loaded: Loaded, features: readonly Feature[]): Error | undefined {
    const { accepts = () => true, log } = this.#options
    if (!this.#server) {
      loaded.features = features
      return undefined
    }
    const good = features.filter(accepts)
    const pack = { name: basename(file), features: good }
    try {
      if (loaded.mount) loaded.mount.replace(pack)
      else loaded.mount = this.#server.mount(pack)
    } catch (error) {
      // At the start, what is good of it is served.
      if (loaded.mount) return error instanceof Error ? error : new Error(String(error))
      const usable = good.filter(feature => this.#isUsable(feature, log))
      loaded.mount = this.#server.mount({ ...pack, features: usable })
    }
    loaded.features = features
    return undefined
  }

  #isUsable(feature: Feature, log: Log): boolean {
    try {
      createServer({ name: 'trial', version: '0', log: false }).add(feature)
      const trial = this.#server?.mount({ name: 'trial', features: [feature] })
      trial?.unmount()
      return true
    } catch (error) {
      log('warn', `skipped the ${feature.kind} ${feature.name}`, {
        problem: error instanceof Error ? error.message : String(error),
      })
      return false
    }
  }

  #drop(file: string): void {
    this.#files.get(file)?.mount?.unmount()
    this.#files.delete(file)
    this.#report({ file, features: [], ms: 0 })
  }

  #report(change: ModuleChange): void {
    const { log, changed } = this.#options
    const { file, features, ms, problem } = change
    if (changed && this.#server) return changed(change)
    if (problem) log('error', `skipped ${shown(problem)}`, { problem: problem.message })
    else log('info', `loaded ${file}`, { features: features.length, ms: Math.round(ms) })
  }
}

const isOf = (path: string, file: string): boolean => path === file || path === dirname(file)

async function modulesIn(path: string): Promise<string[]> {
  try {
    if ((await stat(path)).isFile()) return [path]
    return (await readdir(path))
      .sort()
      .map(name => join(path, name))
      .filter(isCode)
  } catch (error) {
    throw new UsageError(
      `--tools-dir ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

const isCode = (file: string): boolean =>
  [...MODULES, ...TYPESCRIPT, ...OTHER_CODE].includes(extname(file)) && !/\.(?:d|test|spec)\.[cm]?[jt]s$/.test(file)

function notLoaded(ms: number): never {
  throw new Error(
    `has not finished loading within ${ms / 1000} s: something that it awaits at its top level does not come`,
  )
}

async function featuresOf(file: string, folder: string): Promise<readonly Feature[]> {
  const extension = extname(file)
  if (OTHER_CODE.includes(extension))
    throw new TypeError(`${extension} files are not loaded; write an ES module (.js, .mjs, .ts, .mts)`)
  if (TYPESCRIPT.includes(extension) && !canLoadTypeScript())
    throw new TypeError(`Node.js ${process.versions.node} does not run TypeScript; compile it to .js`)
  // Reading a pipe would wait for who writes to it.
  if (!(await stat(file)).isFile()) throw new TypeError('is not a regular file')
  const exported = await moduleLoader().load(file, folder)
  const features = [...new Set(Object.values(exported).flat())].filter(isFeature)
  if (features.length === 0) throw new TypeError('exports no tool, resource, template or prompt')
  return features
}

const isFeature = (value: unknown): value is Feature =>
  typeof value === 'object' && value !== null && 'kind' in value && KINDS.has(value.kind)
