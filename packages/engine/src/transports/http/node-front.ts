import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Visitor } from './admission.ts'
import type { HttpFrontend } from './frontend.ts'
import { NodeExchange, addressOf, headerOf, tlsPeerOf } from './node-exchange.ts'
import type { AddressOf, NodeParts } from './node-exchange.ts'
import { Pipelining } from './pipelining.ts'
import { refuseSocket } from './raw-http.ts'

/** What is known of the listener in front. */
export interface FrontOptions {
  /** Where a client is. Default: at the other end of the connection. */
  readonly clientAddress?: AddressOf | undefined
  /** How long connections may be idle, if Node's own timeout does not say so. */
  readonly idleMs?: number
}

/** Requests and upgrades of Node's HTTP server, for a front that knows exchanges only. */
export class NodeFront {
  readonly #front: HttpFrontend
  readonly #pipelining: Pipelining
  readonly #parts: NodeParts

  constructor(front: HttpFrontend, { clientAddress = addressOf, idleMs = 0 }: FrontOptions = {}) {
    this.#front = front
    this.#parts = { budget: front.budget, addressOf: clientAddress, idleMs }
    this.#pipelining = new Pipelining(front.budget)
  }

  /** With `next`, a path that is not in the table of routes is left to others. */
  handle(request: IncomingMessage, response: ServerResponse, next?: () => void): void {
    if (next && !this.#front.has(this.#pathOf(request))) return next()
    if (response.socket) this.#begin(request, response)
    else this.#pipelining.wait(request, response, () => this.#begin(request, response))
  }

  /** False, and nothing touched, where the request asks for something other than WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') return false
    socket.on('error', () => socket.destroy())
    const visitor = this.#visitorOf(request)
    const fail = (error: unknown): void => {
      const { status, headers } = this.#front.refusalOf(visitor, error)
      refuseSocket(socket, status, headers)
    }
    this.#upgrade(visitor, request, socket, head).catch(fail)
    return true
  }

  async #upgrade(visitor: Visitor, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const route = await this.#front.admitUpgrade(visitor)
    const { principal, address } = visitor
    if (!socket.destroyed) await route.upgrade({ request, socket, head, principal, address })
  }

  #visitorOf(request: IncomingMessage): Visitor {
    return {
      method: 'GET',
      path: this.#pathOf(request),
      address: this.#parts.addressOf(request),
      tlsPeer: tlsPeerOf(request),
      principal: undefined,
      header: name => headerOf(request, name),
    }
  }

  #pathOf({ url = '/' }: IncomingMessage): string {
    return this.#front.pathOf(url)
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#front.serve(new NodeExchange(request, response, this.#pathOf(request), this.#parts))
  }
}
