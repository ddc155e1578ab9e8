/** One tool call, as the operator sees it: secrets masked, long things cut. */
export interface CallRecord {
  readonly id: number
  readonly time: string
  readonly principal: string | null
  readonly client: string | null
  readonly transport: string
  readonly revision: string
  readonly tool: string
  /** Undefined where they are long, or where so many calls came at once that they were not kept. */
  readonly arguments?: unknown
  readonly outcome: string
  readonly durationMs: number
}

/** One line of the server's log. */
export interface LogRecord {
  readonly id: number
  readonly time: string
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** How the server fares, once a second. */
export interface Sample {
  readonly at: number
  /** Calls that ended within the second, and how many of them failed. */
  readonly calls: number
  readonly errors: number
  /** Milliseconds; 0 where nothing ended. */
  readonly p50: number
  readonly p95: number
  readonly running: number
  readonly sessions: number
  readonly streams: number
  readonly rss: number
}

/** Another server behind this one. */
export type UpstreamRecord = Readonly<Record<string, unknown>> & { readonly name: string }

/** What a pack or another server brought, by name. */
export interface ServedGroup {
  readonly name: string
  readonly kind: 'pack' | 'server'
  readonly tools: readonly string[]
  readonly prompts: readonly string[]
  readonly resources: readonly string[]
}

/** What is said first on the stream. */
export interface FeedHello {
  readonly name: string
  readonly version: string
  readonly startedAt: number
  readonly publicUrl: string | undefined
  readonly needsToken: boolean
  /** How a client would start the same server on standard input and output. */
  readonly command: readonly string[]
  readonly roots: readonly string[]
  readonly groups: readonly ServedGroup[]
}
