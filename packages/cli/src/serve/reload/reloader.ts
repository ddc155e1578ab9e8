import type { Awaitable, Log } from '@causeway/engine'
import type { Config } from '../../config/config.ts'
import { followFiles } from '../follow-files.ts'
import { changedSettings, withLive } from './changed-settings.ts'

/** A part of what is served that can be exchanged while serving. */
export interface Reloadable {
  /** Prepare what the next configuration wants; the function exchanges it. What cannot be used throws, and nothing changed. */
  prepare(next: Config): Awaitable<() => Awaitable<void>>
}

/** Reads the configuration again while serving: what can be exchanged is, in all parts or in none. */
export class Reloader {
  readonly #log: Log
  readonly #parts: Reloadable[] = []
  #config: Config
  #work: Promise<void> | undefined
  #isWanted = false

  constructor(config: Config, log: Log) {
    this.#config = config
    this.#log = log
  }

  /** The configuration that is served now; settings that need a restart are as they were at the start. */
  get config(): Config {
    return this.#config
  }

  add(part: Reloadable): void {
    this.#parts.push(part)
  }

  /** Read the file again; reloads that are asked for meanwhile become one more. A file that cannot be used changes nothing. */
  reload(): Promise<void> {
    this.#isWanted = true
    return (this.#work ??= this.#run())
  }

  /** Reload whenever the file changes. */
  follow(): { close(): void } {
    const { configFile } = this.#config
    return configFile === undefined ? { close: () => {} } : followFiles([configFile], () => this.reload())
  }

  async #run(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false
      try {
        await this.#exchange()
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error)
        const said = 'the configuration cannot be used; everything stays as it was'
        this.#log('error', said, { file: this.#config.configFile, problem })
      }
    }
    this.#work = undefined
  }

  async #exchange(): Promise<void> {
    const read = this.#config.readAgain()
    const { live, restart } = changedSettings(this.#config, read)
    // What needs a restart stays as it is, for all parts alike.
    const next = withLive(this.#config, read)
    const exchanges = []
    for (const part of this.#parts) exchanges.push(await part.prepare(next))
    this.#config = next
    for (const exchange of exchanges) await exchange()
    this.#log('info', 'the configuration was read again', { file: next.configFile, changed: live })
    if (restart.length > 0) this.#log('warn', 'these settings need a restart to change', { settings: restart })
  }
}
