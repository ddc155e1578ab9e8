import type { Params } from './jsonrpc/message.ts'

/** How loud a log message is, least first. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

/** Who a program says it is. */
export interface Implementation {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
  readonly icons?: readonly Icon[]
}

/** A picture a client may show. */
export interface Icon {
  readonly src: string
  readonly mimeType?: string
  readonly sizes?: readonly string[]
  readonly theme?: 'light' | 'dark'
}

/** Something only the client can answer, in protocol terms. */
export interface Ask {
  readonly method: string
  readonly params: Params
}

/** A tool's argument that is repeated in a header, for proxies that route by it. */
export interface ParamHeader {
  /** The `N` of `Mcp-Param-N`. */
  readonly header: string
  readonly path: readonly string[]
}
