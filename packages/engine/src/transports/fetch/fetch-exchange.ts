import type { TlsPeer } from '../../auth/authenticator.ts'
import type { Principal } from '../../auth/principal.ts'
import type { Id } from '../../jsonrpc/message.ts'
import { HeldBytes } from '../limits/byte-budget.ts'
import type { ByteBudget } from '../limits/byte-budget.ts'
import { onExpiry } from '../http/admission.ts'
import type { Events, Exchange } from '../http/exchange.ts'
import { EventBody } from './event-body.ts'
import { readBody } from './read-body.ts'

// A body up to here is always taken, so that large ones, sent slowly, do not lock out other clients.
const SMALL = 64 * 1024
const STREAM_HEADERS = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' }

/** What the host knows of who sends a request. */
export interface FetchClient {
  /** Who the host authenticated; no token is then asked for. */
  readonly principal?: Principal | undefined
  /** Where the client is, for limits per address. Default: `local`. */
  readonly address?: string | undefined
}

/** What is needed to answer a request. */
export interface FetchParts extends FetchClient {
  readonly url: URL
  readonly path: string
  readonly budget: ByteBudget
  readonly answer: (response: Response) => void
}

/** An exchange over the Request and Response of the web. */
export class FetchExchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly address: string
  readonly tlsPeer: TlsPeer | undefined = undefined
  principal: Principal | undefined
  answering: Id | null | undefined
  readonly #request: Request
  readonly #parts: FetchParts
  readonly #body: HeldBytes
  readonly #held: HeldBytes
  readonly #headers: [string, string][] = []
  #isAnswered = false
  readonly #onLeft: (() => void)[] = []

  constructor(request: Request, parts: FetchParts) {
    this.method = request.method
    this.path = parts.path
    this.address = parts.address ?? 'local'
    this.principal = parts.principal
    this.#request = request
    this.#parts = parts
    this.#body = new HeldBytes(parts.budget, SMALL)
    this.#held = new HeldBytes(parts.budget, SMALL)
  }

  header(name: string): string | undefined {
    // Requests that were never sent over a wire have no such header.
    return this.#request.headers.get(name) ?? (name === 'host' ? this.#parts.url.host : undefined)
  }

  query(name: string): string | undefined {
    return this.#parts.url.searchParams.get(name) ?? undefined
  }

  readBody(limit: number): Promise<string> {
    return readBody(this.#request, limit, bytes => this.#body.set(bytes))
  }

  setHeader(name: string, value: string): void {
    this.#headers.push([name, value])
  }

  reply(status: number, body: string | Uint8Array = '', headers?: Readonly<Record<string, string>>): void {
    const own = body.length > 0 ? { 'Content-Type': 'application/json' } : {}
    const all = this.#allHeaders({ ...own, ...headers })
    this.#onLeft.length = 0
    this.#answer(new Response(body.length > 0 ? body : null, { status, headers: all }))
  }

  openEvents(headers: Readonly<Record<string, string>> = {}): Events {
    const events = new EventBody(
      bytes => this.#held.set(bytes),
      () => this.#leave(),
    )
    events.onClose(onExpiry(this.principal, () => events.end()))
    this.#request.signal.addEventListener('abort', () => events.leave(), { once: true })
    this.#answer(new Response(events.stream, { headers: this.#allHeaders({ ...STREAM_HEADERS, ...headers }) }))
    return events
  }

  onHangUp(listener: () => void): void {
    const { signal } = this.#request
    if (signal.aborted) return queueMicrotask(listener)
    if (this.#onLeft.length === 0) signal.addEventListener('abort', () => this.#leave(), { once: true })
    this.#onLeft.push(listener)
  }

  release(): void {
    this.#body.release()
  }

  /** The client left before its answer was complete. */
  #leave(): void {
    for (const listener of this.#onLeft.splice(0)) listener()
  }

  #answer(response: Response): void {
    if (this.#isAnswered) return
    this.#isAnswered = true
    this.#parts.answer(response)
  }

  #allHeaders(last: Readonly<Record<string, string>>): Headers {
    const all = new Headers(last)
    for (const [name, value] of this.#headers) if (!all.has(name)) all.set(name, value)
    // What belongs to a connection is the host's business.
    all.delete('connection')
    return all
  }
}
