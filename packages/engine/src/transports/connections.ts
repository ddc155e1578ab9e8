import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

const LOOK_AGAIN_MS = 20

/** The connections of a listener: which are in use, until the last byte of their answer has left. */
export class Connections {
  readonly #answers = new Map<Duplex, ServerResponse | undefined>()

  add(socket: Duplex): void {
    this.#answers.set(socket, undefined)
    socket.once('close', () => this.#answers.delete(socket))
  }

  /** It is in use while this answer is being given. */
  use(socket: Duplex, answer: ServerResponse): void {
    this.#answers.set(socket, answer)
  }

  /** Is an answer on its way? */
  isBusy(socket: Duplex): boolean {
    const answer = this.#answers.get(socket)
    return answer !== undefined && !answer.writableFinished
  }

  /** Let the answer to a whole request be the last on its connection, or break it off if it has begun; false if there is none. */
  finish(socket: Duplex): boolean {
    const answer = this.#answers.get(socket)
    if (!answer?.req.complete || answer.writableFinished) return false
    if (answer.headersSent) socket.destroy()
    else answer.shouldKeepAlive = false
    return true
  }

  /** Close those whose client has not finished its request. */
  closeHalfSent(): void {
    for (const [socket, answer] of this.#answers) if (answer?.req.complete === false) socket.destroy()
  }

  /** Somebody else looks after it from now on. */
  leave(socket: Duplex): void {
    this.#answers.delete(socket)
  }

  /** Close those on which nothing is going on. */
  closeIdle(): void {
    for (const socket of this.#answers.keys()) if (!this.isBusy(socket)) socket.destroy()
  }

  /** Close each as it falls idle, until none is left or it is `over`. */
  async drain(over: Promise<unknown>): Promise<void> {
    const end = over.then(() => 'end')
    for (this.closeIdle(); this.#answers.size > 0; this.closeIdle()) {
      const soon = new Promise(resolve => void setTimeout(resolve, LOOK_AGAIN_MS))
      if ((await Promise.race([soon, end])) === 'end') return
    }
  }
}
