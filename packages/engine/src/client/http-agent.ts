import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'

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

/** What became of one exchange. */
export interface ExchangeHandler {
  /** Return false to have no body. */
  onStart(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void
  onData(chunk: Buffer): void
  onEnd(): void
  onError(error: Error): void
}

/** One exchange that can be given up. */
export interface HttpExchange {
  abort(): void
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

/** Connections to one server, kept open between requests; the library is loaded when the first one is made. */
export class HttpAgent {
  readonly #options: HttpOptions
  #agent: Dispatcher | undefined
  #loading: Promise<Dispatcher> | undefined

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
    const state: { abort: () => void; aborted: boolean; moved: HttpExchange | undefined } = {
      abort: () => {},
      aborted: false,
      moved: undefined,
    }
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers,
        body: body ?? null,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(controller) {
          state.abort = () => controller.abort(new Error('Given up'))
          if (state.aborted) state.abort()
        },
        onResponseStart: (_, status, received) => {
          const location = status === 307 || status === 308 ? received.location : undefined
          if (typeof location !== 'string' || redirects >= MOST_REDIRECTS) return handler.onStart(status, received)
          state.moved = this.#follow(outgoing, location, handler, redirects)
        },
        onResponseData: (_, chunk) => {
          if (!state.moved) handler.onData(chunk)
        },
        onResponseEnd: () => {
          if (!state.moved) handler.onEnd()
        },
        onResponseError: (_, error) => {
          if (!state.moved && !state.aborted) handler.onError(error)
        },
      },
    )
    return {
      abort: () => {
        state.aborted = true
        state.moved?.abort()
        state.abort()
      },
    }
  }

  async close(): Promise<void> {
    await this.#agent?.destroy()
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
