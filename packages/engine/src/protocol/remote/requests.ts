import type { Revision } from '../../call.ts'
import type { OutgoingRequest, Parking, RemoteLink, RemoteListener } from '../../client/remote.ts'
import { unref } from '../../support/unref.ts'
import { SessionLost } from '../../client/transports/transport.ts'
import type { ClientTransport, Mirrors, ServerMessage, TransportListener } from '../../client/transports/transport.ts'
import { fault } from '../../jsonrpc/errors.ts'
import { isObject, isRequest, notification } from '../../jsonrpc/message.ts'
import type { Id, Params, Request, Response, Result } from '../../jsonrpc/message.ts'
import { ShortLivedMap } from '../../jsonrpc/short-lived-map.ts'
import { RemoteCall } from './call.ts'
import type { CallConnection } from './call.ts'
import { errorOf } from './errors.ts'

/** What the two ways to speak to a server do differently. */
export interface RequestRules {
  readonly listener: RemoteListener
  readonly parking: Parking
  readonly timeoutMs: number
  /** Is a request that was given up cancelled by a notification? */
  readonly notifiesCancel: boolean
  nextId(): Id
  write(request: OutgoingRequest, id: Id, link: RemoteLink | undefined): Request
  mirrors?(request: OutgoingRequest, sent: Request): Mirrors
  read(method: string, result: Result): Result
  /** The server asks; `call` is the one whose stream it came on, if it came on one. */
  onQuestion(question: Request, call: RemoteCall | undefined): void
  onCancelled?(id: unknown): void
  /** Begin a new session, where the server forgot the one there was. */
  renew?(): Promise<void>
}

const SWEEP_MS = 250

const LISTS: Readonly<Record<string, 'tools' | 'prompts' | 'resources'>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
}

/** The requests on one connection until they are answered, and everything that is no answer. */
export class RemoteRequests implements CallConnection, TransportListener {
  revision: Revision
  readonly #transport: ClientTransport
  readonly #rules: RequestRules
  readonly #calls = new ShortLivedMap<Id, RemoteCall>()
  #linked = 0
  #sweep: NodeJS.Timeout | undefined
  #renewing: Promise<void> | undefined
  #closed: Error | undefined
  /** Questions whose call is not known: as long as one is open, no clock runs. */
  strayQuestions = 0

  constructor(transport: ClientTransport, revision: Revision, rules: RequestRules) {
    this.#transport = transport
    this.#rules = rules
    this.revision = revision
    transport.listener = this
  }

  get inFlight(): number {
    return this.#calls.size
  }

  /** Calls with a link. */
  get linked(): number {
    return this.#linked
  }

  get closed(): Error | undefined {
    return this.#closed
  }

  get parking(): Parking {
    return this.#rules.parking
  }

