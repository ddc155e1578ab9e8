import type { Server } from '../../server.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { HttpFrontend, hostOf, requireUrl } from '../http/frontend.ts'
import type { HttpHandlerOptions, HttpOpen } from '../http/handler-options.ts'
import { FetchExchange } from './fetch-exchange.ts'
import type { FetchClient } from './fetch-exchange.ts'

/** A server as a function from requests to responses. It needs no `this`. */
export interface FetchHandler {
  /** Answers a request. The host may say who sent it and from where. */
  (request: Request, client?: FetchClient): Promise<Response>
  /** Takes nothing new, lets calls finish for at most `drainMs`, then ends every stream and session. */
  readonly drain: () => Promise<void>
  /** The paths of the routes, prefixes with `/*` at the end. */
  readonly paths: readonly string[]
  /** What is open now. */
  readonly open: HttpOpen
}

const NOBODY: FetchClient = {}

/** Hosts that call a handler themselves give it values of their own here, such as an environment: these say nothing. */
const knownOf = ({ principal, address }: FetchClient): FetchClient => ({
  principal: isObject(principal) && typeof principal.name === 'string' ? principal : undefined,
  address: typeof address === 'string' ? address : undefined,
})

/** The path of a URL that the host has parsed. */
function pathIn(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.slice(start).search(/[?#]/)
  return end < 0 ? url.slice(start) : url.slice(start, start + end)
}

const NOTHING_OPEN: HttpOpen = { sessions: 0, streams: 0, sockets: 0 }

/** A server for hosts that speak the Request and Response of the web: all doors over HTTP but WebSocket. */
export function fetchHandler(server: Server, options: HttpHandlerOptions = {}): FetchHandler {
  const host = hostOf(options)
  requireUrl(options)
  let made: HttpFrontend | undefined
  // Some runtimes have no timers before the first request.
  const front = (): HttpFrontend => (made ??= new HttpFrontend(server, { ...options, host }))
  const handle = (request: Request, client?: FetchClient): Promise<Response> =>
    new Promise(answer => {
      const path = front().pathOf(pathIn(request.url))
      const { principal, address } = isObject(client) ? knownOf(client) : NOBODY
      front().serve(new FetchExchange(request, { principal, address, path, budget: front().budget, answer }))
    })
  return Object.defineProperties(handle, {
    drain: { value: () => front().drain() },
    paths: { get: () => front().paths },
    open: { get: () => made?.open ?? NOTHING_OPEN },
  }) as FetchHandler
}
