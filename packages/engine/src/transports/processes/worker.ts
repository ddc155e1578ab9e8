import type { IncomingMessage, Server as Listener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Server } from '../../server.ts'
import { Forwarding, forwardedAddress, forwardedPeer } from './worker-forwarding.ts'
import type { SocketOf } from './worker-forwarding.ts'
import type { HttpHandlerOptions, HttpOpen, Traffic } from '../http/handler-options.ts'
import { addressOf, setTlsPeer } from '../http/node-exchange.ts'
import type { AddressOf } from '../http/node-exchange.ts'
import { createHttp } from '../http/server.ts'
import type { HttpParts } from '../http/server.ts'
import { TlsFront } from '../listeners/tls.ts'
import type { TlsOptions } from '../listeners/tls.ts'

/** What can be chosen about one of several processes behind one port. */
export interface HttpWorkerOptions extends HttpHandlerOptions {
  /** The Unix socket on which it takes what others pass on. */
  readonly socket: string
  /** Where the sessions of the other processes are; without it, any process serves any session, through `store`. */
  readonly socketOf?: SocketOf
  /** Connections that were accepted elsewhere are to be made secure. */
  readonly tls?: TlsOptions | undefined
}

/** One of several processes behind one port: another process accepts its connections. */
export interface HttpWorker {
  /** Sessions, streams and sockets that are open. */
  readonly open: HttpOpen
  readonly traffic: Traffic
  /** Serve a connection that was accepted elsewhere. */
  take(socket: Socket): void
  /** Use another certificate from the next connection on. Throws, and changes nothing, for one that cannot be used. */
  replaceTls(tls: TlsOptions): void
  /** Let every answer be the last on its connection; resolves when nothing was asked for a while, or it took too long. */
  retire(limits: RetireLimits): Promise<void>
  /** Take nothing new, end streams politely, let calls finish, then close. */
  close(): Promise<void>
}

/** How long a process that is to be replaced goes on. */
export interface RetireLimits {
  /** Nothing was asked and nothing was open for so long. */
  readonly quietMs: number
  /** At most. */
  readonly mostMs: number
}

const LOOK_AGAIN_MS = 100

/** The client that another process passed on may have shown a certificate there. */
function takePeer(request: IncomingMessage): false {
  const peer = forwardedPeer(request)
  if (peer) setTlsPeer(request, peer)
  return false
}

/** Serve as one of several processes behind one port: sessions opened here have `worker` in their ids and stay here. */
export async function httpWorker(server: Server, options: HttpWorkerOptions): Promise<HttpWorker> {
  const { socket: path, socketOf, worker = '', tls } = options
  const forwarding = socketOf && new Forwarding(worker, socketOf)
  const taken = new WeakSet<object>()
  let retiring = false
  let usedAt = 0
  const intercept = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (retiring) usedAt = performance.now()
    if (!taken.has(request.socket)) return takePeer(request)
    if (retiring) response.shouldKeepAlive = false
    return forwarding?.pass(request, response) ?? false
  }
  const clientAddress: AddressOf = request =>
    taken.has(request.socket) ? addressOf(request) : forwardedAddress(request)
  const parts = createHttp(server, options, { worker: { intercept, addressOf: clientAddress } })
  const { listener, frontend, connections } = parts
  const serve = (socket: Socket): void => {
    taken.add(socket)
    listener.emit('connection', socket)
  }
  const front = tls && new TlsFront(tls, serve, parts.onTlsFailure)
  await listening(listener, path)
  return {
    get open() {
      return frontend.open
    },
    get traffic() {
      return connections.traffic
    },
    take(socket) {
      prepare(socket)
      if (front) front.take(socket)
      else serve(socket)
      socket.resume()
    },
    replaceTls: next => {
      if (!front) throw new TypeError('This server does not serve HTTPS')
      front.replace(next)
    },
    async retire(limits) {
      retiring = true
      usedAt = performance.now()
      await quiet(parts, limits, () => usedAt)
    },
    async close() {
      await parts.close()
      forwarding?.close()
    },
  }
}

function prepare(socket: Socket): void {
  socket.setNoDelay(true)
  // A client may close its side and still wait for the answer.
  socket.allowHalfOpen = true
}

async function quiet({ connections, frontend }: HttpParts, limits: RetireLimits, usedAt: () => number): Promise<void> {
  const until = performance.now() + limits.mostMs
  let busyAt = performance.now()
  while (performance.now() < until) {
    const { streams, sockets } = frontend.open
    if (connections.inUse || streams > 0 || sockets > 0) busyAt = performance.now()
    if (performance.now() - Math.max(busyAt, usedAt()) > limits.quietMs) return
    await wait(LOOK_AGAIN_MS)
  }
}

function listening(listener: Listener, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(path, () => {
      listener.removeListener('error', reject)
      resolve()
    })
  })
}
