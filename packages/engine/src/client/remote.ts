import type { Cancellation } from '../jsonrpc/cancellation.ts'
import type { RpcError } from '../jsonrpc/errors.ts'
import type { Params, Result } from '../jsonrpc/message.ts'
import type { Ask, Implementation, LogLevel, ParamHeader } from '../wire.ts'
import type { ClientTransport } from './transports/transport.ts'

/** A request to a server elsewhere, in neutral terms. */
export interface OutgoingRequest {
  readonly method: string
  readonly params: Params
  /** `_meta` of the sender's own; the protocol adds its part. */
  readonly meta?: Params | undefined
  /** How long to wait without a sign of life; progress is one. Default: that of the connection; 0 means without limit. */
  readonly timeoutMs?: number | undefined
  /** The least level of log messages to send with it. */
  readonly logLevel?: LogLevel | undefined
  /** Arguments that are repeated in headers, where the transport has some. */
  readonly headers?: readonly ParamHeader[] | undefined
  /** Answers to the questions of the result that asked, by question. A refusal is an answer, too. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined
  /** The `requestState` of the result that asked. */
  readonly state?: unknown
}

/** Why a connection broke, and whether the server can have begun to work on the call. */
export interface Broken {
  readonly why: Error
  readonly sent: boolean
}

/** The caller's end of a call: what it may be asked, and what it gets before the result. */
export interface RemoteLink {
  readonly cancellation?: Cancellation | undefined
  /** Who makes the call, where the calls of several are counted apart. */
  readonly client?: string | undefined
  /** What it can be asked for, where requests say so themselves; default: what the connection declared. */
  readonly capabilities?: Params | undefined
  /** Progress is asked for only where this is there. */
  onProgress?(params: Params): void
  onLog?(params: Params): void
  /** Why it cannot be asked that, if so: the server gets this instead of an answer. */
  refusal?(ask: Ask): RpcError | undefined
  /** A question needs no answer any more: the server withdrew it, or the call is over. */
  onWithdrawn?(question: string): void
  /** What the call comes to where its connection broke; without it, the error. */
  onBroken?(broken: Broken): Promise<Result>
}

/** A change that a server announces. */
export type ServerChange = { readonly list: 'tools' | 'prompts' | 'resources' } | { readonly uri: string }

/** The changes that a server is to announce. */
export interface Wanted {
  readonly lists: boolean
  readonly uris: Iterable<string>
}

/** A server elsewhere, in neutral terms: nothing here depends on its revision. */
export interface Remote {
  /** The revision that is spoken. */
  readonly version: string
  readonly server: Implementation | undefined
  readonly capabilities: Params
  readonly instructions: string | undefined
  /** Does the server know its client from one request to the next? Then different clients need different connections. */
  readonly keepsSession: boolean
  /** Do other processes use the same session? */
  readonly sharesSession: boolean
  /** Are arguments of tools repeated in headers? */
  readonly repeatsArguments: boolean
  /** Requests that wait for their answer. */
  readonly inFlight: number
  /** Those of them that were made with a link. */
  readonly calls: number
  /** Is nothing going on? Listening for changes of lists does not count, subscribed resources do. */
  readonly isIdle: boolean
  /** Why nothing can be sent any more, if so. */
  readonly closed: Error | undefined
  /** The next thing the server has to say: its result, or what it asks (`input_required`). */
  call(request: OutgoingRequest, link?: RemoteLink): Promise<Result>
  /** Send a notification; nothing comes back. */
  notify(method: string, params: Params, link?: RemoteLink): void
  /** Have exactly these changes announced. Resolves to the resources that were refused, and why. */
  follow(wanted: Wanted): Promise<ReadonlyMap<string, Error>>
  /** Which log messages to send with requests that do not say so themselves. */
  setLogLevel(level: LogLevel): Promise<void>
  close(): Promise<void>
}

/** What belongs to no call in particular. */
export interface RemoteListener {
  onLog?(params: Params): void
  onChange?(change: ServerChange): void
  /** A notification that the protocol does not have. */
  onNotification?(method: string, params: Params): void
  onClose?(why: Error): void
  /** Something came that is no message; it was ignored. */
  onInvalid?(what: string): void
  /** Changes are announced from now on; earlier ones may have been missed. */
  onListening?(): void
  /** A call that was made with a link is over. */
  onSettled?(): void
  /** A question came on a stream that all calls share. */
  onUnboundQuestion?(): void
  /** Answers a question that belongs to no call, or to an unknown one. */
  answer?(ask: Ask, signal: AbortSignal): Result | Promise<Result>
}

/** How a connection to a server is made. */
export interface Introduction extends RemoteListener {
  readonly client: Implementation
  readonly capabilities: Params
  /** The revision to speak, and no other. */
  readonly version?: string | undefined
  /** How long the start may take. */
  readonly startTimeoutMs: number
  /** How long a request may wait without a sign of life. */
  readonly timeoutMs: number
  /** Where the session is kept for other processes. */
  readonly sessions?: SessionSharing | undefined
  /** Where calls wait while their questions are answered; default: a place of its own, without limits. */
  readonly parking?: Parking | undefined
}

/** How a server is reached. */
export interface Target {
  /** A new transport; called again where the first one did not survive the question which revision is spoken. */
  open(): ClientTransport
  /** An older transport, to try where the server refuses the handshake as such. */
  fallback?(): ClientTransport
}

/** A call that asked, and waits for answers. */
export interface ParkedCall {
  /** The end of the caller that made it, or came back for it last. */
  readonly link: RemoteLink | undefined
  readonly isOver: boolean
  /** Does a caller wait for what comes next? */
  readonly isAwaited: boolean
  /** Go on with the answers to the questions of a round; the same round twice is the same round. */
  resume(request: OutgoingRequest, link: RemoteLink): Promise<Result>
  /** End it: the server is notified, and a caller that comes back for it gets the error. */
  giveUp(why: RpcError): void
}

/** Where calls wait while their questions are answered. */
export interface Parking {
  /** A ticket for a call that asks; throws where too many wait. */
  park(call: ParkedCall): string
  find(ticket: string): ParkedCall | undefined
  /** The call is over; its outcome stays for a while. */
  settle(ticket: string): void
}

/** The state of a call that waits here. */
export interface Ticket {
  readonly ticket: string
  readonly round: number
}

/** A session that a server keeps, with all that is needed to go on with it elsewhere. Its id is a secret. */
export interface KnownSession {
  readonly id: string
  readonly version: string
  readonly capabilities: Params
  readonly server: Implementation | undefined
  readonly instructions: string | undefined
}

/** Where the session with a server is kept for other processes. None of these fails: what cannot be kept is used here alone. */
export interface SessionSharing {
  /** The session to go on with, if there is one other than `lost`, which the server forgot. */
  find(lost?: string): Promise<KnownSession | undefined>
  /** A session was begun in place of `lost`; the one to use is this, or that of a process that was first. */
  keep(begun: KnownSession, lost?: string): Promise<KnownSession>
  /** It is no longer used here; true if it can be ended, since no other process uses it. */
  leave(id: string): Promise<boolean>
}
