import type { Dialect, Feature, Implementation, Policy, ServerOptions } from '@causeway/engine'

type Chosen = 'names' | 'newest' | 'listChanged' | 'subscribe' | 'logging' | 'completions' | 'brief' | 'batches'

/** One system as data: what it serves, how it names itself, how it words its errors. */
export interface Preset {
  readonly name: string
  readonly packs: readonly string[]
  /** Who it says it is; without one: causeway, our version. */
  readonly identity?: Implementation
  readonly dialect: Dialect
  readonly server?: Pick<ServerOptions, Chosen>
  /** Toolsets and tools that are listed; the rest is found by search. Default: everything is listed. */
  readonly listed?: readonly string[]
  /** What stays listed where search takes over. */
  readonly pinned?: readonly string[]
  /** `read_file` reads files whole. Default: the first lines. */
  readonly wholeFiles?: boolean
  /** Which kinds of features its packs are served with. Default: all. */
  readonly kinds?: readonly Feature['kind'][]
  /** Places have one name in every tool, `path`, `paths` or `repository`. Default: the documented names. */
  readonly plainArguments?: boolean
  /** Its packs' views are served, to clients that show views. */
  readonly views?: boolean
  /** Whether the handshake has the packs' instructions. Default: true. */
  readonly instructions?: boolean
  /** How the log on stderr reads; default: JSON. */
  readonly log?: 'json' | 'plain'
  /** Flags whose default differs in this preset. */
  readonly flags?: Readonly<Record<string, string>>
  /** What stands around every request, outside of the limits. */
  readonly use?: readonly Policy[]
  /** Let a tool's name be called as a method on stdio. */
  readonly direct?: boolean
  /** Serve the tools of its packs that stream bytes, to those connected by WebSocket. */
  readonly streams?: boolean
  /** Refuse a handshake that names no protocol version. */
  readonly versionRequired?: boolean
  /** Count every request against the rate limit, not only tool calls. */
  readonly countEverything?: boolean
}

/** Nothing in the handshake but the kinds of features there are: `{"tools":{}}`. */
export const plainCapabilities: Pick<ServerOptions, Chosen> = {
  brief: true,
  listChanged: false,
  subscribe: false,
  logging: false,
  completions: false,
}

/** Flags of systems whose clients count on refusals, and on results as the tools make them. */
export const asDocumented: Readonly<Record<string, string>> = {
  repair: 'off',
  'result-budget': 'off',
  'task-ttl': 'off',
}
