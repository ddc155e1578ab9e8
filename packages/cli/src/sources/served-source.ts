import type { Server } from '@causeway/engine'

/** What is served beside packs, modules and servers. */
export interface ServedSource {
  /** The names of all its tools, those too that are not wanted. */
  readonly tools: readonly string[]
  mount(server: Server): void
}
