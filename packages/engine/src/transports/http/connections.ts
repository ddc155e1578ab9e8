import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Traffic } from './handler-options.ts'

const LOOK_AGAIN_MS = 20
/** How long a connection may be idle after an answer, at least. */
export const IDLE_MS = 65_000
const SWEEP_MS = 5_000
const MOST_IDLE_SWEEPS = IDLE_MS / SWEEP_MS

interface Connection {
  /** The answer that is being given. */
  current: ServerResponse | undefined
  /** The answer to the request that came last; another than the current one where requests were sent ahead. */
  latest: ServerResponse | undefined
  /** How much had come when it was looked at, and how often it was found idle since. */
  received: number | undefined
  idleSweeps: number
}

type Counted = Duplex & { readonly bytesRead?: number; readonly bytesWritten?: number }

const bytesOf = ({ bytesRead = 0, bytesWritten = 0 }: Counted): Traffic => ({ received: bytesRead, sent: bytesWritten })

/** The connections of a listener: which are in use, until the last byte of their answer has left. */
export class Connections {
  readonly #open = new Map<Duplex, Connection>()
  /** Those managed elsewhere, too. */
  readonly #sockets = new Set<Counted>()
  #received = 0
  #sent = 0
  #sweep: NodeJS.Timeout | undefined

  add(socket: Duplex): void {
    if (this.#open.has(socket)) return
    this.#open.set(socket, { current: undefined, latest: undefined, received: undefined, idleSweeps: 0 })
    this.#sweep ??= setInterval(() => this.#closeLongIdle(), SWEEP_MS).unref()
    this.#sockets.add(socket)
    socket.once('close', () => {
      this.leave(socket)
      const { received, sent } = bytesOf(socket)
      this.#received += received
      this.#sent += sent
      this.#sockets.delete(socket)
    })
  }

  /** A request came in: its connection is in use until it is answered. */
  use({ socket }: IncomingMessage, answer: ServerResponse): void {
    const connection = this.#open.get(socket)
    if (!connection) return
    connection.latest = answer
    if (answer.socket) connection.current = answer
    else answer.once('socket', () => (connection.current = answer))
  }

  /** Call back when every request that came so far is answered; never if the connection closes before. */
  afterAnswers(socket: Duplex, idle: () => void): void {
    const { latest } = this.#open.get(socket) ?? {}
    if (!latest || latest.writableFinished) return idle()
    latest.once('close', () => {
      if (!socket.destroyed) idle()
    })
  }

  /** Let the answer to a whole request be the last on its connection, or break it off if it has begun; false if there is none. */
  finish(socket: Duplex): boolean {
    const answer = this.#open.get(socket)?.current
    if (!answer?.req.complete || answer.writableFinished) return false
    if (answer.headersSent) socket.destroy()
    else answer.shouldKeepAlive = false
    return true
  }

  /** Close those whose client has not finished its request. */
  closeHalfSent(): void {
    for (const [socket, { current }] of this.#open) if (current?.req.complete === false) socket.destroy()
  }

  /** It is managed elsewhere from now on. */
  leave(socket: Duplex): void {
    this.#open.delete(socket)
    if (this.#open.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  /** All bytes so far. */
  get traffic(): Traffic {
    let [received, sent] = [this.#received, this.#sent]
    for (const socket of this.#sockets) {
      const own = bytesOf(socket)
      received += own.received
      sent += own.sent
    }
    return { received, sent }
  }

  /** Is an answer being given on any of them? */
  get inUse(): boolean {
    for (const { current } of this.#open.values()) if (current && !current.writableFinished) return true
    return false
  }

  /** Close those on which nothing is going on. */
  closeIdle(): void {
    for (const [socket, connection] of this.#open) if (isIdle(connection)) socket.destroy()
  }

  /**
   * Node would start and stop a timer for every request, and that costs a thirtieth of a short one. Connections on which
   * no request was ever whole are closed by its own limits.
   */
  #closeLongIdle(): void {
    for (const [socket, connection] of this.#open) {
      const { bytesRead: received } = socket as Counted
      const isStill = isIdle(connection) && connection.latest !== undefined && received === connection.received
      connection.received = received
      connection.idleSweeps = isStill ? connection.idleSweeps + 1 : 0
      if (connection.idleSweeps >= MOST_IDLE_SWEEPS) socket.destroy()
    }
  }

  /** Close each as it falls idle, until none is left or it is `over`. */
  async drain(over: Promise<unknown>): Promise<void> {
    const end = over.then(() => 'end')
    for (this.closeIdle(); this.#open.size > 0; this.closeIdle()) {
      const soon = new Promise(resolve => void setTimeout(resolve, LOOK_AGAIN_MS))
      if ((await Promise.race([soon, end])) === 'end') return
    }
  }
}

const isIdle = ({ current }: Connection): boolean => !current || current.writableFinished
