import type {
  HttpClient,
  HttpExchange,
  HttpRequest,
  ResponseHandler,
  ResponseHeaders,
} from '../transports/http-client.ts'
import { HttpError } from '../transports/transport.ts'
import type { Authorizer } from './authorizer.ts'
import { challengesIn } from './challenge.ts'

const MOST_REFUSALS = 8
const LONGEST_REFUSAL = 64 * 1024

/** Sends requests with the credentials of an authorizer, and again where a server refuses them and there are better ones. */
export class AuthorizedClient implements HttpClient {
  readonly #client: HttpClient
  readonly #authorizer: Authorizer

  constructor(client: HttpClient, authorizer: Authorizer) {
    this.#client = client
    this.#authorizer = authorizer
  }

  load(): Promise<void> {
    return this.#client.load()
  }

  send(request: HttpRequest, handler: ResponseHandler): HttpExchange {
    const exchange = new AuthorizedExchange(request, handler, this.#client, this.#authorizer)
    exchange.start()
    return exchange
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

/** Does it ask for credentials, rather than forbid? */
export const asksForCredentials = (status: number, headers: ResponseHeaders): status is 401 | 403 =>
  status === 401 ||
  (status === 403 && challengesIn(headers).some(({ params }) => params['error'] === 'insufficient_scope'))

/** The error of a request whose credentials could not be had. */
export const unauthorized = (status: 401 | 403, cause: unknown): HttpError =>
  new HttpError(
    status,
    `The server requires authorization (HTTP status ${status}): ${cause instanceof Error ? cause.message : String(cause)}`,
    { cause },
  )

/** One request, for as many attempts as its authorizer makes. */
class AuthorizedExchange implements HttpExchange, ResponseHandler {
  readonly #request: HttpRequest
  readonly #handler: ResponseHandler
  readonly #client: HttpClient
  readonly #authorizer: Authorizer
  readonly #ending = new AbortController()
  #current: HttpExchange | undefined
  #sent: Readonly<Record<string, string>> = {}
  #refusals = 0
  /** How much of a refusal came, whose text is not read; undefined while an answer is read. */
  #skipped: number | undefined

  constructor(request: HttpRequest, handler: ResponseHandler, client: HttpClient, authorizer: Authorizer) {
    this.#request = request
    this.#handler = handler
    this.#client = client
    this.#authorizer = authorizer
  }

  start(): void {
    const headers = attempt(() => this.#authorizer.headers(this.#request))
    if (!(headers instanceof Promise)) return this.#send(headers)
    this.#handler.onHold?.(true)
    headers.then(
      value => {
        this.#handler.onHold?.(false)
        this.#send(value)
      },
      (error: unknown) => this.#fail(401, error),
    )
  }

  abort(): void {
    this.#ending.abort()
    this.#current?.abort()
  }

  onStart(status: number, headers: ResponseHeaders): void {
    this.#authorizer.onResponse?.(headers)
    // The end of a session is not worth a login.
    const isFinal = this.#request.method === 'DELETE' || this.#refusals === MOST_REFUSALS
    if (isFinal || !asksForCredentials(status, headers)) return this.#handler.onStart(status, headers)
    this.#refusals += 1
    this.#skipped = 0
    void this.#renew(status, headers)
  }

  onText(text: string, bytes: number): void {
    if (this.#skipped === undefined) return this.#handler.onText(text, bytes)
    this.#skipped += bytes
    if (this.#skipped > LONGEST_REFUSAL) this.#current?.abort()
  }

  onEnd(): void {
    if (this.#skipped === undefined) this.#handler.onEnd()
    else this.#current = undefined
  }

  onError(error: Error, sent: boolean): void {
    if (this.#skipped === undefined) this.#handler.onError(error, sent)
  }

  #send(headers: Readonly<Record<string, string>>): void {
    if (this.#ending.signal.aborted) return
    this.#sent = headers
    this.#current = this.#client.send({ ...this.#request, headers: { ...this.#request.headers, ...headers } }, this)
    if (this.#ending.signal.aborted) this.#current.abort()
  }

  async #renew(status: 401 | 403, headers: ResponseHeaders): Promise<void> {
    const { method, url } = this.#request
    const { signal } = this.#ending
    const challenges = challengesIn(headers)
    this.#handler.onHold?.(true)
    try {
      const sent = this.#sent
      await this.#authorizer.onRefused({
        status,
        method,
        url,
        challenges,
        headers,
        sent,
        attempt: this.#refusals,
        signal,
      })
    } catch (error) {
      return this.#fail(status, error)
    }
    if (signal.aborted) return
    this.#handler.onHold?.(false)
    // What still comes of the refusal belongs to an exchange that is over.
    this.#current?.abort()
    this.#skipped = undefined
    this.start()
  }

  #fail(status: 401 | 403, error: unknown): void {
    if (this.#ending.signal.aborted) return
    this.#current?.abort()
    this.#handler.onHold?.(false)
    this.#handler.onError(unauthorized(status, error), false)
  }
}

/** What is thrown at once is the same as a rejection. */
function attempt<T>(make: () => T | Promise<T>): T | Promise<T> {
  try {
    return make()
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error(String(error)))
  }
}
