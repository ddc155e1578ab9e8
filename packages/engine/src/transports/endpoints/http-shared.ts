import type { Server } from '../../server.ts'
import type { View } from '../../call.ts'
import type { Store } from '../../stores/store.ts'
import type { Exchange } from '../http/exchange.ts'
import type { ByteBudget } from '../limits/byte-budget.ts'
import type { HttpSessions } from '../sessions/sessions.ts'
import type { KeepAlive } from './event-stream.ts'

/** What the endpoint shares with the service around it. */
export interface HttpShared {
  readonly server: Server
  readonly sessions: HttpSessions
  /** Where what several processes share is kept. */
  readonly store: Store
  readonly keepAlive: KeepAlive
  readonly maxBody: number
  /** What may be held at once over all connections. */
  readonly budget: ByteBudget
  /** Stands before every path. */
  readonly prefix: string
  /** The part of the server that is served, if not all of it. */
  readonly view?: View
  /** Is what comes before the handshake is complete refused? */
  readonly strict: boolean
  /** Aborts when the service ends. */
  readonly ending: AbortSignal
  /** The header that asks for a token with these scopes. */
  readonly challenge: (scopes: readonly string[], exchange: Exchange) => string
  /** Do calls need scopes, so that a stream is begun only when a call may run? */
  readonly decidesScopes: boolean
}
