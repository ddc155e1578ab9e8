import { isObject, isResponse, parseJson, toMessage, Malformed } from '../../jsonrpc/message.ts'
import type { Failure, Id, Message, Request } from '../../jsonrpc/message.ts'
import { ShortLivedMap } from '../../jsonrpc/short-lived-map.ts'
import { unref } from '../../support/unref.ts'
import type { HttpClient, HttpExchange, HttpRequest } from './http-client.ts'
import { HttpResponseReader } from './http-response-reader.ts'
import { Posts } from './posts.ts'
import { StandaloneStream } from './standalone-stream.ts'
import { ConnectionLost, HttpError, IGNORING, SessionLost } from './transport.ts'
import type { Mirrors, RequestSink, ClientTransport, TransportListener } from './transport.ts'

/** One message as it went over the transport. */
export interface ObservedMessage {
  readonly direction: 'sent' | 'received'
  readonly method: HttpRequest['method']
  /** The request it was sent as, or came as an answer to. */
  readonly request: Id | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly status: number | undefined
  readonly text: string
}

/** A server behind one URL. */
export interface StreamableHttpOptions {
  readonly url: string
  /** Sent with every request, such as a token. */
  readonly headers: () => Readonly<Record<string, string>>
  /** The largest message taken, in bytes. Default: 10 MB. */
  readonly maxMessage?: number | undefined
  /** Receive what belongs to no request, which takes a connection of its own: browsers have only a few. Default: true. */
  readonly listen?: boolean | undefined
  /** Sees every message. */
  readonly observe?: ((message: ObservedMessage) => void) | undefined
}

const BOTH = 'application/json, text/event-stream'
const EVENTS = 'text/event-stream'
const END_WITHIN_MS = 2000
const MOST_RESUMPTIONS = 8

interface Running {
  readonly request: Request
  readonly sink: RequestSink
  /** How often nothing came when the rest of an answer was fetched. */
  attempts: number
  exchange: HttpExchange | undefined
  timer: NodeJS.Timeout | undefined
}

/** Streamable HTTP: each request is a POST of its own, whose answer is JSON or a stream of events. */
export class StreamableHttpTransport implements ClientTransport {
  readonly bound = true
  endsSession = true
  listener: TransportListener = IGNORING
  readonly #url: URL
  readonly #options: StreamableHttpOptions
  readonly #client: HttpClient
  readonly #posts: Posts
  readonly #limit: number
  readonly #running = new ShortLivedMap<Request, Running>()
  #version: string | undefined
  #session: string | undefined
  /** In a conversation, the rest of an answer that broke off can be fetched. */
  #isConversation = false
  #standalone: StandaloneStream | undefined
  #closed = false

  constructor(options: StreamableHttpOptions, client: HttpClient) {
    this.#url = new URL(options.url)
    this.#options = options
    this.#limit = options.maxMessage ?? 10 * 1024 * 1024
    this.#client = client
    this.#posts = new Posts(client, 400)
  }

  open(): Promise<void> {
    return this.#client.load()
  }

  useVersion(version: string | undefined): void {
    this.#version = version
  }

  listen(): void {
    this.#isConversation = true
    this.#standalone?.close()
    this.#standalone = this.#options.listen === false ? undefined : this.#openStandalone()
  }

  get session(): string | undefined {
    return this.#session
  }

