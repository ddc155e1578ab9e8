import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { Log } from '@causeway/engine'
import { rarely } from '@causeway/engine/internal'

/** A process that serves connections. */
export interface Taker {
  /** Connections it has. */
  connections: number
  /** Handed over, but not yet taken. */
  readonly handing: Map<number, Socket>
  hand(socket: Socket, id: number): void
}

// Connections that came while no worker served, and how long they wait.
const MOST_WAITING = 1000
const WAITING_MS = 10_000

/** Accepts every connection of the port, and hands each to the worker that has the fewest; the port stays open when workers end. */
export class Acceptor {
  readonly #listener: Server
  readonly #takers: () => readonly Taker[]
  readonly #waiting = new Set<Socket>()
  readonly #warn: Log
  /** Connections that were refused, since there were too many. */
  refused = 0
  #max: number
  #open = 0
  #turn = 0
  #handed = 0

  constructor(takers: () => readonly Taker[], max: number, log: Log = () => {}) {
    this.#warn = rarely(log)
    this.#takers = takers
    this.#max = max
    this.#listener = createServer({ pauseOnConnect: true }, socket => this.#accept(socket))
  }

  /** The port it came to listen on. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#listener.once('error', reject)
      this.#listener.listen(port, host, () => {
        this.#listener.removeListener('error', reject)
        // A connection that cannot be accepted, for want of descriptors, is that client's loss alone.
        this.#listener.on('error', () => {})
        resolve((this.#listener.address() as AddressInfo).port)
      })
    })
  }

  /** Most connections from now on. */
  set max(most: number) {
    this.#max = most
  }

  /** Another process serves now: what waited is handed over. */
  flush(): void {
    for (const socket of this.#waiting) {
      this.#waiting.delete(socket)
      this.#hand(socket)
    }
  }

  /** A taker has a connection: our end of it is no longer needed. */
  taken(taker: Taker, id: number): void {
    taker.handing.get(id)?.destroy()
    taker.handing.delete(id)
  }

  /** So many connections of a taker closed. */
  closed(taker: Taker, count: number): void {
    const known = Math.min(count, taker.connections)
    taker.connections -= known
    this.#open -= known
  }

  /** A taker is gone: what it never took goes to another. */
  removeTaker(taker: Taker): void {
    const left = [...taker.handing.values()]
    taker.handing.clear()
    this.closed(taker, taker.connections - left.length)
    taker.connections = 0
    for (const socket of left) this.#hand(socket)
  }

  close(): void {
    this.#listener.close()
    for (const socket of this.#waiting) socket.destroy()
    this.#waiting.clear()
  }

  #accept(socket: Socket): void {
    socket.on('error', () => {})
    if (this.#open >= this.#max) return this.#refuse(socket)
    this.#open += 1
    this.#hand(socket)
  }

  #refuse(socket: Socket): void {
    this.refused += 1
    const { remoteAddress: address } = socket
    this.#warn('warn', 'connections are refused, since there are too many (--max-connections)', {
      refused: this.refused,
      address,
    })
    socket.destroy()
  }

  #hand(socket: Socket): void {
    const takers = this.#takers()
    // Where several have as many, each has its turn.
    const start = ++this.#turn % Math.max(1, takers.length)
    const [first, ...others] = [...takers.slice(start), ...takers.slice(0, start)]
    if (!first) return this.#wait(socket)
    const taker = others.reduce((least, one) => (one.connections < least.connections ? one : least), first)
    taker.connections += 1
    taker.handing.set(++this.#handed, socket)
    taker.hand(socket, this.#handed)
  }

  #wait(socket: Socket): void {
    const drop = (): void => {
      if (!this.#waiting.delete(socket)) return
      socket.destroy()
      this.#open -= 1
    }
    this.#waiting.add(socket)
    if (this.#waiting.size > MOST_WAITING) return drop()
    setTimeout(drop, WAITING_MS).unref()
  }
}
