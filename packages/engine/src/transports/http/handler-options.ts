import type { Principal } from '../../auth/principal.ts'
import type { ScopeRules } from '../../auth/scope-rules.ts'
import type { Store } from '../../stores/store.ts'
import type { StreamLimits } from '../websocket/socket-streams.ts'
import type { AdmissionOptions } from './admission.ts'
import type { Route } from './routes.ts'
import type { Views } from './view-route.ts'

/** How many sessions, event streams and WebSockets are open. */
export interface HttpOpen {
  readonly sessions: number
  readonly streams: number
  readonly sockets: number
}

/** Bytes that came and went over all connections so far. */
export interface Traffic {
  readonly received: number
  readonly sent: number
}

/** A request that was refused: who sent it, and why. */
export interface RefusedRequest {
  readonly status: number
  readonly path: string
  readonly principal: Principal | undefined
  readonly address: string
  readonly reason: string
}

/** What can be chosen about a handler of HTTP requests. */
export interface HttpHandlerOptions extends Partial<AdmissionOptions>, StreamLimits {
  /** Serve clients without a token although other machines can reach the address in `host`. */
  readonly allowAnonymous?: boolean
  /** What clients write before `/mcp`, such as `https://mcp.example.org`: tokens of authorization servers are for these URLs. */
  readonly publicUrl?: string
  /** Scopes that calls need, which clients without a token are told of. `requireScopes` enforces them. */
  readonly scopes?: ScopeRules
  /** Routes in addition to the built-in ones; at the same path, yours come first. */
  readonly routes?: readonly Route[]
  /** Named parts of the server, each served at `/mcp/NAME`. */
  readonly views?: Views
  /** Put before every path, such as `/api`. Default: none. */
  readonly prefix?: string
  /** The largest request body taken, in bytes. Default: 10 MB. */
  readonly maxBody?: number
  /** What all connections together may hold: bodies, unread answers, unfinished messages. Default: 256 MB, or four bodies. */
  readonly maxHeldBytes?: number
  /** Sessions alive at once. Default: 10,000. */
  readonly maxSessions?: number
  /** Sessions of one principal, or of one address without authentication. Default: a quarter, but 100 at least. */
  readonly maxSessionsPerPrincipal?: number
  /** How long a session may be silent. Default: 30 minutes. */
  readonly sessionIdleMs?: number
  /** Where session records and events are kept. Default: in memory, for this handler alone. */
  readonly store?: Store
  /** Letters and digits before the ids of sessions opened here, for who sends requests to where their session is. */
  readonly worker?: string
  /** `strict` refuses what comes before the handshake is complete. Default: lenient, since requests can overtake. */
  readonly lifecycle?: 'strict' | 'lenient'
  /** How long work in flight may take to finish at the end. Default: 30 s. */
  readonly drainMs?: number
  /** Called for every request that is refused with an HTTP status. */
  readonly onRefused?: (refused: RefusedRequest) => void
}
