import { unref } from '../../support/unref.ts'
import type { HttpClient, HttpExchange, HttpRequest } from './http-client.ts'
import { HttpError } from './transport.ts'

/** Gets what becomes of a message that was posted. */
export interface PostListener {
  /** It did not arrive. `sent` is false where the server certainly never began to work on it. */
  onFailed(why: Error, sent: boolean): void
  /** It waits for credentials, or no longer. */
  onHold?(isHeld: boolean): void
}

interface Waiting {
  readonly request: HttpRequest
  readonly listener: PostListener
}

// A server that takes no messages would otherwise keep all connections, or all memory.
const MOST_AT_ONCE = 32
const MOST_WAITING = 1000
const MOST_WAITING_CHARACTERS = 16 * 1024 * 1024
const TAKEN_WITHIN_MS = 30_000
const ENDED_WITHIN_MS = 2000

/** Posts messages whose answer says no more than that they arrived: so many at once, for so long each. */
export class Posts {
  readonly #client: HttpClient
  /** From this status on, a message was refused. */
  readonly #refusedFrom: number
  readonly #waiting: Waiting[] = []
  #characters = 0
  #running = 0

  constructor(client: HttpClient, refusedFrom: number) {
    this.#client = client
    this.#refusedFrom = refusedFrom
  }

  /** A request whose answer comes elsewhere does not wait for its turn: how many there are is limited elsewhere. */
  send(request: HttpRequest, listener: PostListener, isUrgent = false): void {
    if (isUrgent || this.#running < MOST_AT_ONCE) return this.#post({ request, listener })
    const size = String(request.body ?? '').length
    if (this.#waiting.length >= MOST_WAITING || this.#characters + size > MOST_WAITING_CHARACTERS)
      return listener.onFailed(new Error('The server does not take what it is sent'), false)
    this.#characters += size
    this.#waiting.push({ request, listener })
  }

  #post({ request, listener }: Waiting): void {
    let exchange: HttpExchange | undefined
    let isOver = false
    let clock: NodeJS.Timeout | undefined
    const over = (why?: Error, sent = true): void => {
      if (isOver) return
      isOver = true
      clearTimeout(clock)
      this.#running -= 1
      if (why) listener.onFailed(why, sent)
      this.#next()
    }
    const within = (ms: number, why?: Error): void => {
      clearTimeout(clock)
      clock = unref(setTimeout(() => (exchange?.abort(), over(why)), ms))
    }
    const late = new Error(`The server has not taken it within ${TAKEN_WITHIN_MS / 1000} s`)
    this.#running += 1
    within(TAKEN_WITHIN_MS, late)
    exchange = this.#client.send(request, {
      onStart: status => {
        if (isOver) return
        if (status >= this.#refusedFrom)
          listener.onFailed(new HttpError(status, `The server answered POST with HTTP status ${status}`), false)
        // What else it says is not read.
        within(ENDED_WITHIN_MS)
      },
      onText: () => {},
      onHold: isHeld => {
        listener.onHold?.(isHeld)
        if (isHeld) clearTimeout(clock)
        else if (!isOver) within(TAKEN_WITHIN_MS, late)
      },
      onEnd: () => over(),
      onError: over,
    })
  }

  #next(): void {
    const next = this.#running < MOST_AT_ONCE ? this.#waiting.shift() : undefined
    if (!next) return
    this.#characters -= String(next.request.body ?? '').length
    this.#post(next)
  }
}
