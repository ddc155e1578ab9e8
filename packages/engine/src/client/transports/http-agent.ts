import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { RunningExchange } from './http-exchange.ts'
import type { ExchangeHandler, HttpExchange } from './http-exchange.ts'

/** How requests leave this machine. */
export interface HttpOptions {
  readonly url: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The largest message taken, in bytes. Default: 10 MB. */
  readonly maxMessage?: number
  /** Resolves names of hosts, and may refuse to. */
  readonly lookup?: LookupFunction
  /** Is asked before anything is sent to another address than `url`; throws to refuse. */
  readonly allow?: (url: URL) => void
}

/** One request as it leaves. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: URL
  readonly headers: Record<string, string>
  readonly body?: string
}

const CONNECT_MS = 10_000
const MOST_CONNECTIONS = 128
const MOST_REDIRECTS = 3

interface Address {
  readonly url: URL
  readonly origin: string
  readonly path: string
}

/** Connections to one server, kept open between requests; the library is loaded when the first one is made. */
export class HttpAgent {
  readonly #options: HttpOptions
  #agent: Dispatcher | undefined
  #loading: Promise<Dispatcher> | undefined
  #address: Address | undefined

  constructor(options: HttpOptions) {
    this.#options = options
  }

  /** Load what it takes; until then nothing can be sent. */
  async load(): Promise<void> {
    this.#agent ??= await (this.#loading ??= this.#create())
  }

  send(outgoing: HttpRequest, handler: ExchangeHandler, redirects = 0): HttpExchange {
    const agent = this.#agent
    if (!agent) throw new TypeError('load() comes first')
    const { method, url, headers, body } = outgoing
    const exchange = new RunningExchange(handler, (status, received) => {
      const location = status === 307 || status === 308 ? received.location : undefined
      if (typeof location !== 'string' || redirects >= MOST_REDIRECTS) return undefined
      return this.#follow(outgoing, location, handler, redirects)
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

  /** What is meant for one origin, such as a token, is not told to another. */
  #follow(outgoing: HttpRequest, location: string, handler: ExchangeHandler, redirects: number): HttpExchange {
    try {
      const url = new URL(location, outgoing.url)
      this.#options.allow?.(url)
      const own = new Set(Object.keys(this.#options.headers ?? {}).map(name => name.toLowerCase()))
      const isSame = url.origin === outgoing.url.origin
      const headers = Object.entries(outgoing.headers).filter(([name]) => isSame || !own.has(name.toLowerCase()))
      return this.send({ ...outgoing, url, headers: Object.fromEntries(headers) }, handler, redirects + 1)
    } catch (error) {
      handler.onError(error instanceof Error ? error : new Error(String(error)))
      return { abort: () => {} }
    }
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
