import { unref } from '../../support/unref.ts'
import type { HttpExchange, ResponseHandler } from './http-client.ts'
import { HttpResponseReader } from './http-response-reader.ts'
import { HttpError } from './transport.ts'

/** What a stream needs of its transport. */
export interface StreamSource {
  readonly limit: number
  /** Ask for the stream, from after that event on. */
  open(after: string | undefined, handler: ResponseHandler): HttpExchange
  onOpen(): void
  onMessage(data: string, answer: HttpResponseReader): void
}

/** The stream for what belongs to no request; a server may have none. */
export class StandaloneStream {
  readonly #source: StreamSource
  #exchange: HttpExchange | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(source: StreamSource) {
    this.#source = source
    this.#open(undefined, 0)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#exchange?.abort()
  }

  #open(after: string | undefined, failures: number): void {
    const { limit, open, onOpen, onMessage } = this.#source
    const answer: HttpResponseReader = new HttpResponseReader(
      {
        limit,
        status: status => {
          if (status !== 200) return new HttpError(status, `HTTP ${status}`)
          onOpen()
          return undefined
        },
        onMessage: data => onMessage(data, answer),
        onEnd: why => {
          // What was not taken goes on coming otherwise.
          if (why !== undefined) this.#exchange?.abort()
          // A server that refuses has none, or has forgotten the session, as the next request will show.
          if (this.#isClosed || (why instanceof HttpError && why.status < 500)) return
          const wait = answer.retryAfter(failures)
          const next = answer.hasEvents ? 0 : failures + 1
          this.#timer = unref(setTimeout(() => this.#open(answer.lastId, next), wait))
        },
      },
      after,
    )
    this.#exchange = open(after, answer)
  }
}
