import { setMaxListeners } from 'node:events'
import { STATUS_CODES, createServer as createListener } from 'node:http'
import type { IncomingMessage, Server as Listener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { challengeOf } from '../auth/authenticator.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Principal } from '../auth/principal.ts'
import { after } from '../awaitable.ts'
import { tokenIn } from '../auth/bearer.ts'
import type { Awaitable } from '../call.ts'
import type { Server } from '../server.ts'
import { Connections } from './connections.ts'
import { Budget } from './budget.ts'
import { KeepAlive } from './event-stream.ts'
import { Refusal, refuse } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { createGuard, isLoopback, preflight } from './guard.ts'
import type { Guard } from './guard.ts'
import { HttpSessions } from './http-session.ts'
import { HttpSse } from './http-sse.ts'
import { InFlight } from './in-flight.ts'
import { streamableHttp } from './http.ts'
import type { HttpShared } from './http.ts'
import { NodeExchange } from './node.ts'
import { endWith, hangUp, stay } from './raw.ts'
import { rpc, rpcEvents } from './rpc.ts'
import { Sockets } from './websocket.ts'

/** What can be chosen about serving over HTTP. */
export interface HttpOptions {
  /** Default: 127.0.0.1. Any address beyond this machine needs `authenticator` or `allowAnonymous`. */
  readonly host?: string
  /** Default: 5000; 0 picks a free one. */
  readonly port?: number
  readonly authenticator?: Authenticator
  readonly allowAnonymous?: boolean
  /** Origins of web pages that may use the server. */
  readonly allowedOrigins?: readonly string[]
  readonly maxBody?: number
  readonly maxConnections?: number
  readonly maxSessions?: number
  readonly sessionIdleMs?: number
  /** `strict` refuses what comes before the handshake is complete. Default: lenient, since requests can overtake. */
  readonly lifecycle?: 'strict' | 'lenient'
  /** How long work in flight may take to finish at the end. */
  readonly drainMs?: number
}

/** A server being served. */
export interface HttpService {
  readonly url: string
  readonly port: number
  /** Sessions and streams that are open. */
  readonly open: { readonly sessions: number; readonly streams: number; readonly sockets: number }
  /** Take nothing new, end streams politely, let calls finish, then close. */
  close(): Promise<void>
}

const KEEP_ALIVE_MS = 15_000
const SWEEP_MS = 60_000
// At the end, what a client may still take to send the rest of its request.
const HALF_SENT_MS = 5_000
// What request bodies may hold at once, over all connections.
const BODIES = 256 * 1024 * 1024

/** Every door on one port: /mcp, /sse, /messages, /ws, /rpc and /health. */
export async function serveHttp(server: Server, options: HttpOptions = {}): Promise<HttpService> {
  const { host = '127.0.0.1', port = 5000 } = options
  if (!isLoopback(host) && !options.authenticator && !options.allowAnonymous) {
    throw new TypeError(`Listening on ${host} lets other machines in: give an authenticator, or allow anonymous use`)
  }
  const doors = new Doors(server, { ...options, host })
  const listener = createListener({
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 5_000,
  })
  listener.maxConnections = options.maxConnections ?? 4096
  // Node's own, which it calls to close, takes a connection for idle whose answer is still on its way.
  listener.closeIdleConnections = () => doors.connections.closeIdle()
  listener.on('connection', (socket: Duplex) => doors.connections.add(socket))
  listener.on('request', (request: IncomingMessage, response: ServerResponse) => doors.enter(request, response))
  listener.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket') doors.upgrade(request, socket, head)
    else stay(listener, request, socket, head)
  })
  listener.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
    // A word of ours would be taken for the answer that is still on its way.
    else if (!doors.connections.finish(socket)) hangUp(error, socket)
  })
  const bound = await listening(listener, port, host)
  const shown = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${shown}:${bound}`,
    port: bound,
    get open() {
      return doors.open
    },
    close: () => doors.close(listener),
  }
}

function listening(listener: Listener, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(port, host, () => {
      listener.removeListener('error', reject)
      resolve((listener.address() as AddressInfo).port)
    })
  })
}

class Doors {
  readonly connections: Connections = new Connections()
  readonly #shared: HttpShared
  readonly #guard: Guard
  readonly #authenticator: Authenticator | undefined
  readonly #sse: HttpSse
  readonly #sockets: Sockets
  readonly #ending = new AbortController()
  readonly #inFlight = new InFlight()
  readonly #sweep: NodeJS.Timeout
  readonly #drainMs: number
  readonly #budget: Budget

  constructor(server: Server, options: HttpOptions & { host: string }) {
    const { maxBody = 10 * 1024 * 1024, maxSessions: most = 10_000, sessionIdleMs: idleMs = 30 * 60_000 } = options
    const sessions = new HttpSessions({ most, idleMs })
    const keepAlive = new KeepAlive(KEEP_ALIVE_MS)
    const strict = options.lifecycle === 'strict'
    this.#shared = { server, sessions, keepAlive, maxBody, strict, ending: this.#ending.signal }
    // Whoever listens for changes listens for the end too, and any number may.
    setMaxListeners(0, this.#ending.signal)
    this.#guard = createGuard(options)
    this.#authenticator = options.authenticator
    this.#sse = new HttpSse(this.#shared, most)
    this.#sockets = new Sockets(this.#shared)
    this.#sweep = setInterval(() => sessions.sweep(), SWEEP_MS)
    this.#sweep.unref()
    this.#budget = new Budget(Math.max(BODIES, 4 * maxBody))
    this.#drainMs = options.drainMs ?? 30_000
  }

  get open(): HttpService['open'] {
    const { sessions, keepAlive } = this.#shared
    return { sessions: sessions.size, streams: keepAlive.size, sockets: this.#sockets.size }
  }

  enter(request: IncomingMessage, response: ServerResponse): void {
    // Behind others on its connection a request waits for its turn, as its answer would have to.
    if (response.socket) this.#begin(request, response)
    else response.once('socket', () => this.#begin(request, response))
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.connections.use(request.socket, response)
    const exchange = new NodeExchange(request, response, this.#budget)
    const over = (): void => {
      exchange.release()
      this.#inFlight.end()
    }
    const fail = (error: unknown): void => {
      this.#fail(exchange, error)
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

  #serve(exchange: Exchange): Awaitable<void> {
    const cors = this.#guard.check(exchange)
    for (const name in cors) exchange.setHeader(name, cors[name] ?? '')
    if (exchange.method === 'OPTIONS') {
      return exchange.reply(204, undefined, preflight(exchange.header('access-control-request-headers')))
    }
    if (exchange.path.startsWith('/health/')) return this.#health(exchange)
    return after(this.#principal(exchange.header('authorization')), principal => {
      exchange.principal = principal
      if (this.#ending.signal.aborted)
        throw new Refusal(503, 'The server is shutting down', -32000, { Connection: 'close' })
      return this.#route(exchange)
    })
  }

  #route(exchange: Exchange): Awaitable<void> {
    switch (exchange.path) {
      case '/mcp':
        return streamableHttp(exchange, this.#shared)
      case '/rpc':
        return rpc(exchange, this.#shared)
      case '/sse':
        return exchange.method === 'GET' ? this.#sse.listen(exchange) : rpcEvents(exchange, this.#shared)
      case '/messages':
        return this.#sse.post(exchange)
      case '/ws':
        throw new Refusal(426, 'This path speaks WebSocket', -32000, { Connection: 'Upgrade', Upgrade: 'websocket' })
      default:
        throw new Refusal(404, `There is nothing at ${exchange.path.slice(0, 100)}. Try /mcp, /sse, /rpc or /ws.`)
    }
  }

  #health(exchange: Exchange): void {
    const alive = exchange.path === '/health/live'
    if (!alive && exchange.path !== '/health/ready') throw new Refusal(404, 'There is /health/live and /health/ready')
    if (alive || !this.#ending.signal.aborted)
      return exchange.reply(200, '{"status":"ok"}', { 'Cache-Control': 'no-store' })
    exchange.reply(503, '{"status":"shutting down"}', { 'Cache-Control': 'no-store' })
  }

  #principal(authorization: string | undefined): Awaitable<Principal | undefined> {
    const authenticator = this.#authenticator
    if (!authenticator) return undefined
    const token = tokenIn(authorization)
    return after(token === undefined ? undefined : authenticator.authenticate(token), principal => {
      if (principal !== undefined) return principal
      throw new Refusal(401, 'Unauthorized: send a valid token as Authorization: Bearer', -32000, {
        'WWW-Authenticate': challengeOf(authenticator, authorization === undefined ? 'missing' : 'invalid'),
      })
    })
  }

  #fail(exchange: Exchange, error: unknown): void {
    const { log } = this.#shared.server
    if (error instanceof Refusal) {
      log('debug', 'request refused', { request: exchange.answering, status: error.status, problem: error.message })
      return refuse(exchange, error)
    }
    log('error', 'an exchange failed', { path: exchange.path, error })
    refuse(exchange, new Refusal(500, 'Internal error', -32603))
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    if (this.connections.isBusy(socket)) return void socket.destroy()
    this.connections.leave(socket)
    try {
      const header: Exchange['header'] = name => {
        const value = request.headers[name]
        return Array.isArray(value) ? value.join(', ') : value
      }
      this.#guard.check({ header })
      const principal = this.#principal(header('authorization')) as Principal | undefined
      if (this.#ending.signal.aborted) throw new Refusal(503, 'The server is shutting down')
      if (request.url?.split('?', 1)[0] !== '/ws') throw new Refusal(404, 'WebSocket is at /ws')
      this.#sockets.upgrade(request, socket, head, principal).catch(() => socket.destroy())
    } catch (error) {
      const { status, headers } = error instanceof Refusal ? error : new Refusal(500, 'Internal error')
      const lines = Object.entries({ Connection: 'close', 'Content-Length': '0', ...headers }).map(
        ([k, v]) => `${k}: ${v}`,
      )
      endWith(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n`)
    }
  }

  async close(listener: Listener): Promise<void> {
    const closed = new Promise<void>(resolve => void listener.close(() => resolve()))
    this.#ending.abort()
    clearInterval(this.#sweep)
    // Answers come as requests of their own, and none can come now.
    this.#shared.sessions.hush()
    this.#sse.hush()
    const late = new Promise<'late'>(resolve => void setTimeout(resolve, this.#drainMs, 'late').unref())
    const halfSent = setTimeout(() => this.connections.closeHalfSent(), HALF_SENT_MS)
    await Promise.race([this.#inFlight.none(), late])
    clearTimeout(halfSent)
    await this.#sockets.end(late)
    this.#shared.keepAlive.end()
    this.#shared.sessions.end()
    await this.connections.drain(Promise.race([closed, late]))
    // What is left now is sockets, which close when both sides have said so.
    const grace = new Promise(resolve => void setTimeout(resolve, 1000).unref())
    await Promise.race([closed, grace])
    listener.closeAllConnections()
    this.#sockets.cut()
    await closed
  }
}
