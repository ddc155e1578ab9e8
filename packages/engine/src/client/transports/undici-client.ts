import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { redirected } from './http-client.ts'
import type { HttpClient, HttpExchange, HttpRequest, RedirectGuard, ResponseHandler } from './http-client.ts'
import { UndiciExchange } from './undici-exchange.ts'

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
