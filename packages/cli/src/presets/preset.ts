import type { Dialect, Implementation, Policy, ServerOptions } from '@causeway/engine'

/** One system as data: what it serves, how it names itself, how it words its errors. */
export interface Preset {
  readonly name: string
  readonly packs: readonly string[]
  /** Who it says it is; without one: causeway, our version. */
  readonly identity?: Implementation
  readonly dialect: Dialect
  readonly server?: Pick<ServerOptions, 'names' | 'newest' | 'listChanged' | 'subscribe' | 'logging'>
  /** How the log on stderr reads; default: JSON. */
  readonly log?: 'json' | 'plain'
  /** Flags whose default differs in this preset. */
  readonly flags?: Readonly<Record<string, string>>
  /** What stands around every request, outside of the limits. */
  readonly use?: readonly Policy[]
  /** Let a tool's name be called as a method on stdio. */
  readonly direct?: boolean
  /** Count every request against the rate limit, not only tool calls. */
  readonly countEverything?: boolean
}
