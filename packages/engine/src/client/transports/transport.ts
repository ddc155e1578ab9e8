import type { Message, Notification, Request, Response } from '../../jsonrpc/message.ts'

/** What a server sends other than answers: notifications, and questions of its own. */
export type ServerMessage = Request | Notification

/** Gets what becomes of one request: any number of messages, then one end. */
export interface RequestSink {
  /** A notification or question that came on this request's own stream. */
  onMessage(message: ServerMessage): void
  onResponse(response: Response): void
  /** The request waits for credentials, or no longer: meanwhile the server's time does not run. */
  onHold?(isHeld: boolean): void
  /** No answer will come. `sent` is false where the server certainly never began to work on it. */
  onLost(why: Error, sent: boolean): void
}

/** Gets what belongs to no request in particular, and the end of the connection. */
export interface TransportListener {
  onMessage(message: ServerMessage): void
  /** Nothing can be sent any more. */
  onClose(why: Error): void
  /** Something came that is no message; it was ignored. */
  onInvalid?(what: string): void
  /** Messages that belong to no request are received from now on; earlier ones may have been lost. */
  onListening?(): void
}

/** A listener that ignores everything, until there is another. */
export const IGNORING: TransportListener = { onMessage: () => {}, onClose: () => {} }

/** Headers that repeat a request, by name. */
export type Mirrors = Readonly<Record<string, string>>

/** The client's end of a connection, whatever carries it. */
export interface ClientTransport {
  /** Do questions come on the stream of the request they belong to? Otherwise it is unknown whose they are. */
  readonly bound: boolean
  /** The session that the server keeps for this connection, where it does. */
  readonly session?: string | undefined
  /** Is that session ended when the connection is closed? */
  endsSession?: boolean
  listener: TransportListener
  /** Go on with a session that was begun elsewhere; one that was begun here is ended. */
  resume?(session: string): void
  /** Begin; resolves when messages can be sent. */
  open(): Promise<void>
  /** The version to name in headers, where there are some; undefined until one is agreed on. */
  useVersion?(version: string | undefined): void
  /** A conversation began: receive messages that belong to no request, and fetch the rest of answers that break off. */
  listen?(): void
  request(request: Request, sink: RequestSink, mirrors?: Mirrors): void
  /** Forget a request, and close its own stream where it has one; the sink gets nothing more. */
  cancel(request: Request): void
  /** Pause or resume reading, because the receiver of the messages does not keep up. Some transports cannot. */
  hold?(isHeld: boolean): void
  /** A notification, or the answer to a question; nothing comes back. */
  send(message: Message): void
  close(): Promise<void>
}

/** The refusal of a server, or of what stands before it, in terms of HTTP. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  /** The JSON-RPC error in its body, if there was one. */
  readonly error: unknown
  /** How long the server wants to be left alone, if it said so. */
  readonly retryAfterMs: number | undefined

  constructor(
    status: number,
    message: string,
    { error, retryAfterMs, cause }: { error?: unknown; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.error = error
    this.retryAfterMs = retryAfterMs
  }
}

/** The server forgot the session; a new one can be begun. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
}

/** The connection is over. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}
