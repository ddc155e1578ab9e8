import type { Dispatcher } from 'undici'

/** What became of one exchange. */
export interface ExchangeHandler {
  onStart(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void
  onData(chunk: Buffer): void
  onEnd(): void
  onError(error: Error): void
}

/** One exchange that can be given up. */
export interface HttpExchange {
  abort(): void
}

type Headers = Parameters<ExchangeHandler['onStart']>[1]

// Hears what comes after an exchange was given up, or went on elsewhere.
const NOBODY: ExchangeHandler = { onStart: () => {}, onData: () => {}, onEnd: () => {}, onError: () => {} }

/**
 * One exchange from its request to its end, on whichever connection; a redirected one goes on in another. A class, since
 * closures that know each other made V8 keep every exchange until the next full collection.
 */
export class RunningExchange implements Dispatcher.DispatchHandler, HttpExchange {
  #handler: ExchangeHandler
  readonly #follow: (status: number, headers: Headers) => HttpExchange | undefined
  #controller: Dispatcher.DispatchController | undefined
  #moved: HttpExchange | undefined
  #aborted = false

  /** `follow` sends a request that was redirected again, if it was. */
  constructor(handler: ExchangeHandler, follow: (status: number, headers: Headers) => HttpExchange | undefined) {
    this.#handler = handler
    this.#follow = follow
  }

  abort(): void {
    this.#aborted = true
    this.#handler = NOBODY
    this.#moved?.abort()
    this.#controller?.abort(new Error('Given up'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#aborted) this.abort()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#moved = this.#follow(status, headers)
    if (this.#moved) this.#handler = NOBODY
    else this.#handler.onStart(status, headers)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onData(chunk)
  }

  onResponseEnd(): void {
    this.#handler.onEnd()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#handler.onError(error)
  }
}
