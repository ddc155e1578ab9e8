import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ByteBudget } from '../limits/byte-budget.ts'

// How many requests may be sent ahead of the answers before them, on one connection.
const MOST_WAITING = 1000
// What node keeps of a request and its answer, in addition to the text of the head.
const OBJECTS = 4096

interface Queue {
  count: number
  bytes: number
}

/** Requests sent before the ones ahead of them were answered: each waits for its turn, as its answer would have to. */
export class Pipelining {
  readonly #budget: ByteBudget
  readonly #queues = new Map<Duplex, Queue>()

  constructor(budget: ByteBudget) {
    this.#budget = budget
  }

  /** Begin when it is this request's turn; the connection is closed where too many wait. */
  wait({ socket, rawHeaders }: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const queue = this.#queues.get(socket) ?? this.#open(socket)
    const bytes = OBJECTS + lengthOf(rawHeaders)
    if (queue.count === MOST_WAITING || !this.#budget.take(bytes)) return void socket.destroy()
    queue.count += 1
    queue.bytes += bytes
    response.once('socket', () => {
      // A connection that closed meanwhile has given everything back.
      if (!this.#queues.has(socket)) return
      queue.count -= 1
      queue.bytes -= bytes
      this.#budget.give(bytes)
      begin()
    })
  }

  #open(socket: Duplex): Queue {
    const queue = { count: 0, bytes: 0 }
    this.#queues.set(socket, queue)
    socket.once('close', () => {
      this.#queues.delete(socket)
      this.#budget.give(queue.bytes)
    })
    return queue
  }
}

const lengthOf = (headers: readonly string[]): number => headers.reduce((sum, text) => sum + text.length, 0)
