import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Server } from '../../server.ts'
import { Sockets } from '../websocket/websocket.ts'
import { HttpFrontend, hostOf, requireUrl } from './frontend.ts'
import type { HttpHandlerOptions, HttpOpen } from './handler-options.ts'
import { NodeFront } from './node-front.ts'

/** A server's HTTP side, to be mounted in a Node HTTP server. The functions need no `this`. */
export interface HttpHandler {
  /** Answers a request. With `next`, a path that is not in the table of routes is left to others. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, next?: () => void) => void
  /** Takes over a connection that asks for WebSocket; false, and nothing touched, where that is not for us. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean
  /** Takes nothing new, lets calls finish for at most `drainMs`, then ends every stream, socket and session. */
  readonly drain: () => Promise<void>
  /** The paths of the routes, prefixes with `/*` at the end. */
  readonly paths: readonly string[]
  /** What is open now. */
  readonly open: HttpOpen
}

/** A server as a request handler of Node's HTTP: /mcp, /sse, /messages, /ws, /rpc, /health and the routes you add. */
export function httpHandler(server: Server, options: HttpHandlerOptions = {}): HttpHandler {
  const frontend = createFrontend(server, options)
  requireUrl(options)
  return handlerOf(frontend)
}

/** What is behind a handler, for those who also own the listener. */
export function createFrontend(server: Server, options: HttpHandlerOptions): HttpFrontend {
  return new HttpFrontend(server, { ...options, host: hostOf(options) }, (shared, own) => new Sockets(shared, own))
}

const handlerOf = (frontend: HttpFrontend, node = new NodeFront(frontend)): HttpHandler => ({
  handle: (request, response, next) => node.handle(request, response, next),
  upgrade: (request, socket, head) => node.upgrade(request, socket, head),
  drain: () => frontend.drain(),
  paths: frontend.paths,
  get open() {
    return frontend.open
  },
})
