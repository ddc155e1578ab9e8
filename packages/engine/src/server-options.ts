import type { Implementation } from './call.ts'
import type { ListKind } from './catalog/changes.ts'
import type { Naming } from './catalog/names.ts'
import type { Dialect } from './errors/dialect.ts'
import type { ListingOptions } from './listing/options.ts'
import type { Log } from './log/log.ts'
import type { Rights } from './rights/grant.ts'

/** What a server is, and the little that can be chosen about it. */
export interface ServerOptions extends Implementation {
  /** What a model should know before it uses the features. */
  readonly instructions?: string
  readonly dialect?: Dialect
  /** Where the server logs to; `false` for nowhere. Default: lines on stderr. */
  readonly log?: Log | false
  /** Which letters tool names may have. */
  readonly names?: Naming
  /** Take arguments such as "5" for 5, where the schema refuses them and nothing is lost by it. Default: true. */
  readonly repair?: boolean
  /** The newest revision offered in a handshake. */
  readonly newest?: string
  /** Kinds to declare although there is nothing of them yet. */
  readonly declare?: readonly ListKind[]
  /** Tell clients when lists change. Default: true. */
  readonly listChanged?: boolean
  /** Let clients subscribe to resources. Default: true. */
  readonly subscribe?: boolean
  /** Offer log messages to clients. Default: true. */
  readonly logging?: boolean
  /** Offer to complete arguments where a feature can. Default: true. */
  readonly completions?: boolean
  /** Leave capabilities that are false out of the handshake, instead of declaring them false. */
  readonly brief?: boolean
  /** Understand batches in every revision that has a handshake, not only in those that define them. */
  readonly batches?: boolean
  /** Which tools are listed, and how the others are found. Default: all are listed. */
  readonly listing?: ListingOptions
  /** What callers may use and see; `obeyRights` refuses the rest. Default: everything. */
  readonly rights?: Rights
  readonly pageSize?: number
  /** How long clients of the newest revision may keep lists, and whether they may share them. */
  readonly cache?: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' }
  /** Seals what clients carry between rounds; servers that share it can open each other's. Default: random. */
  readonly secret?: string
}

/** Who a server says it is. */
export function identityOf({ name, version, title, description, websiteUrl, icons }: ServerOptions): Implementation {
  const shown = { title, description, websiteUrl, icons }
  return { name, version, ...Object.fromEntries(Object.entries(shown).filter(([, v]) => v !== undefined)) }
}
