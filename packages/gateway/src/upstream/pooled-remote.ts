import type { Caller, Cancellation, Implementation, Link, Params } from '@causeway/engine'
import type {
  ClientTransport,
  Introduction,
  ParkedCalls,
  Remote,
  ServerChange,
  SessionSharing,
  Target,
} from '@causeway/engine/client'

import type { UpstreamConfig } from '../config/upstream-config.ts'
import type { UpstreamLogin } from '../logins/upstream-login.ts'
import type { UpstreamHealth } from './upstream-health.ts'

/** One connection to a server. */
export interface PooledRemote {
  readonly remote: Remote
  /** Whose it is. */
  key: string
  /** Whose share it counts for. */
  quota: string
  usedAt: number
  /** Given to a call that has not used it yet; it must not be closed meanwhile. */
  isReserved: boolean
}

/** A connection that is being opened. */
export interface OpeningConnection {
  readonly since: number
  /** What it has opened so far, to be closed if it is no longer wanted. */
  readonly transports: Set<ClientTransport>
  readonly promise: Promise<PooledRemote>
  readonly quota: string
}

/** Whom a connection is for: a call, or a notification. */
export interface ConnectionUser {
  readonly caller: Caller
  readonly link: Pick<Link, 'session' | 'address' | 'transport'>
  readonly cancellation?: Cancellation
}

/** What a pool needs of the upstream that owns it. */
export interface PoolOwner {
  readonly client: Implementation
  readonly parked: ParkedCalls
  /** Are all clients one person's? */
  readonly oneUser: boolean
  /** Where the session of a client is kept for other processes, by the connection's key. */
  readonly sharing?: ((key: string) => SessionSharing) | undefined
  onOpened(one: PooledRemote): void
  onEnded(one: PooledRemote): void
  onChange(change: ServerChange): void
  /** Changes are announced on this connection from now on. */
  onListening(one: PooledRemote): void
  /** A notification of an extension. */
  onNotification(method: string, params: Params, one: PooledRemote): void
  onInvalid(what: string): void
  /** A call that was made with a link is over. */
  onSettled(): void
  /** What the server wrote outside of the protocol that says why it ended, if anything does. */
  reason(): string | undefined
  readonly health: UpstreamHealth
  /** The logins to the server, where it may ask for one. */
  readonly login?: UpstreamLogin | undefined
  /** The way to the server, with the login of that principal. */
  reach(principal: string | undefined): Target
}

/** The way to a server, remembering what was opened on it. */
export function tracked({ open, fallback }: Target, transports: Set<ClientTransport>, isClosed: () => boolean): Target {
  const track = (make: () => ClientTransport) => (): ClientTransport => {
    if (isClosed()) throw new Error('The gateway is shutting down')
    const transport = make()
    transports.add(transport)
    return transport
  }
  return { open: track(open), ...(fallback && { fallback: track(fallback) }) }
}

/** What a server is told of us, and how long it may take. */
export const introductionOf = (
  { startTimeoutMs, timeoutMs, revision: version }: UpstreamConfig,
  { client, parked: parking }: PoolOwner,
  own: Pick<Introduction, 'capabilities' | 'sessions'>,
): Introduction => ({ client, version, startTimeoutMs, timeoutMs, parking, ...own })
