import { readFileSync, statSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { kindOf } from '../upstream/target-kinds.ts'
import { hashOf } from '../trust/lock/fingerprint.ts'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import type { Lists } from './fetch-lists.ts'
import { inSlices } from './slices.ts'

const MOST_BYTES = 64 * 1024 * 1024

/** The lists of servers as they were when they last ran, so that nothing has to be started to show them. */
export class ListCache {
  readonly #folder: string | undefined
  /** What is to be written next, and the work on it, by file. */
  readonly #next = new Map<string, Lists>()
  readonly #writing = new Map<string, Promise<void>>()

  /** Without a folder nothing is kept. */
  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  read(config: UpstreamConfig): Lists | undefined {
    const file = this.#file(config)
    if (file === undefined) return undefined
    try {
      if (statSync(file).size > MOST_BYTES) return undefined
      const lists = JSON.parse(readFileSync(file, 'utf8')) as Lists
      return Array.isArray(lists.tools) && Array.isArray(lists.resources) ? lists : undefined
    } catch {
      return undefined
    }
  }

  /** Resolves when it is written; of several writes of one file, the last one counts. */
  write(config: UpstreamConfig, lists: Lists): Promise<void> {
    const file = this.#file(config)
    if (file === undefined) return Promise.resolve()
    const isWriting = this.#next.has(file)
    this.#next.set(file, lists)
    if (!isWriting) this.#writing.set(file, this.#writeAll(file))
    return this.#writing.get(file) ?? Promise.resolve()
  }

  /** Resolves when everything is written. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing.values())
  }

  async #writeAll(file: string): Promise<void> {
    for (let lists = this.#next.get(file); lists;) {
      await this.#put(file, lists)
      const newer = this.#next.get(file)
      if (newer === lists) break
      lists = newer
    }
    this.#next.delete(file)
    this.#writing.delete(file)
  }

  async #put(file: string, lists: Lists): Promise<void> {
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      const fresh = `${file}.${process.pid}`
      await writeFile(fresh, await written(lists), { mode: 0o600 })
      await rename(fresh, file)
    } catch {
      // What cannot be kept is asked for again next time.
    }
  }

  /** What is started otherwise is another server, though it may have the same name; values of variables stay out. */
  #file({ name, target }: UpstreamConfig): string | undefined {
    if (this.#folder === undefined) return undefined
    const how = kindOf(target).identity(target)
    return join(
      this.#folder,
      `${name.replaceAll(/[^\w-]+/g, '_').slice(0, 60)}-${hashOf([name, how]).slice(0, 8)}.last.json`,
    )
  }
}

/** As JSON, an entry at a time: lists may be long, and other work runs in between. */
async function written({ tools, prompts, resources, templates, skills, ...rest }: Lists): Promise<string> {
  const lists = Object.entries({ tools, prompts, resources, templates, ...(skills && { skills }) })
  const parts: string[] = []
  for (const [name, list] of lists) {
    const items: string[] = []
    await inSlices(list, item => void items.push(JSON.stringify(item)))
    parts.push(`${JSON.stringify(name)}:[${items.join(',')}]`)
  }
  return `${JSON.stringify(rest).slice(0, -1)},${parts.join(',')}}`
}
