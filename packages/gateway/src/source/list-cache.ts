import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { kindOf } from '../upstream/target-kinds.ts'
import { hashOf } from '../trust/lock/fingerprint.ts'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import type { Lists } from './fetch-lists.ts'

const MOST_BYTES = 64 * 1024 * 1024

/** The lists of servers as they were when they last ran, so that nothing has to be started to show them. */
export class ListCache {
  readonly #folder: string | undefined

  /** Without a folder nothing is kept. */
  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /** `kind` is `last` for what it listed last, `locked` for what was approved. */
  read(config: UpstreamConfig, kind: 'last' | 'locked'): Lists | undefined {
    const file = this.#file(config, kind)
    if (file === undefined) return undefined
    try {
      if (statSync(file).size > MOST_BYTES) return undefined
      const lists = JSON.parse(readFileSync(file, 'utf8')) as Lists
      return Array.isArray(lists.tools) && Array.isArray(lists.resources) ? lists : undefined
    } catch {
      return undefined
    }
  }

  write(config: UpstreamConfig, kind: 'last' | 'locked', lists: Lists): void {
    const file = this.#file(config, kind)
    if (file === undefined || this.#folder === undefined) return
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      const fresh = `${file}.${process.pid}`
      writeFileSync(fresh, JSON.stringify(lists), { mode: 0o600 })
      renameSync(fresh, file)
    } catch {
      // What cannot be kept is asked for again next time.
    }
  }

  /** What is started otherwise is another server, though it may have the same name; values of variables stay out. */
  #file({ name, target }: UpstreamConfig, kind: string): string | undefined {
    if (this.#folder === undefined) return undefined
    const how = kindOf(target).identity(target)
    return join(
      this.#folder,
      `${name.replaceAll(/[^\w-]+/g, '_').slice(0, 60)}-${hashOf([name, how]).slice(0, 8)}.${kind}.json`,
    )
  }
}
