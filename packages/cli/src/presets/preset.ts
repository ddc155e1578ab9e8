import type { Dialect, Implementation, ServerOptions } from '@causeway/engine'

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
  /** Let a tool's name be called as a method on stdio. */
  readonly direct?: boolean
  /** Refuse a handshake that names no protocol version. */
  readonly versionRequired?: boolean
  /** Count every request against the rate limit, not only tool calls. */
  readonly countEverything?: boolean
}
