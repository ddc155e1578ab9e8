import type { Revision } from '../../call.ts'
import { Malformed, isObject, isResponse, notification, parseJson, toMessage } from '../../jsonrpc/message.ts'
import type { Failure, Id, Message, Request } from '../../jsonrpc/message.ts'
import { EventReader } from './event-parser.ts'
import { ConnectionLost, HttpError, SessionLost } from './transport.ts'
import type { Mirrors, RequestSink, ClientTransport, TransportListener } from './transport.ts'

/** One message as it went over the transport, for whoever wants to see it. */
export interface ObservedMessage {
  readonly direction: 'sent' | 'received'
  readonly method: 'POST' | 'GET' | 'DELETE'
  /** The request it was sent as, or came as an answer to. */
  readonly request: Id | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly status: number | undefined
  readonly text: string
}

/** Where a server is, and what else there is to say about reaching it. */
export interface FetchTransportOptions {
  readonly url: string
  /** Headers of every request, such as a token; asked for each time. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** The largest message taken, in characters. Default: 32 million. */
  readonly maxMessage?: number
  /** Listen for what belongs to no request, which takes a connection of its own: browsers have only a few. Default: true. */
  readonly listen?: boolean
  /** Sees every message. */
  readonly observe?: (message: ObservedMessage) => void
}

const BOTH = 'application/json, text/event-stream'
const ANSWERS = new Set([400, 404, 405, 406, 409, 413, 415, 422])
const RELISTEN_MS = 2000

interface Running {
  readonly sink: RequestSink
  readonly ending: AbortController
}

type Exchange = Pick<ObservedMessage, 'method' | 'request'>

/** A server behind one URL, reached with the platform's own `fetch`, so that it works in a browser as well. */
export class FetchTransport implements ClientTransport {
  readonly kind = 'http'
  readonly bound = true
  readonly #options: FetchTransportOptions
  readonly #running = new Map<Request, Running>()
  readonly #limit: number
  #listener: TransportListener = { onMessage: () => {}, onClose: () => {} }
  #revision: Revision | undefined
  #session: string | undefined
  #standalone: AbortController | undefined
  #closed = false

  constructor(options: FetchTransportOptions) {
    this.#options = options
    this.#limit = options.maxMessage ?? 32_000_000
  }

  async open(listener: TransportListener): Promise<void> {
    this.#listener = listener
  }

  useRevision(revision: Revision | undefined): void {
    this.#revision = revision
  }