  /** What belongs to no request is left to the one that began the session: a server sends each message on one stream only. */
  resume(session: string): void {
    this.#standalone?.close()
    this.#standalone = undefined
    if (this.#session !== undefined && this.endsSession) void this.#endSession()
    this.#session = session
    this.#isConversation = true
    this.endsSession = false
  }

  request(request: Request, sink: RequestSink, mirrors: Mirrors = {}): void {
    if (this.#closed) return sink.onLost(new ConnectionLost('The connection was closed'), false)
    const running: Running = { request, sink, attempts: 0, exchange: undefined, timer: undefined }
    this.#running.set(request, running)
    if (request.method === 'initialize') {
      this.#session = undefined
      this.#isConversation = false
      this.endsSession = true
    }
    this.#exchange(this.#outgoing('POST', JSON.stringify(request), BOTH, mirrors), running)
  }

  cancel(request: Request): void {
    const running = this.#running.get(request)
    if (!running) return
    this.#running.delete(request)
    clearTimeout(running.timer)
    running.exchange?.abort()
  }

  send(message: Message): void {
    if (this.#closed) return
    const outgoing = this.#outgoing('POST', JSON.stringify(message), BOTH)
    this.#observeSent(outgoing, undefined)
    this.#posts.send(outgoing, {
      onFailed: why => this.listener.onInvalid?.(`a message could not be sent: ${why.message}`),
    })
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#standalone?.close()
    const running = [...this.#running.values()]
    this.#running.clear()
    for (const { sink, exchange, timer } of running) {
      clearTimeout(timer)
      exchange?.abort()
      sink.onLost(new ConnectionLost('The connection was closed'), true)
    }
    if (this.#session !== undefined && this.endsSession) await this.#endSession()
    await this.#client.close()
  }

  #exchange(outgoing: HttpRequest, running: Running): void {
    const { request } = running
    const answer: HttpResponseReader = new HttpResponseReader(
      {
        limit: this.#limit,
        status: status => this.#refusalOf(status, outgoing.method),
        onSession: id => {
          if (request.method === 'initialize') this.#session = id
        },
        onHold: isHeld => running.sink.onHold?.(isHeld),
        onMessage: data => this.#onMessage(data, answer, running),
        onRefused: body => this.#observeReceived(body, answer, outgoing.method, request.id),
        onEnd: why => this.#onEnd(why, answer, running),
      },
      outgoing.headers['last-event-id'],
    )
    this.#observeSent(outgoing, request.id)
    running.exchange = this.#client.send(outgoing, answer)
    if (!this.#running.get(request)) running.exchange.abort()
  }

  /** The answer's connection ended: with an answer, with a refusal, or in between, where the rest can be fetched. */
  #onEnd(why: Error | undefined, answer: HttpResponseReader, running: Running): void {
    const { request, sink } = running
    clearTimeout(running.timer)
    // An answer that is too large is not read to its end.
    if (why instanceof RangeError || why instanceof HttpError) running.exchange?.abort()
    if (!this.#running.get(request)) return
    if (why instanceof HttpError && isAnswer(why)) {
      this.#running.delete(request)
      return sink.onResponse({ jsonrpc: '2.0', id: request.id, error: why.error })
    }
    running.attempts = answer.hasEvents ? 0 : running.attempts + 1
    if (!this.#canResume(why) || answer.lastId === undefined || running.attempts > MOST_RESUMPTIONS) {
      this.#running.delete(request)
      return sink.onLost(why ?? new ConnectionLost('The answer broke off'), answer.sent)
    }
    const get = this.#outgoing('GET', undefined, EVENTS, { 'last-event-id': answer.lastId })
    running.timer = setTimeout(() => this.#exchange(get, running), answer.retryAfter(0))
  }

  #canResume(why: Error | undefined): boolean {
    return this.#isConversation && !(why instanceof HttpError) && !(why instanceof RangeError)
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
    this.#observeReceived(data, answer, 'POST', request.id)
    const value = parsed(data)
    for (const one of Array.isArray(value) ? value : [value]) {
      const message = toMessage(one)
      if (message instanceof Malformed) this.listener.onInvalid?.(message.error.message)
      else if (!isResponse(message)) sink.onMessage(message)
      else if (message.id === request.id || ('error' in message && (message.id ?? null) === null)) {
        if (!this.#running.delete(request)) return
        // A server should close the stream now; one that does not would keep a connection forever.
        if (answer.streamed) running.timer = unref(setTimeout(() => running.exchange?.abort(), END_WITHIN_MS))
        sink.onResponse(message)
      }
    }
  }

  #openStandalone(): StandaloneStream {
    return new StandaloneStream({
      limit: this.#limit,
      open: (after, handler) => {
        const resumed: Mirrors = after === undefined ? {} : { 'last-event-id': after }
        const outgoing = this.#outgoing('GET', undefined, EVENTS, resumed)
        this.#observeSent(outgoing, undefined)
        return this.#client.send(outgoing, handler)
      },
      onOpen: () => this.listener.onListening?.(),
      onMessage: (data, answer) => {
        this.#observeReceived(data, answer, 'GET', undefined)
        const message = toMessage(parsed(data))
        if (!(message instanceof Malformed) && !isResponse(message)) this.listener.onMessage(message)
      },
    })
  }

  #outgoing(method: HttpRequest['method'], body: string | undefined, accept: string, more: Mirrors = {}): HttpRequest {
    const headers: Record<string, string> = Object.assign({}, this.#options.headers(), { accept }, more)
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (this.#session !== undefined) headers['mcp-session-id'] = this.#session
    if (this.#version !== undefined) headers['mcp-protocol-version'] = this.#version
    return { method, url: this.#url, headers, ...(body !== undefined && { body }) }
  }

  #endSession(): Promise<void> {
    return new Promise(resolve => {
      const late = setTimeout(resolve, END_WITHIN_MS)
      const done = (): void => (clearTimeout(late), resolve())
      const outgoing = this.#outgoing('DELETE', undefined, BOTH)
      this.#observeSent(outgoing, undefined)
      this.#client.send(outgoing, { onStart: done, onText: () => {}, onEnd: done, onError: done })
    })
  }

  #observeSent({ method, headers, body = '' }: HttpRequest, request: Id | undefined): void {
    this.#options.observe?.({ direction: 'sent', method, request, headers, status: undefined, text: String(body) })
  }

  #observeReceived(
    text: string,
    { status, headers }: HttpResponseReader,
    method: HttpRequest['method'],
    request: Id | undefined,
  ): void {
    const { observe } = this.#options
    if (!observe) return
    const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    observe({ direction: 'received', method, request, headers: plain, status, text })
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
