import { existsSync } from 'node:fs'
import { createRequire, register } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import { STRIP_TYPES } from '../version.ts'
import { MODULE_HOOKS } from './module-hooks.ts'

const ENGINE = ['', '/http', '/policies', '/fetch', '/testing'].map(entry => `@causeway/engine${entry}`)

type FromHooks = { readonly turn: number } | { readonly parent: string; readonly child: string }

/** Does Node run TypeScript itself? */
const RUNS_TYPESCRIPT: boolean = 'typescript' in process.features && process.features.typescript !== false

/** Can files that end in `.ts` be loaded? */
export const canLoadTypeScript = (): boolean => RUNS_TYPESCRIPT || existsSync(STRIP_TYPES)

/**
 * Loads modules, and loads them again when they or what they import has changed. What did not change is not loaded again,
 * and keeps its state. Modules anywhere may import the engine that serves them, unless they have one installed.
 */
class ModuleLoader {
  readonly #port
  readonly #roots = new Set<string>()
  readonly #versions: Record<string, number> = {}
  /** Who imports a file, by its URL. */
  readonly #importers = new Map<string, Set<string>>()
  readonly #acknowledged = new Map<number, () => void>()
  #turn = 0

  constructor() {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.on('message', (message: FromHooks) => this.#take(message))
    port1.unref()
    const { resolve } = createRequire(import.meta.url)
    const known = Object.fromEntries(ENGINE.map(name => [name, pathToFileURL(resolve(name)).href]))
    const strip = RUNS_TYPESCRIPT ? undefined : pathToFileURL(STRIP_TYPES).href
    register(`data:text/javascript,${encodeURIComponent(MODULE_HOOKS)}`, {
      data: { known, strip, port: port2, roots: [] },
      transferList: [port2],
    })
  }

  /** What a file exports now. Of what it imports, the files in `folder` are followed. */
  async load(file: string, folder: string): Promise<Record<string, unknown>> {
    const root = pathToFileURL(`${folder}/`).href
    if (!this.#roots.has(root)) {
      this.#roots.add(root)
      await this.#tell()
    }
    const url = pathToFileURL(file).href
    const version = this.#versions[url]
    return (await import(version === undefined ? url : `${url}?v=${version}`)) as Record<string, unknown>
  }

  /** Have these files, and all that import them, loaded again; the paths of all of them. */
  async touch(files: readonly string[]): Promise<ReadonlySet<string>> {
    const touched = new Set<string>()
    const queue = files.map(file => pathToFileURL(file).href)
    for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
      if (touched.has(url)) continue
      touched.add(url)
      queue.push(...(this.#importers.get(url) ?? []))
    }
    this.#turn += 1
    for (const url of touched) this.#versions[url] = this.#turn
    await this.#tell()
    return new Set([...touched].map(url => fileURLToPath(url)))
  }

  /** The folders of every file that was imported from within the roots. */
  get folders(): readonly string[] {
    return [...new Set([...this.#importers.keys()].map(url => dirname(fileURLToPath(url))))]
  }

  #tell(): Promise<void> {
    const turn = ++this.#turn
    return new Promise(resolve => {
      this.#acknowledged.set(turn, resolve)
      // The process must not end while this waits.
      this.#port.ref()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, not a window
      this.#port.postMessage({ turn, roots: [...this.#roots], versions: this.#versions })
    })
  }

  #take(message: FromHooks): void {
    if ('turn' in message) {
      this.#acknowledged.get(message.turn)?.()
      this.#acknowledged.delete(message.turn)
      if (this.#acknowledged.size === 0) this.#port.unref()
      return
    }
    const importers = this.#importers.get(message.child) ?? new Set()
    importers.add(message.parent)
    this.#importers.set(message.child, importers)
  }
}

/** The package that a folder belongs to; else the folder. */
export function packageOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at
    if (dirname(at) === at) return folder
  }
}

let loader: ModuleLoader | undefined

/** The one of this process: hooks stay for as long as it runs. */
export const moduleLoader = (): ModuleLoader => (loader ??= new ModuleLoader())