  ready(): void {
    this.#standalone?.abort()
    if (this.#revision?.traits.handshake && this.#options.listen !== false) void this.#listen()
  }

  request(request: Request, sink: RequestSink, mirrors: Mirrors = {}): void {
    if (this.#closed) return sink.onLost(new ConnectionLost('The connection was closed'), false)
    const running = { sink, ending: new AbortController() }
    this.#running.set(request, running)
    if (request.method === 'initialize') this.#session = undefined
    void this.#exchange(request, running, mirrors)
  }

  cancel(request: Request, reason: string): void {
    const running = this.#running.get(request)
    if (!running) return
    this.#running.delete(request)
    if (this.#revision?.traits.handshake !== false) {
      this.send(notification('notifications/cancelled', { requestId: request.id, reason }))
    }
    running.ending.abort()
  }

  send(message: Message): void {
    if (this.#closed) return
    const exchange: Exchange = { method: 'POST', request: undefined }
    this.#fetch(exchange, JSON.stringify(message), new AbortController().signal)
      .then(response => response.body?.cancel())
      .catch((error: unknown) => this.#listener.onInvalid?.(`a message could not be sent: ${String(error)}`))
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#standalone?.abort()
    for (const { sink, ending } of this.#running.values()) {
      ending.abort()
      sink.onLost(new ConnectionLost('The connection was closed'), true)
    }
    this.#running.clear()
    if (this.#session === undefined) return
    const exchange: Exchange = { method: 'DELETE', request: undefined }
    await this.#fetch(exchange, undefined, new AbortController().signal).catch(() => {})
  }

  #fetch(exchange: Exchange, body: string | undefined, signal: AbortSignal, more: Mirrors = {}): Promise<Response> {
    const headers: Record<string, string> = { ...this.#options.headers?.(), accept: BOTH, ...more }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (this.#session !== undefined) headers['mcp-session-id'] = this.#session
    if (this.#revision) headers['mcp-protocol-version'] = this.#revision.version
    this.#options.observe?.({ direction: 'sent', ...exchange, headers, status: undefined, text: body ?? '' })
    return fetch(this.#options.url, { method: exchange.method, headers, body: body ?? null, signal })
  }

  async #exchange(request: Request, running: Running, mirrors: Mirrors): Promise<void> {
    const exchange: Exchange = { method: 'POST', request: request.id }
    let sent = false
    try {
      const response = await this.#fetch(exchange, JSON.stringify(request), running.ending.signal, mirrors)
      sent = true
      const session = response.headers.get('mcp-session-id')
      if (request.method === 'initialize' && response.ok && session !== null) this.#session = session
      if (!response.ok) return await this.#refused(response, request)
      await this.#read(response, exchange, message => this.#onMessage(message, request))
      this.#lose(request, new ConnectionLost('The answer broke off'), true)
    } catch (error) {
      this.#lose(request, error instanceof Error ? error : new Error(String(error)), sent)
    }
  }

  /** A refusal in the protocol's own words is an answer. */
  async #refused(response: Response, request: Request): Promise<void> {
    const text = (await response.text()).slice(0, 64 * 1024)
    this.#observe(response, { method: 'POST', request: request.id }, text)
    if (response.status === 404 && this.#session !== undefined) {
      return this.#lose(request, new SessionLost('The server forgot the session'), false)
    }
    const value = parsed(text)
    const error = isObject(value) ? value.error : undefined
    const running = this.#running.get(request)
    if (running && ANSWERS.has(response.status) && isObject(error) && typeof error.code === 'number') {
      this.#running.delete(request)
      return running.sink.onResponse({ jsonrpc: '2.0', id: request.id, error: error as Failure['error'] })
    }
    const said = isObject(error) && typeof error.message === 'string' ? `: ${error.message.slice(0, 200)}` : ''
    this.#lose(request, new HttpError(response.status, `HTTP status ${response.status}${said}`, { error }), false)
  }

  /** The messages of an answer, be it JSON or events. */
  async #read(response: Response, exchange: Exchange, onMessage: (value: unknown) => void): Promise<void> {
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
    if (!response.body) return
    const take = (text: string): void => {
      if (text.trim() === '') return
      this.#observe(response, exchange, text)
      onMessage(parsed(text))
    }
    const events = new EventReader(this.#limit, ({ event, data }) => {
      if (event === 'message') take(data)
    })
    const decoder = new TextDecoder()
    const reader = response.body.getReader()
    let whole = ''
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      const text = decoder.decode(step.value, { stream: true })
      if (isStream) events.feed(text)
      else if ((whole += text).length > this.#limit) throw new RangeError('The answer is too large')
    }
    if (!isStream) take(whole)
  }

  #onMessage(value: unknown, request: Request): void {
    const running = this.#running.get(request)
    for (const one of Array.isArray(value) ? value : [value]) {
      const message = toMessage(one)
      if (message instanceof Malformed) this.#listener.onInvalid?.(message.error.message)
      else if (!isResponse(message)) running?.sink.onMessage(message)
      else if (running && (message.id === request.id || ('error' in message && (message.id ?? null) === null))) {
        this.#running.delete(request)
        running.sink.onResponse(message)
      }
    }
  }

  #lose(request: Request, why: Error, sent: boolean): void {
    const running = this.#running.get(request)
    this.#running.delete(request)
    running?.sink.onLost(why, sent)
  }

  #observe(response: Response, exchange: Exchange, text: string): void {
    const headers = Object.fromEntries(response.headers)
    this.#options.observe?.({ direction: 'received', ...exchange, headers, status: response.status, text })
  }

  /** The stream for what belongs to no request; a server that refuses has none. */
  async #listen(): Promise<void> {
    const ending = new AbortController()
    this.#standalone = ending
    const exchange: Exchange = { method: 'GET', request: undefined }
    while (!ending.signal.aborted) {
      try {
        const response = await this.#fetch(exchange, undefined, ending.signal, { accept: 'text/event-stream' })
        if (!response.ok) return
        this.#listener.onListening?.()
        await this.#read(response, exchange, value => {
          const message = toMessage(value)
          if (!(message instanceof Malformed) && !isResponse(message)) this.#listener.onMessage(message)
        })
      } catch {
        // The server may be back after a while.
      }
      await new Promise(resolve => setTimeout(resolve, RELISTEN_MS))
    }
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
