import type { LookupFunction } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import type { Dispatcher } from 'undici'
import { redirected } from './http-client.ts'
import type {
  HttpClient,
  HttpExchange,
  HttpRequest,
  RedirectGuard,
  ResponseHandler,
  ResponseHeaders,
} from './http-client.ts'

/** How requests leave this machine. */
export interface UndiciClientOptions extends RedirectGuard {
  /** Resolves names of hosts, and may refuse to. */
  readonly lookup?: LookupFunction | undefined
}

const CONNECT_MS = 10_000
const MOST_CONNECTIONS = 128

interface Address {
  readonly url: URL
  readonly origin: string
  readonly path: string
}

/** Connections to one server, kept open between requests; the library is loaded when the first one is made. */
export class UndiciClient implements HttpClient {
  readonly #options: UndiciClientOptions
  #agent: Dispatcher | undefined
  #loading: Promise<Dispatcher> | undefined
  #address: Address | undefined

  constructor(options: UndiciClientOptions) {
    this.#options = options
  }

  async load(): Promise<void> {
    this.#agent ??= await (this.#loading ??= this.#create())
  }

  send(request: HttpRequest, handler: ResponseHandler, redirects = 0): HttpExchange {
    const agent = this.#agent
    if (!agent) throw new TypeError('load() comes first')
    const { method, url, headers, body } = request
    const exchange = new UndiciExchange(handler, (status, { location }) => {
      const next = redirected(request, { status, location, redirects }, this.#options)
      return next && this.send(next, handler, redirects + 1)
    })
    const { origin, path } = this.#addressOf(url)
    agent.dispatch({ origin, path, method, headers, body: body ?? null, headersTimeout: 0, bodyTimeout: 0 }, exchange)
    return exchange
  }

  async close(): Promise<void> {
    await this.#agent?.destroy()
  }

  /** Nearly every request goes to the same one. */
  #addressOf(url: URL): Address {
    if (this.#address?.url === url) return this.#address
    return (this.#address = { url, origin: url.origin, path: url.pathname + url.search })
  }

  async #create(): Promise<Dispatcher> {
    const { Agent } = await import('undici')
    const { lookup } = this.#options
    return new Agent({
      connections: MOST_CONNECTIONS,
      keepAliveTimeout: 30_000,
      connect: { timeout: CONNECT_MS, ...(lookup && { lookup }) },
    })
  }
}

// For what comes after an exchange was given up, or went on elsewhere.
const IGNORING: ResponseHandler = { onStart: () => {}, onText: () => {}, onEnd: () => {}, onError: () => {} }

const UNREACHED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT/

/**
 * One exchange from its request to its end, on whichever connection; a redirected one goes on in another. A class, since
 * closures that know each other made V8 keep every exchange until the next full collection.
 */
class UndiciExchange implements Dispatcher.DispatchHandler, HttpExchange {
  #handler: ResponseHandler
  readonly #follow: (status: number, headers: ResponseHeaders) => HttpExchange | undefined
  #decoder: StringDecoder | undefined
  #controller: Dispatcher.DispatchController | undefined
  #moved: HttpExchange | undefined
  #aborted = false

  /** `follow` sends a request that was redirected again, if it was; it throws where that is refused. */
  constructor(
    handler: ResponseHandler,
    follow: (status: number, headers: ResponseHeaders) => HttpExchange | undefined,
  ) {
    this.#handler = handler
    this.#follow = follow
  }

  abort(): void {
    this.#aborted = true
    this.#handler = IGNORING
    this.#moved?.abort()
    this.#controller?.abort(new Error('Given up'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#aborted) this.abort()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    const handler = this.#handler
    try {
      this.#moved = this.#follow(status, headers)
    } catch (error) {
      this.#leave(controller)
      return handler.onError(error instanceof Error ? error : new Error(String(error)), true)
    }
    if (this.#moved) this.#leave(controller)
    else handler.onStart(status, headers)
  }

  /** What else comes here, possibly without end, is not read. */
  #leave(controller: Dispatcher.DispatchController): void {
    this.#handler = IGNORING
    setImmediate(() => controller.abort(new Error('Redirected')))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#handler.onBytes) return this.#handler.onBytes(chunk)
    this.#decoder ??= new StringDecoder('utf8')
    this.#handler.onText(this.#decoder.write(chunk), chunk.length)
  }

  onResponseEnd(): void {
    this.#handler.onEnd()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // Once the request has left, it is not known how far the server got.
    this.#handler.onError(error, !UNREACHED.test(String((error as NodeJS.ErrnoException).code)))
  }
}
