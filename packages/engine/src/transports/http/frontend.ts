import { setMaxListeners } from 'node:events'
import { scopeRules } from '../../auth/scope-rules.ts'
import { after } from '../../awaitable.ts'
import type { Awaitable } from '../../call.ts'
import { rarely } from '../../log/rarely.ts'
import type { Server } from '../../server.ts'
import { memoryStore } from '../../stores/memory.ts'
import { Admission } from './admission.ts'
import type { Visitor } from './admission.ts'
import { ByteBudget } from '../limits/byte-budget.ts'
import { KeepAlive } from '../endpoints/event-stream.ts'
import { Refusal, refuse } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { endpointScopes } from '../protected/endpoint-scopes.ts'
import { EndpointUrls, METADATA_PATH } from '../protected/endpoint-urls.ts'
import { ANY_ORIGIN, isLoopback, preflight } from './origin-check.ts'
import { metadataRoutes } from '../protected/resource-metadata.ts'
import type { HttpHandlerOptions, HttpOpen, RefusedRequest } from './handler-options.ts'
import { healthRoutes } from './health-routes.ts'
import { HttpSessions } from '../sessions/sessions.ts'
import { HttpSse } from '../endpoints/legacy-sse.ts'
import { InFlight } from '../limits/in-flight.ts'
import { RouteTable } from './routes.ts'
import type { Route, SocketDoor, UpgradeRequest } from './routes.ts'
import { rpc, rpcEvents } from '../endpoints/rpc.ts'
import { streamableHttp } from '../endpoints/streamable-http.ts'
import type { HttpShared } from '../endpoints/http-shared.ts'
import { viewRoute } from './view-route.ts'
import { unref } from '../../support/unref.ts'

const KEEP_ALIVE_MS = 15_000
const SWEEP_MS = 60_000
const TOO_MANY = 'connections are refused, since there are too many (--max-connections)'
// What may be held at once over all connections: request bodies, unread answers, unfinished messages.
const HELD_BYTES = 256 * 1024 * 1024

/** The address that a handler is for; one that other machines reach wants to know who they are. */
export function hostOf({ host = '127.0.0.1', authenticator, allowAnonymous }: HttpHandlerOptions): string {
  if (!isLoopback(host) && !authenticator && !allowAnonymous)
    throw new TypeError(`Listening on ${host} lets other machines in: give an authenticator, or allow anonymous use`)
  return host
}

/** Access tokens name the URL they are for, which a handler without a listener cannot know. */
export function requireUrl({ authenticator, publicUrl }: HttpHandlerOptions): void {
  if (authenticator?.authorizationServers && publicUrl === undefined)
    throw new TypeError('Tokens of authorization servers are for a URL: give publicUrl, what clients write before /mcp')
}

/** How WebSockets are opened beside the other doors. */
export type OpenSockets = (shared: HttpShared, options: HttpHandlerOptions) => SocketDoor

/** Lets requests in, finds their route, and answers for whatever goes wrong on the way. */
export class HttpFrontend {
  readonly paths: readonly string[]
  /** The URLs of endpoints, as clients write them. */
  readonly urls: EndpointUrls
  readonly #shared: HttpShared
  readonly #admission: Admission
  readonly #routes: RouteTable
  readonly #prefix: string
  readonly #onRefused: HttpHandlerOptions['onRefused']
  readonly #sse: HttpSse
  readonly #sockets: SocketDoor | undefined
  readonly #ending = new AbortController()
  readonly #inFlight = new InFlight()
  readonly #sweep: NodeJS.Timeout
  readonly #drainMs: number
  readonly #warnForbidden: Server['log']
  readonly #warnDropped: Server['log']
  #drained: Promise<void> | undefined
  #dropped = 0

