import { StringDecoder } from 'node:string_decoder'
import type { Dispatcher } from 'undici'
import type { HttpExchange, ResponseHandler, ResponseHeaders } from './http-client.ts'

// For what comes after an exchange was given up, or went on elsewhere.
const IGNORING: ResponseHandler = { onStart: () => {}, onText: () => {}, onEnd: () => {}, onError: () => {} }

const UNREACHED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT/

/**
 * One exchange from its request to its end, on whichever connection; a redirected one goes on in another. A class, since
 * closures that know each other made V8 keep every exchange until the next full collection.
 */
export class UndiciExchange implements Dispatcher.DispatchHandler, HttpExchange {
  #handler: ResponseHandler
  readonly #follow: (status: number, headers: ResponseHeaders) => HttpExchange | undefined
  #decoder: StringDecoder | undefined
  #controller: Dispatcher.DispatchController | undefined
  #moved: HttpExchange | undefined
  #aborted = false

  /** `follow` sends a request that was redirected again, if it was; it throws where that is refused. */
  constructor(
    handler: ResponseHandler,
    follow: (status: number, headers: ResponseHeaders) => HttpExchange | undefined,
  ) {
    this.#handler = handler
    this.#follow = follow
  }

  abort(): void {
    this.#aborted = true
    this.#handler = IGNORING
    this.#moved?.abort()
    this.#controller?.abort(new Error('Given up'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#aborted) this.abort()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    const handler = this.#handler
    try {
      this.#moved = this.#follow(status, headers)
    } catch (error) {
      this.#handler = IGNORING
      return handler.onError(error instanceof Error ? error : new Error(String(error)), true)
    }
    if (this.#moved) this.#handler = IGNORING
    else handler.onStart(status, headers)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#handler.onBytes) return this.#handler.onBytes(chunk)
    this.#decoder ??= new StringDecoder('utf8')
    this.#handler.onText(this.#decoder.write(chunk), chunk.length)
  }

  onResponseEnd(): void {
    this.#handler.onEnd()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // Once the request has left, it is not known how far the server got.
    this.#handler.onError(error, !UNREACHED.test(String((error as NodeJS.ErrnoException).code)))
  }
}