  /** The only call with a link, if there is one. */
  get only(): RemoteCall | undefined {
    if (this.#linked !== 1) return undefined
    for (const call of this.#calls.values()) if (call.link) return call
    return undefined
  }

  start(request: OutgoingRequest, link: RemoteLink | undefined): Promise<Result> {
    const call = new RemoteCall(request, link, this)
    if (link) this.#linked += 1
    const result = call.next(link)
    if (call.isOver) return result
    if (this.#closed || this.#renewing) this.#sendLater(call)
    else this.#transport.request(this.#write(call), call, this.#mirrorsOf(call))
    return result
  }

  /** A request that stays open until it is given up, or the server ends it. */
  open(request: OutgoingRequest): { readonly ended: Promise<Result>; end(why: Error): void } {
    const call = new RemoteCall(request, undefined, this)
    const ended = call.next(undefined)
    if (this.#closed || this.#renewing) this.#sendLater(call)
    else this.#send(call)
    return { ended, end: why => call.giveUp(why) }
  }

  /** Nothing can be sent any more. */
  end(why: Error): void {
    if (this.#closed) return
    this.#closed = why
    clearInterval(this.#sweep)
    for (const call of this.#calls.values()) this.#fail(call, why, true)
  }

  onClose(why: Error): void {
    if (this.#closed) return
    this.end(why)
    this.#rules.listener.onClose?.(why)
  }

  onInvalid(what: string): void {
    this.#rules.listener.onInvalid?.(what)
  }

  onListening(): void {
    this.#rules.listener.onListening?.()
  }

  onMessage(message: ServerMessage, call?: RemoteCall): void {
    if (isRequest(message)) return this.#rules.onQuestion(message, call)
    const { method } = message
    const params = isObject(message.params) ? message.params : {}
    if (method === 'notifications/progress') this.#progress(params)
    else if (method === 'notifications/cancelled') this.#rules.onCancelled?.(params.requestId)
    else if (method === 'notifications/message') this.#log(this.revision.readMessage(method, params), call)
    else this.#changed(method, params)
  }

  onResponse(call: RemoteCall, response: Response): void {
    this.#finish(call)
    if ('error' in response) call.fail(errorOf(response.error, this.revision.kindOf), true)
    else if (isObject(response.result)) call.settle(this.#rules.read(call.request.method, response.result))
    else call.fail(fault('internal', `The server answered ${call.request.method} without an object`), true)
  }

  onLost(call: RemoteCall, why: Error, sent: boolean): void {
    const { renew } = this.#rules
    if (!(why instanceof SessionLost) || !renew || call.isRenewed || this.#closed) return this.#fail(call, why, sent)
    call.isRenewed = true
    if (call.sent) this.#calls.delete(call.sent.id)
    this.#renewing ??= renew().finally(() => (this.#renewing = undefined))
    this.#sendRenewed(call, this.#renewing)
  }

  cancel(call: RemoteCall, why: Error): void {
    const { sent } = call
    if (sent && !this.#closed) {
      this.#transport.cancel(sent)
      if (this.#rules.notifiesCancel)
        this.#transport.send(
          notification('notifications/cancelled', { requestId: sent.id, reason: why.message.slice(0, 500) }),
        )
    }
    this.#fail(call, why, true)
  }

  restartClock(call: RemoteCall): void {
    const { timeoutMs = this.#rules.timeoutMs } = call.request
    call.deadline = timeoutMs > 0 ? performance.now() + timeoutMs : Infinity
  }

  /** All clocks start again. */
  restartClocks(): void {
    for (const call of this.#calls.values()) this.restartClock(call)
  }

  /** Once there is a session again, or never. */
  #sendLater(call: RemoteCall): void {
    if (this.#closed) this.#fail(call, this.#closed, false)
    else if (this.#renewing) this.#sendRenewed(call, this.#renewing)
  }

  #send(call: RemoteCall): void {
    if (!call.isOver) this.#transport.request(this.#write(call), call, this.#mirrorsOf(call))
  }

  /** The message of a call; from now on its response can come. */
  #write(call: RemoteCall): Request {
    const sent = this.#rules.write(call.request, this.#rules.nextId(), call.link)
    call.sent = sent
    this.#calls.set(sent.id, call)
    this.restartClock(call)
    this.#sweep ??= unref(setInterval(() => this.#giveUpLate(), SWEEP_MS))
    return sent
  }

  #mirrorsOf({ request, sent }: RemoteCall): Mirrors | undefined {
    return sent && this.#rules.mirrors?.(request, sent)
  }

  #sendRenewed(call: RemoteCall, renewing: Promise<void>): void {
    renewing.then(() => this.#send(call)).catch((error: unknown) => this.#fail(call, error as Error, false))
  }

  #progress(params: Params): void {
    const call = this.#calls.get(params.progressToken as Id)
    if (!call?.link?.onProgress) return
    this.restartClock(call)
    call.link.onProgress(this.revision.readMessage('notifications/progress', params))
  }

  #log(params: Params, bound: RemoteCall | undefined): void {
    const call = bound ?? this.only
    if (call?.link?.onLog) call.log(params)
    else this.#rules.listener.onLog?.(params)
  }

  #changed(method: string, params: Params): void {
    const { listener } = this.#rules
    const { uri } = params
    const list = LISTS[method]
    if (list) listener.onChange?.({ list })
    else if (method === 'notifications/subscriptions/acknowledged') listener.onListening?.()
    else if (method !== 'notifications/resources/updated') listener.onNotification?.(method, params)
    else if (typeof uri === 'string') listener.onChange?.({ uri })
  }

  /** One clock for all: a timer for each request would cost more than the request. */
  #giveUpLate(): void {
    if (this.#calls.size === 0) {
      clearInterval(this.#sweep)
      this.#sweep = undefined
    }
    if (this.strayQuestions > 0) return
    const now = performance.now()
    for (const call of this.#calls.values()) {
      if (call.deadline > now || call.isAsking || call.isHeld) continue
      const { method, timeoutMs = this.#rules.timeoutMs } = call.request
      const why = `The server did not answer ${method} within ${timeoutMs / 1000} s`
      this.cancel(call, fault('timeout', why, { timeoutMs }))
    }
  }

  #fail(call: RemoteCall, why: Error, sent: boolean): void {
    if (call.isOver) return
    this.#finish(call)
    call.fail(why, sent)
  }

  #finish(call: RemoteCall): void {
    if (call.sent) this.#calls.delete(call.sent.id)
    if (!call.link) return
    this.#linked -= 1
    this.#rules.listener.onSettled?.()
  }
}