  constructor(server: Server, options: HttpHandlerOptions & { host: string }, openSockets?: OpenSockets) {
    const { maxBody = 10 * 1024 * 1024, maxSessions: most = 10_000, sessionIdleMs: idleMs = 30 * 60_000 } = options
    const { prefix = '', drainMs = 30_000, routes = [], scopes: rules = scopeRules(), views } = options
    const mostOfOne = options.maxSessionsPerPrincipal ?? Math.max(100, Math.floor(most / 4))
    const store = options.store ?? memoryStore({ maxValues: most + 1 })
    server.share(store)
    const limits = { most, mostOfOne, idleMs }
    const sessions = sessionsOf(server, {
      ...limits,
      store,
      shared: options.store !== undefined,
      worker: options.worker,
    })
    this.urls = new EndpointUrls(options.publicUrl)
    const scopes = endpointScopes({ server, rules, views })
    this.#admission = new Admission(options, { urls: this.urls, scopes, log: server.log })
    const budget = new ByteBudget(options.maxHeldBytes ?? Math.max(HELD_BYTES, 4 * maxBody))
    this.#shared = {
      server,
      sessions,
      store,
      keepAlive: new KeepAlive(KEEP_ALIVE_MS),
      maxBody,
      budget,
      prefix,
      strict: options.lifecycle === 'strict',
      ending: this.#ending.signal,
      challenge: (scopes, exchange) => this.#admission.challenge(scopes, exchange),
      get decidesScopes() {
        return rules.restricts
      },
    }
    // Every stream that listens for changes also listens for the end, and there may be any number.
    setMaxListeners(0, this.#ending.signal)
    this.#onRefused = options.onRefused
    this.#warnForbidden = rarely(server.log)
    this.#warnDropped = rarely(server.log)
    this.#prefix = prefix
    this.#drainMs = drainMs
    this.#sse = new HttpSse(this.#shared, most, mostOfOne)
    this.#sockets = openSockets?.(this.#shared, options)
    const metadata = metadataRoutes(options.authenticator, { server, urls: this.urls, scopes })
    const all = [...routes, ...metadata, ...this.#builtIn(options)]
    this.#routes = new RouteTable(all)
    this.paths = [...new Set(all.map(({ path }) => prefix + path))]
    this.#sweep = unref(setInterval(() => sessions.sweep(), SWEEP_MS))
  }

  /** What all connections together may hold. */
  get budget(): ByteBudget {
    return this.#shared.budget
  }

  get open(): HttpOpen {
    const { sessions, keepAlive } = this.#shared
    return { sessions: sessions.size, streams: keepAlive.size, sockets: this.#sockets?.size ?? 0 }
  }

  /** The path below the prefix; one outside it is nowhere in the table. */
  pathOf(url: string): string {
    const end = url.indexOf('?')
    const path = end < 0 ? url : url.slice(0, end)
    if (this.#prefix === '') return path
    // The well-known part stands before the path of what it describes.
    if (path.startsWith(`${METADATA_PATH}${this.#prefix}/`))
      return METADATA_PATH + path.slice(METADATA_PATH.length + this.#prefix.length)
    return path.startsWith(`${this.#prefix}/`) ? path.slice(this.#prefix.length) : ''
  }

  /** Is something served at that path? */
  has(path: string): boolean {
    return this.#routes.has(path)
  }

  /** Serve one exchange, whatever carries it. */
  serve(exchange: Exchange): void {
    const over = (): void => {
      exchange.release()
      this.#inFlight.end()
    }
    const fail = (error: unknown): void => {
      refuse(exchange, this.refusalOf(exchange, error), this.#shared.server)
      over()
    }
    this.#inFlight.begin()
    try {
      const work = this.#serve(exchange)
      if (work instanceof Promise) work.then(over, fail)
      else over()
    } catch (error) {
      fail(error)
    }
  }

  /** The route of a request that asks for another protocol, once it may; refused where there is none. */
  admitUpgrade(visitor: Visitor): Awaitable<Route & Required<Pick<Route, 'upgrade'>>> {
    this.#admission.checkOrigin(visitor)
    return after(this.#admit(visitor, this.#routes.find('GET', visitor.path)), route => {
      if (hasUpgrade(route)) return route
      throw new Refusal(404, `There is no WebSocket at ${visitor.path.slice(0, 100)}. Try /ws.`)
    })
  }

  /** Take nothing new, let what runs finish, end what is open; the second call waits for the first. */
  drain(): Promise<void> {
    return (this.#drained ??= this.#drain())
  }

  /** Tell the observer of a refusal that happened before there was a request. */
  reportRefusal(refused: RefusedRequest): void {
    try {
      this.#onRefused?.(refused)
    } catch (error) {
      this.#shared.server.log('error', 'onRefused failed', { error })
    }
  }

  /** A connection was refused, since there are too many. */
  onDropped(address: string): void {
    this.#dropped += 1
    this.reportRefusal({ status: 503, path: '', principal: undefined, address, reason: TOO_MANY })
    this.#warnDropped('warn', TOO_MANY, { refused: this.#dropped, address })
  }

  async #drain(): Promise<void> {
    this.#ending.abort()
    clearInterval(this.#sweep)
    // Answers come as requests of their own, and none can come now.
    this.#shared.sessions.rejectQuestions()
    this.#sse.rejectQuestions()
    const late = new Promise<'late'>(resolve => void unref(setTimeout(resolve, this.#drainMs, 'late')))
    await Promise.race([this.#inFlight.none(), late])
    await this.#sockets?.end(late)
    this.#shared.keepAlive.end()
    this.#shared.sessions.end()
  }

  #serve(exchange: Exchange): Awaitable<void> {
    const route = this.#routes.find(exchange.method, exchange.path)
    const cors = route?.anyOrigin ? ANY_ORIGIN : this.#admission.checkOrigin(exchange)
    for (const name in cors) exchange.setHeader(name, cors[name] ?? '')
    if (exchange.method === 'OPTIONS') {
      return exchange.reply(204, undefined, preflight(exchange.header('access-control-request-headers')))
    }
    return after(this.#admit(exchange, route), found => found.handle(exchange))
  }

  /** Who may come in where there is a route; the origin was checked before. */
  #admit(visitor: Visitor, route: Route | undefined): Awaitable<Route> {
    if (route?.public) return route
    return after(this.#admission.authenticate(visitor, route?.scopes), principal => {
      visitor.principal = principal
      if (this.#ending.signal.aborted) {
        throw new Refusal(503, 'The server is shutting down', -32000, { Connection: 'close' })
      }
      if (!route) throw this.#notFound(visitor.path)
      if (route.scopes) this.#admission.checkScopes(visitor, route.scopes)
      return route
    })
  }

  #notFound(path: string): Refusal {
    const methods = this.#routes.methods(path)
    if (methods.length > 0) return new Refusal(405, 'Method not allowed', -32000, { Allow: methods.join(', ') })
    return new Refusal(
      404,
      `There is nothing at ${path.slice(0, 100)}. Try /mcp, /sse${this.#sockets ? ', /rpc or /ws' : ' or /rpc'}.`,
    )
  }

  /** Turns any error into a refusal, and reports it. */
  refusalOf({ path, address, principal }: Visitor, error: unknown): Refusal {
    const { log } = this.#shared.server
    const refusal = error instanceof Refusal ? error : new Refusal(500, 'Internal error', -32603)
    const { status, message: reason } = refusal
    const details = { path: path.slice(0, 100), status, problem: reason }
    // A name that is not allowed is usually that of a proxy that was not configured.
    if (status === 403 && /^Forbidden: (?:this server|the origin) /.test(reason))
      this.#warnForbidden('warn', 'request refused', details)
    else if (refusal === error) log('debug', 'request refused', details)
    else log('error', 'an exchange failed', { path: path.slice(0, 100), error })
    this.reportRefusal({ status, path, principal, address, reason })
    return refusal
  }

  #builtIn({ views, host, allowedHosts = [] }: HttpHandlerOptions & { host: string }): Route[] {
    // A proxy that is allowed by name passes on requests of other machines.
    const isPrivate = isLoopback(host) && allowedHosts.length === 0
    const shared = this.#shared
    const sockets = this.#sockets
    return [
      { path: '/mcp', handle: exchange => streamableHttp(exchange, shared) },
      ...(views ? [viewRoute(views, shared, isPrivate)] : []),
      { path: '/rpc', handle: exchange => rpc(exchange, shared) },
      { path: '/sse', method: 'GET', handle: exchange => this.#sse.listen(exchange) },
      { path: '/sse', handle: exchange => rpcEvents(exchange, shared) },
      { path: '/messages', handle: exchange => this.#sse.post(exchange) },
      ...(sockets
        ? [{ path: '/ws', handle: upgradeRequired, upgrade: (one: UpgradeRequest) => sockets.upgrade(one) }]
        : []),
      ...healthRoutes(this.#ending.signal, shared.store),
    ]
  }
}

/** Answer a request that did not ask for WebSocket where nothing else is spoken. */
function upgradeRequired(): never {
  throw new Refusal(426, 'This path speaks WebSocket', -32000, { Connection: 'Upgrade', Upgrade: 'websocket' })
}

const hasUpgrade = (route: Route): route is Route & Required<Pick<Route, 'upgrade'>> => route.upgrade !== undefined

/** The sessions of a server, which it follows once they are restored. */
const sessionsOf = (
  server: Server,
  options: Omit<ConstructorParameters<typeof HttpSessions>[0], 'log' | 'onRestored' | 'changes'>,
): HttpSessions =>
  new HttpSessions({
    ...options,
    log: server.log,
    onRestored: session => server.follow(session),
    changes: server.sharedChanges,
  })
