import type { Implementation, Revision } from '../call.ts'
import { copyOf } from '../jsonrpc/copy-of.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject, isRequest, notification } from '../jsonrpc/message.ts'
import type { Id, Params, Request, Response } from '../jsonrpc/message.ts'
import { ShortLivedMap } from '../jsonrpc/short-lived-map.ts'
import type { ParamHeader } from '../protocol/headers.ts'
import { Envelope } from './envelope.ts'
import { InFlightRequest, metaOf } from './in-flight-request.ts'
import type { RequestOwner, RequestHandlers, OutgoingRequest } from './in-flight-request.ts'
import type { ConnectionListener } from './connection-listener.ts'
import { LISTS } from './list-changes.ts'
import { mirrorsOf } from './mirrors.ts'
import { envelopeOf, errorOf } from './negotiate.ts'
import type { Agreement, Target } from './negotiate.ts'
import { Questions } from './questions.ts'
import { closeShared, openShared, renewShared, requestIds } from './shared-session.ts'
import type { SharingIntroduction } from './shared-session.ts'
import { unref } from './timers.ts'
import { SessionLost } from './transports/transport.ts'
import type { Mirrors, ServerMessage, TransportListener } from './transports/transport.ts'

/** How a connection is made. */
export interface ConnectionOptions extends SharingIntroduction, ConnectionListener {
  /** How long a request may wait without a word. */
  readonly timeoutMs: number
}

const SWEEP_MS = 250

