import type { Log, Mount, Server, Source } from '@causeway/engine'
import type { Config } from '../../config/config.ts'
import { skillsIn } from '../../sources/skills.ts'

/** The skills of a configuration, mounted; another configuration exchanges them. */
export class ServedSkills {
  readonly #server: Server
  readonly #log: Log
  #mounts: readonly Mount[] = []
  #folders = ''

  constructor(server: Server, log: Log) {
    this.#server = server
    this.#log = log
  }

  async serve(config: Config): Promise<void> {
    const exchange = await this.prepare(config)
    exchange()
  }

  async prepare({ skills }: Config): Promise<() => void> {
    const folders = skills.join('\n')
    if (folders === this.#folders) return () => {}
    const sources: readonly Source[] = await skillsIn(skills, this.#log)
    return () => {
      for (const mount of this.#mounts) mount.unmount()
      this.#mounts = sources.map(source => this.#server.mount(source))
      this.#folders = folders
    }
  }
}
