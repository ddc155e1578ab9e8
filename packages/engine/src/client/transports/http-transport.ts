import type { Revision } from '../../call.ts'
import { isObject, isResponse, notification, parseJson, toMessage, Malformed } from '../../jsonrpc/message.ts'
import type { Failure, Message, Request } from '../../jsonrpc/message.ts'
import { ShortLivedMap } from '../../jsonrpc/short-lived-map.ts'
import { HttpAgent } from './http-agent.ts'
import type { HttpOptions, HttpRequest } from './http-agent.ts'
import type { HttpExchange } from './http-exchange.ts'
import { HttpResponseReader } from './http-response-reader.ts'
import { ConnectionLost, HttpError, SessionLost } from './transport.ts'
import type { Mirrors, RequestSink, ClientTransport, TransportListener } from './transport.ts'

const BOTH = 'application/json, text/event-stream'
const EVENTS = 'text/event-stream'
const END_WITHIN_MS = 2000
const RETRY_MS = 1000
const MOST_RETRY_MS = 30_000
const MOST_RESUMPTIONS = 8

type Standalone = Pick<Running, 'exchange' | 'timer'>

interface Running {
  readonly request: Request
  readonly sink: RequestSink
  /** How often nothing came when the rest of an answer was fetched. */
  attempts: number
  exchange: HttpExchange | undefined
  timer: NodeJS.Timeout | undefined
}

/** A server behind one URL: each request is a POST of its own, whose answer is JSON or a stream of events. */
export class HttpTransport implements ClientTransport {
  readonly kind = 'http'
  readonly bound = true
  endsSession = true
  readonly #url: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #agent: HttpAgent
  readonly #limit: number
  readonly #running = new ShortLivedMap<RequestSink, Running>()
  readonly #sinks = new ShortLivedMap<Request, RequestSink>()
  #listener: TransportListener = { onMessage: () => {}, onClose: () => {} }
  #revision: Revision | undefined
  #session: string | undefined
  #standalone: Standalone | undefined
  #closed = false

  constructor(options: HttpOptions) {
    this.#url = new URL(options.url)
    this.#headers = options.headers ?? {}
    this.#limit = options.maxMessage ?? 10 * 1024 * 1024
    this.#agent = new HttpAgent(options)
  }

  async open(listener: TransportListener): Promise<void> {
    this.#listener = listener
    await this.#agent.load()
  }

  useRevision(revision: Revision | undefined): void {
    this.#revision = revision
  }

