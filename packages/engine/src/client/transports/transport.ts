import type { Revision } from '../../call.ts'
import type { Message, Notification, Request, Response } from '../../jsonrpc/message.ts'

/** What a server sends besides answers: notifications, and questions of its own. */
export type ServerMessage = Request | Notification

/** Hears what becomes of one request: any number of messages, then one end. */
export interface RequestSink {
  /** A notification or question that came with this request's own stream. */
  onMessage(message: ServerMessage): void
  onResponse(response: Response): void
  /** No answer will come. `sent` is false where the server certainly never began to work on it. */
  onLost(why: Error, sent: boolean): void
}

/** Hears what belongs to no request in particular, and the end of everything. */
export interface TransportListener {
  onMessage(message: ServerMessage): void
  /** Nothing can be sent any more. */
  onClose(why: Error): void
  /** Something came that is no message; it was ignored. */
  onInvalid?(what: string): void
  /** What comes unasked is heard from now on; what came before may have been lost. */
  onListening?(): void
}

/** Headers that repeat a request, by name. */
export type Mirrors = Readonly<Record<string, string>>

/** The client's end of a connection, whatever carries it. */
export interface ClientTransport {
  readonly kind: 'stdio' | 'http' | 'sse' | 'websocket' | 'memory'
  /** Do questions come on the stream of the request they belong to? Otherwise nobody can tell whose they are. */
  readonly bound: boolean
  /** The session that the server keeps for this connection, where it does. */
  readonly session?: string | undefined
  /** Is that session ended when the connection is closed? */
  endsSession?: boolean
  /** Go on with a session that was begun elsewhere; one that was begun here is ended. */
  resume?(session: string, revision: Revision): void
  /** Begin; resolves when messages can be sent. */
  open(listener: TransportListener): Promise<void>
  /** From now on this revision is spoken; undefined until one is agreed on. */
  useRevision(revision: Revision | undefined): void
  /** The handshake is complete: what comes unasked can be listened for. */
  ready?(): void
  request(request: Request, sink: RequestSink, mirrors?: Mirrors): void
  /** Tell the server that the answer is not wanted any more; the sink hears nothing more. */
  cancel(request: Request, why: string): void
  /** A notification, or the answer to a question; nobody waits for it. */
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
    { error, retryAfterMs }: { error?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message)
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
