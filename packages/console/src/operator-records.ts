/** One tool call, as the operator sees it: secrets masked, long things cut. */
export interface CallRecord {
  /** Unique among the workers of a server. */
  readonly id: number | string
  /** Which worker ran it, if there are several. */
  readonly worker?: string
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
  readonly id: number | string
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
  /** The parts of each worker, if there are several. */
  readonly workers?: readonly WorkerSample[]
}

/** One worker's part of the figures. */
export interface WorkerSample {
  readonly worker: string
  readonly calls: number
  readonly running: number
  readonly sessions: number
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

/** What the page shows of the server that the protocol does not say. */
export interface ServerFacts {
  /** The address that clients use, if it is not the one of the page. */
  readonly publicUrl?: string | undefined
  /** The words that start the same server on standard input and output. */
  readonly command?: readonly string[]
  /** The words that call a tool of this server from a shell, without the tool's name and arguments. */
  readonly callTool?: readonly string[]
  /** Folders that tools are confined to. */
  readonly roots?: readonly string[]
  /** Names of virtual servers, each at `/mcp/NAME`. */
  readonly virtual?: readonly string[]
}

/** The first event of the stream. */
export interface FeedHello extends ServerFacts {
  readonly startedAt: number
  readonly groups: readonly ServedGroup[]
}
