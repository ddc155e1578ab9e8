import type { Ask, LogLevel } from '../call.ts'
import type { RpcError } from '../jsonrpc/errors.ts'
import { isRequest } from '../jsonrpc/message.ts'
import type { Id, Params, Request, Response, Result } from '../jsonrpc/message.ts'
import type { ParamHeader } from '../protocol/headers.ts'
import type { Envelope } from './envelope.ts'
import type { RequestSink, ServerMessage } from './transports/transport.ts'

/** A request in neutral terms. */
export interface OutgoingRequest {
  readonly method: string
  readonly params: Params
  /** Besides what the protocol puts there. */
  readonly meta?: Params | undefined
  /** How long to wait without a word; progress counts as one. Default: that of the connection. */
  readonly timeoutMs?: number | undefined
  /** The least level of log messages to be sent with it, where requests say so themselves. */
  readonly logLevel?: LogLevel | undefined
  /** What the sender of this request can be asked for, where requests say so themselves. */
  readonly capabilities?: Params | undefined
  /** Arguments that are repeated in headers; default: as the tool's definition had it when it was listed. */
  readonly headers?: readonly ParamHeader[] | undefined
}

/** Answers a question: a refusal is an answer too. */
export type Reply = (answer: Result | RpcError) => void

/** Hears what becomes of a request, without a promise. */
export interface RequestHandlers {
  onResult(result: Result): void
  /** `sent` is false where the server certainly never began to work on it. */
  onError(error: Error, sent: boolean): void
  onProgress?(params: Params): void
  onLog?(params: Params): void
  /** A question that belongs to this request; what is returned is called if the server does not want the answer any more. */
  onQuestion?(ask: Ask, reply: Reply): (() => void) | undefined
}

/** What a request needs of its connection. */
export interface RequestOwner {
  onSettled(flight: InFlightRequest, response: Response): void
  onLost(flight: InFlightRequest, why: Error, sent: boolean): void
  onMessage(message: ServerMessage, flight: InFlightRequest | undefined): void
  onCancel(flight: InFlightRequest, why: Error): void
}

/** One request on its way. */
export class InFlightRequest implements RequestSink {
  readonly outgoing: OutgoingRequest
  readonly handlers: RequestHandlers
  readonly #owner: RequestOwner
  /** As it was sent; another one after a new handshake. */
  request: Request | undefined
  deadline: number = Infinity
  /** Questions that wait for an answer: meanwhile no clock runs. */
  asking = 0
  healed = false
  over = false

  constructor(outgoing: OutgoingRequest, handlers: RequestHandlers, owner: RequestOwner) {
    this.outgoing = outgoing
    this.handlers = handlers
    this.#owner = owner
  }

  /** Give it up, and tell the server; nothing more is heard of it. */
  cancel(why: Error): void {
    if (!this.over) this.#owner.onCancel(this, why)
  }

  onMessage(message: ServerMessage): void {
    if (!this.over || isRequest(message)) this.#owner.onMessage(message, this)
  }

  onResponse(response: Response): void {
    if (!this.over) this.#owner.onSettled(this, response)
  }

  onLost(why: Error, sent: boolean): void {
    if (!this.over) this.#owner.onLost(this, why, sent)
  }
}

/** What stands in `_meta`: the sender's own, and what the protocol puts there. */
export function metaOf(
  { outgoing, handlers }: InFlightRequest,
  id: Id,
  envelope: Envelope | undefined,
): Params | undefined {
  const { meta } = outgoing
  const token = handlers.onProgress ? { progressToken: id } : undefined
  const said = envelope?.of(outgoing)
  return meta || token ? { ...meta, ...token, ...said } : said
}
