import { createServer as createListener } from 'node:http'
import type { IncomingMessage, Server as Listener, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Server } from '../server.ts'
import { guardStderr } from '../stderr.ts'
import { Connections } from './connections.ts'
import type { HttpFrontend, HttpHandlerOptions, HttpOpen } from './http-frontend.ts'
import { createFrontend } from './http-handler.ts'
import { ignoreUpgrade, refuseSocket, statusOfUnreadable } from './raw-http.ts'

/** What can be chosen about serving over HTTP. */
export interface HttpOptions extends HttpHandlerOptions {
  /** Default: 5000; 0 picks a free one. */
  readonly port?: number
  readonly maxConnections?: number
}

/** A server being served. */
export interface HttpService {
  readonly url: string
  readonly port: number
  /** Sessions, streams and sockets that are open. */
  readonly open: HttpOpen
  /** Take nothing new, end streams politely, let calls finish, then close. */
  close(): Promise<void>
}

// At the end, what a client may still take to send the rest of its request.
const HALF_SENT_MS = 5_000
// At the end, what a client may still take to close its side.
const CLOSING_MS = 1_000

/** A handler on a port of its own: /mcp, /sse, /messages, /ws, /rpc, /health and the routes you add. */
export async function serveHttp(server: Server, options: HttpOptions = {}): Promise<HttpService> {
  const { host = '127.0.0.1', port = 5000 } = options
  guardStderr()
  const frontend = createFrontend(server, options)
  const connections = new Connections()
  const listener = createListener({
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 5_000,
  })
  listener.maxConnections = options.maxConnections ?? 4096
  // Node's own, which it calls to close, takes a connection for idle whose answer is still on its way.
  listener.closeIdleConnections = () => connections.closeIdle()
  connect(listener, connections, frontend)
  const bound = await listening(listener, port, host)
  const shown = host.includes(':') ? `[${host}]` : host
  let closed: Promise<void> | undefined
  return {
    url: `http://${shown}:${bound}`,
    port: bound,
    get open() {
      return frontend.open
    },
    close: () => (closed ??= close(listener, connections, frontend, options.drainMs)),
  }
}

function connect(listener: Listener, connections: Connections, frontend: HttpFrontend): void {
  listener.on('connection', (socket: Socket) => connections.add(socket))
  listener.on('request', (request: IncomingMessage, response: ServerResponse) => {
    connections.use(request, response)
    frontend.handle(request, response)
  })
  listener.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    // What would be said on the socket now would be taken for the answer to a request before.
    connections.afterAnswers(socket, () => {
      if (frontend.upgrade(request, socket, head)) connections.leave(socket)
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

async function close(
  listener: Listener,
  connections: Connections,
  frontend: HttpFrontend,
  drainMs = 30_000,
): Promise<void> {
  const closed = new Promise<void>(resolve => void listener.close(() => resolve()))
  const late = new Promise(resolve => void setTimeout(resolve, drainMs).unref())
  const halfSent = setTimeout(() => connections.closeHalfSent(), HALF_SENT_MS)
  await frontend.drain()
  clearTimeout(halfSent)
  await connections.drain(Promise.race([closed, late]))
  // What is left now closes when both sides have said so.
  const grace = new Promise(resolve => void setTimeout(resolve, CLOSING_MS).unref())
  await Promise.race([closed, grace])
  listener.closeAllConnections()
  await closed
}
