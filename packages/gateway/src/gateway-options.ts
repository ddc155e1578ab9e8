import type { Log, Params } from '@causeway/engine'
import type { CredentialStore, Target } from '@causeway/engine/client'
import type { Peers } from './calls/parked-relay.ts'
import type { UpstreamConfig } from './config/upstream-config.ts'
import type { SessionStore } from './sessions/shared-sessions.ts'
import type { Trust } from './trust/judgement.ts'

/** How a gateway is set up. */
export interface GatewayOptions {
  readonly trust?: Partial<Trust>
  /** Pass on what servers say of themselves? Default: yes, quoted, under a heading each. */
  readonly instructions?: boolean
  /** Are all clients one person's? Then they share the processes of servers on stdio. Default: no. */
  readonly oneUser?: boolean
  /** Can calls of tools of servers be tasks, because the server serves some? Default: no. */
  readonly runsTasks?: boolean
  /** Where lists and logs are kept; without one, only in memory. */
  readonly folder?: string | undefined
  readonly log?: Log
  /** Shared with other processes that serve the same: sessions with servers are kept there, and answers brought to the process that asked. */
  readonly store?: (SessionStore & Peers) | undefined
  /** How long a call that asked waits for its client to come back. Default: 10 minutes. */
  readonly parkedMs?: number
  /** How a server is reached, if not as its entry says: one in this process, or over a transport of your own. */
  readonly reach?: (config: UpstreamConfig) => Target | undefined
  /** Where logins to servers are kept. Default: in memory. */
  readonly credentials?: CredentialStore
  /** Seals the links of logins; processes that serve the same without a shared store need the same. */
  readonly secret?: string | undefined
  /** Why a tool is not offered, by the name clients would use and its definition; undefined for one that is. */
  readonly leftOut?: (name: string, definition: Params) => string | undefined
}