/** A conversation with a server in whichever revision it speaks; requests and results are in neutral terms. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #owner: RequestOwner
  readonly #flights = new ShortLivedMap<Id, InFlightRequest>()
  readonly #questions = new Questions()
  readonly #headers = new Map<string, readonly ParamHeader[]>()
  #agreement: Agreement
  readonly #envelope: Envelope | undefined
  readonly #nextId: () => Id
  #sweep: NodeJS.Timeout | undefined
  #healing: Promise<void> | undefined
  #closed: Error | undefined

  /** Reach a server, and agree on a revision. */
  static async open(target: Target, options: ConnectionOptions): Promise<Connection> {
    let connection: Connection | undefined
    const listener: TransportListener = {
      onMessage: message => connection?.onMessage(message),
      onClose: why => connection?.end(why),
      onInvalid: what => options.onInvalid?.(what),
      onListening: () => options.onListening?.(),
    }
    const agreement = await openShared(target, options, listener)
    connection = new Connection(agreement, options)
    return connection
  }

  private constructor(agreement: Agreement, options: ConnectionOptions) {
    this.#options = options
    this.#agreement = agreement
    this.#nextId = requestIds(options)
    const { revision } = agreement
    this.#envelope = revision.traits.handshake ? undefined : new Envelope(envelopeOf(revision, options))
    this.#owner = {
      onSettled: (flight, response) => this.#onSettled(flight, response),
      onLost: (flight, why, sent) => this.#onLost(flight, why, sent),
      onMessage: (message, flight) => this.onMessage(message, flight),
      onCancel: (flight, why) => this.#cancel(flight, why),
    }
  }

  get revision(): Revision {
    return this.#agreement.revision
  }

  /** What the server can do. */
  get capabilities(): Params {
    return this.#agreement.capabilities
  }

  /** Who the server says it is. */
  get server(): Implementation | undefined {
    return this.#agreement.server
  }

  get instructions(): string | undefined {
    return this.#agreement.instructions
  }

  /** Do questions come with the request they belong to? */
  get bound(): boolean {
    return this.#agreement.transport.bound
  }

  get transport(): string {
    return this.#agreement.transport.kind
  }

  /** How many requests wait for their answer. */
  get inFlight(): number {
    return this.#flights.size
  }

  /** Why nothing can be sent any more, if so. */
  get closed(): Error | undefined {
    return this.#closed
  }

  /** Arguments of a tool that are repeated in headers from now on. */
  mirror(tool: string, headers: readonly ParamHeader[]): void {
    if (headers.length > 0) this.#headers.set(tool, headers)
    else this.#headers.delete(tool)
  }

  /** Send a request; what becomes of it is heard by `handlers`. */
  start(outgoing: OutgoingRequest, handlers: RequestHandlers): InFlightRequest {
    const flight = new InFlightRequest(outgoing, handlers, this.#owner)
    if (this.#closed) {
      const why = this.#closed
      flight.over = true
      queueMicrotask(() => handlers.onError(why, false))
    } else if (this.#healing) this.#sendHealed(flight, this.#healing)
    else this.#send(flight)
    return flight
  }

  notify(method: string, params?: Params): void {
    this.#agreement.transport.send(notification(method, params))
  }

  async close(): Promise<void> {
    this.end(new Error('The connection was closed'), false)
    await closeShared(this.#agreement, this.#options)
  }

  /** The transport is gone, or no longer wanted. */
  end(why: Error, notifyListener = true): void {
    if (this.#closed) return
    this.#closed = why
    clearInterval(this.#sweep)
    for (const flight of this.#flights.values()) this.#onLost(flight, why, true)
    this.#questions.withdrawAll()
    if (notifyListener) this.#options.onClose?.(why)
  }

  /** A message that is no answer. */
  onMessage(message: ServerMessage, flight?: InFlightRequest): void {
    if (isRequest(message)) {
      const { transport, revision } = this.#agreement
      const responder = flight?.handlers.onQuestion ? flight.handlers : this.#options
      const asked = responder.onQuestion?.bind(responder)
      return this.#questions.put(message, { transport, revision, asked, pause: by => this.#pause(flight, by) })
    }
    const { method } = message
    const params = isObject(message.params) ? message.params : {}
    const list = LISTS[method]
    if (method === 'notifications/progress') this.#progress(params)
    else if (method === 'notifications/cancelled') this.#questions.withdraw(params.requestId)
    else if (method === 'notifications/message') this.#log(this.revision.readMessage(method, params), flight)
    else if (list) this.#options.onChange?.({ list })
    else this.#updated(method, params.uri)
  }

  #log(params: Params, flight: InFlightRequest | undefined): void {
    if (flight?.handlers.onLog) flight.handlers.onLog(params)
    else this.#options.onLog?.(params)
  }

  #updated(method: string, uri: unknown): void {
    if (method === 'notifications/subscriptions/acknowledged') this.#options.onListening?.()
    else if (method === 'notifications/resources/updated' && typeof uri === 'string') this.#options.onChange?.({ uri })
  }

  /** While a question is open no clock runs. */
  #pause(flight: InFlightRequest | undefined, by: 1 | -1): void {
    if (!flight) return
    flight.asking += by
    this.#renew(flight)
  }

  #progress(params: Params): void {
    const flight = this.#flights.get(params.progressToken as Id)
    if (!flight?.handlers.onProgress) return
    this.#renew(flight)
    flight.handlers.onProgress(this.revision.readMessage('notifications/progress', params))
  }

  #send(flight: InFlightRequest): void {
    if (flight.over) return
    const { method, params, headers } = flight.outgoing
    const { revision, transport } = this.#agreement
    const id = this.#nextId()
    const spelled = revision.writeRequest(method, params)
    const envelope = this.#envelope
    const _meta = metaOf(flight, id, envelope)
    const request: Request = { jsonrpc: '2.0', id, method, params: _meta ? withMeta(spelled, _meta) : spelled }
    flight.request = request
    this.#flights.set(id, flight)
    this.#renew(flight)
    this.#sweep ??= unref(setInterval(() => this.#giveUpLate(), SWEEP_MS))
    const mirrors = transport.bound && envelope ? this.#mirrors(method, spelled, headers) : undefined
    transport.request(request, flight, mirrors)
  }

  #mirrors(method: string, params: Params, headers: readonly ParamHeader[] | undefined): Mirrors {
    const annotated = method === 'tools/call' ? (headers ?? this.#headers.get(String(params.name))) : undefined
    return mirrorsOf(method, params, annotated)
  }

  #renew(flight: InFlightRequest): void {
    const ms = flight.outgoing.timeoutMs ?? this.#options.timeoutMs
    flight.deadline = ms > 0 ? performance.now() + ms : Infinity
  }

  /** One clock for all: a timer a request would cost more than the request. */
  #giveUpLate(): void {
    if (this.#flights.size === 0) {
      clearInterval(this.#sweep)
      this.#sweep = undefined
    }
    const now = performance.now()
    for (const flight of this.#flights.values()) {
      if (flight.deadline > now || flight.asking > 0) continue
      const { method, timeoutMs = this.#options.timeoutMs } = flight.outgoing
      const why = `The server did not answer ${method} within ${timeoutMs / 1000} s`
      this.#cancel(flight, fault('timeout', why, { timeoutMs }))
    }
  }

  #cancel(flight: InFlightRequest, why: Error): void {
    const { request } = flight
    this.#finish(flight)
    if (request && !this.#closed) this.#agreement.transport.cancel(request, why.message)
    flight.handlers.onError(why, true)
  }

  #finish(flight: InFlightRequest): void {
    flight.over = true
    if (flight.request) this.#flights.delete(flight.request.id)
  }

  #onSettled(flight: InFlightRequest, response: Response): void {
    this.#finish(flight)
    const { handlers, outgoing } = flight
    if ('error' in response) handlers.onError(errorOf(response.error, this.revision.kindOf), true)
    else if (isObject(response.result)) handlers.onResult(this.revision.readResult(outgoing.method, response.result))
    else
      handlers.onError(
        fault('internal', `The server answered ${outgoing.method} with something that is no object`),
        true,
      )
  }

  #onLost(flight: InFlightRequest, why: Error, sent: boolean): void {
    if (why instanceof SessionLost && !flight.healed && !this.#closed) {
      flight.healed = true
      if (flight.request) this.#flights.delete(flight.request.id)
      return this.#sendHealed(flight, this.#heal())
    }
    this.#fail(flight, why, sent)
  }

  #sendHealed(flight: InFlightRequest, healing: Promise<void>): void {
    const failed = (error: unknown): void => void (flight.over || this.#fail(flight, error as Error, false))
    healing.then(() => this.#send(flight)).catch(failed)
  }

  #fail(flight: InFlightRequest, why: Error, sent: boolean): void {
    this.#finish(flight)
    flight.handlers.onError(why, sent)
  }

  /** Begin a new session where the server forgot ours. */
  #heal(): Promise<void> {
    this.#healing ??= renewShared(this.#agreement, this.#options)
      .then(agreement => {
        this.#agreement = agreement
        this.#options.onNewSession?.()
      })
      .finally(() => (this.#healing = undefined))
    return this.#healing
  }
}

function withMeta(params: Params, _meta: Params): Params {
  const copy = copyOf(params)
  copy._meta = _meta
  return copy
}