  /** Only the stateful era has messages that nobody asked for. */
  ready(): void {
    this.#stopListening()
    if (this.#revision?.traits.handshake) this.#listen(undefined, 0)
  }

  get session(): string | undefined {
    return this.#session
  }

  /** What comes unasked is left to whoever began the session: a server sends each message on one stream only. */
  resume(session: string, revision: Revision): void {
    this.#stopListening()
    if (this.#session !== undefined && this.endsSession) void this.#endSession()
    this.#session = session
    this.#revision = revision
    this.endsSession = false
  }

  request(request: Request, sink: RequestSink, mirrors: Mirrors = {}): void {
    if (this.#closed) return sink.onLost(new ConnectionLost('The connection was closed'), false)
    const running: Running = { request, sink, attempts: 0, exchange: undefined, timer: undefined }
    this.#running.set(sink, running)
    this.#sinks.set(request, sink)
    if (request.method === 'initialize') {
      this.#session = undefined
      this.endsSession = true
    }
    const outgoing = this.#outgoing('POST', JSON.stringify(request), BOTH, mirrors)
    this.#exchange(outgoing, running)
  }

  cancel(request: Request, reason: string): void {
    const sink = this.#sinks.get(request)
    const running = sink && this.#running.get(sink)
    if (!sink || !running) return
    this.#finish(running)
    clearTimeout(running.timer)
    if (this.#revision?.traits.handshake !== false) {
      this.send(notification('notifications/cancelled', { requestId: request.id, reason }))
    }
    running.exchange?.abort()
  }

  send(message: Message): void {
    if (this.#closed) return
    const outgoing = this.#outgoing('POST', JSON.stringify(message), BOTH)
    const onError = (error: Error): void => this.#listener.onInvalid?.(`a message could not be sent: ${error.message}`)
    this.#agent.send(outgoing, {
      onStart: status => {
        if (status >= 400) onError(new HttpError(status, `HTTP ${status}`))
      },
      onData: () => {},
      onEnd: () => {},
      onError,
    })
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#stopListening()
    for (const [sink, running] of this.#running.entries()) {
      clearTimeout(running.timer)
      running.exchange?.abort()
      sink.onLost(new ConnectionLost('The connection was closed'), true)
    }
    this.#running.clear()
    this.#sinks.clear()
    if (this.#session !== undefined && this.endsSession) await this.#endSession()
    await this.#agent.close()
  }

  #exchange(outgoing: HttpRequest, running: Running): void {
    const { request, sink } = running
    const answer = new HttpResponseReader(
      {
        limit: this.#limit,
        status: status => this.#refusalOf(status, outgoing.method),
        onSession: id => {
          if (request.method === 'initialize') this.#session = id
        },
        onMessage: data => this.#onMessage(data, answer, running),
        onEnd: why => this.#onEnd(why, answer, running),
      },
      outgoing.headers['last-event-id'],
    )
    running.exchange = this.#agent.send(outgoing, answer)
    if (!this.#running.get(sink)) running.exchange.abort()
  }

  /** The answer's connection ended: with an answer, with a refusal, or in between, where the rest can be fetched. */
  #onEnd(why: Error | undefined, answer: HttpResponseReader, running: Running): void {
    const { request, sink } = running
    clearTimeout(running.timer)
    if (!this.#running.get(sink)) return
    if (why instanceof HttpError && isAnswer(why)) {
      this.#finish(running)
      return sink.onResponse({ jsonrpc: '2.0', id: request.id, error: why.error })
    }
    running.attempts = answer.hasEvents ? 0 : running.attempts + 1
    if (!this.#canResume(why) || answer.lastId === undefined || running.attempts > MOST_RESUMPTIONS) {
      this.#finish(running)
      return sink.onLost(why ?? new ConnectionLost('The answer broke off'), answer.sent)
    }
    const get = this.#outgoing('GET', undefined, EVENTS, { 'last-event-id': answer.lastId })
    const wait = Math.min(answer.retryMs ?? RETRY_MS, MOST_RETRY_MS)
    running.timer = setTimeout(() => this.#exchange(get, running), wait)
  }

  #canResume(why: Error | undefined): boolean {
    return this.#revision?.traits.handshake === true && !(why instanceof HttpError) && !(why instanceof RangeError)
  }

  /** What a status alone says, before the body is read. */
  #refusalOf(status: number, method: HttpRequest['method']): Error | undefined {
    if (status === 404 && this.#session !== undefined) return new SessionLost('The server forgot the session')
    if (status < 300) return undefined
    return new HttpError(status, `The server answered ${method} with HTTP status ${status}`)
  }

  /** One message that came with a request. */
  #onMessage(data: string, answer: HttpResponseReader, running: Running): void {
    const { request, sink } = running
    const value = parsed(data)
    for (const one of Array.isArray(value) ? value : [value]) {
      const message = toMessage(one)
      if (message instanceof Malformed) this.#listener.onInvalid?.(message.error.message)
      else if (!isResponse(message)) sink.onMessage(message)
      else if (message.id === request.id || ('error' in message && (message.id ?? null) === null)) {
        if (!this.#running.get(sink)) return
        this.#finish(running)
        // A server should close the stream now; one that does not would keep a connection for ever.
        if (answer.streamed) running.timer = setTimeout(() => running.exchange?.abort(), END_WITHIN_MS).unref()
        sink.onResponse(message)
      }
    }
  }

  #finish({ request, sink }: Running): void {
    this.#running.delete(sink)
    this.#sinks.delete(request)
  }

  /** The stream for what belongs to no request; a server may have none. */
  #listen(after: string | undefined, failures: number): void {
    if (this.#closed) return
    const running: Standalone = { exchange: undefined, timer: undefined }
    this.#standalone = running
    const answer = new HttpResponseReader(
      {
        limit: this.#limit,
        status: status => {
          if (status !== 200) return new HttpError(status, `HTTP ${status}`)
          this.#listener.onListening?.()
          return undefined
        },
        onMessage: data => {
          const message = toMessage(parsed(data))
          if (!(message instanceof Malformed) && !isResponse(message)) this.#listener.onMessage(message)
        },
        onEnd: why => {
          if (this.#closed || this.#standalone !== running) return
          // A server that refuses has none, or has forgotten the session, as the next request will show.
          if (why instanceof HttpError && why.status < 500) return
          const wait = Math.min((answer.retryMs ?? RETRY_MS) * 2 ** Math.min(failures, 5), MOST_RETRY_MS)
          const again = answer.hasEvents ? 0 : failures + 1
          running.timer = setTimeout(() => this.#listen(answer.lastId, again), wait)
          running.timer.unref()
        },
      },
      after,
    )
    const resumed: Mirrors = after === undefined ? {} : { 'last-event-id': after }
    running.exchange = this.#agent.send(this.#outgoing('GET', undefined, EVENTS, resumed), answer)
  }

  #stopListening(): void {
    const running = this.#standalone
    this.#standalone = undefined
    clearTimeout(running?.timer)
    running?.exchange?.abort()
  }

  #outgoing(method: HttpRequest['method'], body: string | undefined, accept: string, more: Mirrors = {}): HttpRequest {
    const headers: Record<string, string> = Object.assign({}, this.#headers, { accept }, more)
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (this.#session !== undefined) headers['mcp-session-id'] = this.#session
    if (this.#revision) headers['mcp-protocol-version'] = this.#revision.version
    return { method, url: this.#url, headers, ...(body !== undefined && { body }) }
  }

  #endSession(): Promise<void> {
    return new Promise(resolve => {
      const late = setTimeout(resolve, END_WITHIN_MS)
      const done = (): void => (clearTimeout(late), resolve())
      const outgoing = this.#outgoing('DELETE', undefined, BOTH)
      this.#agent.send(outgoing, { onStart: done, onData: () => {}, onEnd: done, onError: done })
    })
  }
}

const ANSWERS = new Set([400, 404, 405, 406, 409, 413, 415, 422])

/** Is it the server itself that refused, in the protocol's words? */
const isAnswer = (why: HttpError): why is HttpError & { error: Failure['error'] } =>
  ANSWERS.has(why.status) && isObject(why.error) && typeof why.error.code === 'number'

function parsed(data: string): unknown {
  try {
    return parseJson(data)
  } catch {
    return undefined
  }
}
