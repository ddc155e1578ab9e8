import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Pool } from '../analysis/pool.ts'

/** What became of the files of a root since the last look. */
export interface Difference {
  readonly created: readonly string[]
  readonly changed: readonly string[]
  readonly deleted: readonly string[]
  /** What decides how files are read is another. */
  readonly settings: boolean
}

// What decides how a project is read: if one of these is another, a server has to begin anew.
const SETTINGS =
  `tsconfig.json jsconfig.json package.json package-lock.json pyproject.toml pyrightconfig.json setup.cfg go.mod go.sum
  go.work Cargo.toml Cargo.lock compile_commands.json compile_flags.txt .clangd pom.xml build.gradle`.split(/\s+/)
const MOST_FOLDERS = 60
const AT_ONCE = 64

/** Looks at the source files of a root, and says what changed. */
export class Watch {
  readonly #root: string
  readonly #pool: Pool
  #files = new Map<string, string>()
  #settings = ''

  constructor(root: string, pool: Pool) {
    this.#root = root
    this.#pool = pool
  }

  async look(limits: { readonly signal: AbortSignal; readonly client: string }): Promise<Difference> {
    const { files: names } = await this.#pool.find({ top: this.#root, below: '' }, limits)
    const files = await stamps(names.map(name => join(this.#root, name)))
    const folders = [...new Set([this.#root, ...names.map(name => dirname(join(this.#root, name)))])]
    const places = folders.slice(0, MOST_FOLDERS).flatMap(folder => SETTINGS.map(name => join(folder, name)))
    const settings = JSON.stringify([...(await stamps(places))])
    const difference = {
      created: [...files.keys()].filter(path => !this.#files.has(path)),
      changed: [...files].filter(([path, stamp]) => (this.#files.get(path) ?? stamp) !== stamp).map(([path]) => path),
      deleted: [...this.#files.keys()].filter(path => !files.has(path)),
      settings: settings !== this.#settings,
    }
    this.#files = files
    this.#settings = settings
    return difference
  }
}

/** What tells the state of files; those that are not there are left out. */
async function stamps(paths: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const batch = paths.slice(at, at + AT_ONCE)
    const states = await Promise.all(batch.map(path => stat(path, { bigint: true }).catch(() => undefined)))
    for (const [i, state] of states.entries()) {
      if (state?.isFile()) found.set(batch[i] ?? '', `${state.mtimeNs}:${state.ctimeNs}:${state.size}:${state.ino}`)
    }
  }
  return found
}
