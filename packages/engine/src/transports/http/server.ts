import { createServer as createListener } from 'node:http'
import type { IncomingMessage, Server as Listener, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import type { Server } from '../../server.ts'
import { guardStderr } from '../../log/stderr.ts'
import { Connections, IDLE_MS } from './connections.ts'
import type { HttpFrontend } from './frontend.ts'
import type { HttpHandlerOptions, HttpOpen, Traffic } from './handler-options.ts'
import { createFrontend } from './handler.ts'
import type { AddressOf } from './node-exchange.ts'
import { NodeFront } from './node-front.ts'
import { isLoopback } from './origin-check.ts'
import { ignoreUpgrade, refuseSocket, statusOfUnreadable } from './raw-http.ts'
import { createSecureListener, replaceTls } from '../listeners/tls.ts'
import type { OnTlsFailure, TlsOptions } from '../listeners/tls.ts'
import { listenOnSocket } from '../listeners/unix-socket.ts'

/** What can be chosen about serving over HTTP. */
export interface HttpOptions extends HttpHandlerOptions {
  /** Default: 5000; 0 picks a free one. */
  readonly port?: number
  readonly maxConnections?: number
  /** Serve HTTPS. */
  readonly tls?: TlsOptions | undefined
  /** Listen on this Unix socket instead of a port; only this user may connect. */
  readonly socket?: string | undefined
}

/** A server being served. */
export interface HttpService {
  readonly url: string
  readonly port: number
  /** Sessions, streams and sockets that are open. */
  readonly open: HttpOpen
  readonly traffic: Traffic
  /** Use another certificate from the next connection on. Throws, and changes nothing, for one that cannot be used. */
  replaceTls(tls: TlsOptions): void
  /** Take nothing new, end streams politely, let calls finish, then close. */
  close(): Promise<void>
}

const TIMES = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  // Idle connections are closed by `Connections`.
  keepAliveTimeout: 0,
  connectionsCheckingInterval: 5_000,
}
// At the end, what a client may still take to send the rest of its request.
const HALF_SENT_MS = 5_000
// At the end, what a client may still take to close its side.
const CLOSING_MS = 1_000

/** A handler on a port of its own: /mcp, /sse, /messages, /ws, /rpc, /health and the routes you add. */
export async function serveHttp(server: Server, options: HttpOptions = {}): Promise<HttpService> {
  const { host = '127.0.0.1' } = options
  // A name that a client chooses would let in tokens that are for other servers.
  if (options.authenticator?.authorizationServers && options.publicUrl === undefined && !isLoopback(host))
    throw new TypeError('Tokens of authorization servers are for a URL: give publicUrl, what clients write before /mcp')
  const { tls } = options
  const { listener, frontend, connections, close } = createHttp(server, options, { tls })
  listener.maxConnections = options.maxConnections ?? 4096
  listener.on('drop', ({ remoteAddress: address = 'local' } = {}) => frontend.onDropped(address))
  const { authority, port } = await listen(listener, { ...options, host })
  const url = `${tls ? 'https' : 'http'}://${authority}`
  frontend.urls.bound(url + (options.prefix ?? ''))
  return {
    url,
    port,
    get open() {
      return frontend.open
    },
    get traffic() {
      return connections.traffic
    },
    replaceTls: next => {
      if (!tls) throw new TypeError('This server does not serve HTTPS')
      replaceTls(listener as unknown as TlsServer, next)
    },
    close,
  }
}

/** Listen where the options say; what clients write for it in a URL. */
async function listen(
  listener: Listener,
  { socket, host, port = 5000 }: Pick<HttpOptions, 'socket' | 'port'> & { readonly host: string },
): Promise<{ readonly authority: string; readonly port: number }> {
  if (socket !== undefined) {
    await listenOnSocket(listener, socket)
    // Clients may write any name of this machine.
    return { authority: 'localhost', port: 0 }
  }
  const bound = await listening(listener, port, host)
  return { authority: `${host.includes(':') ? `[${host}]` : host}:${bound}`, port: bound }
}

/** A listener that is not yet listening, and what is behind it. */
export interface HttpParts {
  readonly listener: Listener
  readonly connections: Connections
  readonly frontend: HttpFrontend
  readonly onTlsFailure: OnTlsFailure
  readonly close: () => Promise<void>
}

/** How a listener takes what comes. */
export interface HttpEnds {
  readonly worker?: WorkerEnds
  readonly tls?: TlsOptions | undefined
}

/** How one of several processes behind one port takes requests. */
export interface WorkerEnds {
  /** Looks at a request first; true if it took it. */
  intercept(request: IncomingMessage, response: ServerResponse): boolean
  /** Where the client is, though another process may have passed its request on. */
  readonly addressOf: AddressOf
}

/** Everything of a service but what it listens on. */
export function createHttp(server: Server, options: HttpHandlerOptions, { worker, tls }: HttpEnds = {}): HttpParts {
  guardStderr()
  const frontend = createFrontend(server, options)
  const connections = new Connections()
  const onTlsFailure: OnTlsFailure = (error, address) =>
    frontend.reportRefusal({ status: 400, path: '', principal: undefined, address, reason: error.message })
  const listener = tls ? createSecureListener(tls, TIMES, onTlsFailure) : createListener(TIMES)
  // Node's own, which it calls to close, takes a connection for idle whose answer is still on its way.
  listener.closeIdleConnections = () => connections.closeIdle()
  let closed: Promise<void> | undefined
  const parts: HttpParts = {
    listener,
    connections,
    frontend,
    onTlsFailure,
    close: () => (closed ??= close(parts, options.drainMs)),
  }
  connect(parts, worker, tls ? 'secureConnection' : 'connection')
  return parts
}

function connect({ listener, connections, frontend }: HttpParts, worker: WorkerEnds | undefined, opened: string): void {
  const node = new NodeFront(frontend, { clientAddress: worker?.addressOf, idleMs: IDLE_MS })
  listener.on(opened, (socket: Socket) => connections.add(socket))
  listener.on('request', (request: IncomingMessage, response: ServerResponse) => {
    connections.use(request, response)
    if (!worker?.intercept(request, response)) node.handle(request, response)
  })
  listener.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    // What would be said on the socket now would be taken for the answer to a request before.
    connections.afterAnswers(socket, () => {
      if (node.upgrade(request, socket, head)) connections.leave(socket)
      else ignoreUpgrade(listener, request, socket, head)
    })
  })
  listener.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
    // A word of ours would be taken for the answer that is still on its way.
    else if (!connections.finish(socket)) refuse(error, socket)
  })
  const refuse = (error: NodeJS.ErrnoException, socket: Socket): void => {
    const status = statusOfUnreadable(error)
    const { remoteAddress: address = 'local' } = socket
    frontend.reportRefusal({ status, path: '', principal: undefined, address, reason: error.message })
    refuseSocket(socket, status)
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

async function close({ listener, connections, frontend }: HttpParts, drainMs = 30_000): Promise<void> {
  const closed = new Promise<void>(resolve => void listener.close(() => resolve()))
  const late = new Promise(resolve => void setTimeout(resolve, drainMs).unref())
  const halfSent = setTimeout(() => connections.closeHalfSent(), HALF_SENT_MS)
  await frontend.drain()
  clearTimeout(halfSent)
  await connections.drain(late)
  // What is left now closes when both sides have said so.
  const grace = new Promise(resolve => void setTimeout(resolve, CLOSING_MS).unref())
  await Promise.race([closed, grace])
  listener.closeAllConnections()
  await closed
}
