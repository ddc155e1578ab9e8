import type { TlsPeer } from '../../auth/authenticator.ts'
import type { Principal } from '../../auth/principal.ts'
import type { Id } from '../../jsonrpc/message.ts'
import { HeldBytes, SMALL } from '../limits/byte-budget.ts'
import type { ByteBudget } from '../limits/byte-budget.ts'
import { onExpiry } from '../http/admission.ts'
import { STREAM_HEADERS, tooManyAnswers } from '../http/exchange.ts'
import type { Events, Exchange } from '../http/exchange.ts'
import { EventBody } from './event-body.ts'
import { heldBody } from './held-body.ts'
import { readBody } from './read-body.ts'

const encoder = new TextEncoder()

type Body = ConstructorParameters<typeof Response>[0]

/** What the host knows of who sends a request. */
export interface FetchClient {
  /** Who the host authenticated; no token is then asked for. */
  readonly principal?: Principal | undefined
  /** Where the client is, for limits per address. Default: `local`. */
  readonly address?: string | undefined
}

/** What is needed to answer a request. */
export interface FetchParts extends FetchClient {
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
  #headers: Record<string, string> | undefined
  #isAnswered = false
  #isWatched = false
  readonly #onLeft: (() => void)[] = []

  constructor(request: Request, parts: FetchParts) {
    this.method = request.method
    this.path = parts.path
    this.address = parts.address ?? 'local'
    this.principal = parts.principal
    this.#request = request
    this.#parts = parts
    this.#body = new HeldBytes(parts.budget, SMALL)
  }

  header(name: string): string | undefined {
    // Requests that were never sent over a wire have no such header.
    return this.#request.headers.get(name) ?? (name === 'host' ? new URL(this.#request.url).host : undefined)
  }

  query(name: string): string | undefined {
    return new URL(this.#request.url).searchParams.get(name) ?? undefined
  }

  readBody(limit: number): Promise<string> {
    return readBody(this.#request, limit, bytes => this.#body.set(bytes))
  }

  setHeader(name: string, value: string): void {
    this.#headers ??= {}
    this.#headers[name.toLowerCase()] = value
  }

  reply(status: number, body: string | Uint8Array = '', headers?: Readonly<Record<string, string>>): void {
    if (this.#isAnswered) return
    const all = this.#allHeaders(headers)
    if (body.length > 0) all['content-type'] ??= 'application/json'
    const shown = body.length > 0 ? this.#shown(body, all) : null
    this.#onLeft.length = 0
    this.#answer(new Response(shown, { status, headers: all }))
  }

  openEvents(headers: Readonly<Record<string, string>> = {}): Events {
    const { signal } = this.#request
    const held = new HeldBytes(this.#parts.budget, SMALL)
    const leave = (): void => events.leave()
    const events = new EventBody(
      bytes => held.set(bytes),
      hasLeft => {
        signal.removeEventListener('abort', leave)
        const listeners = this.#onLeft.splice(0)
        if (hasLeft) for (const listener of listeners) listener()
      },
    )
    events.onClose(onExpiry(this.principal, () => events.end()))
    if (signal.aborted) queueMicrotask(leave)
    else signal.addEventListener('abort', leave, { once: true })
    this.#answer(new Response(events.stream, { headers: this.#allHeaders({ ...STREAM_HEADERS, ...headers }) }))
    return events
  }

  onHangUp(listener: () => void): void {
    this.#onLeft.push(listener)
    if (this.#isWatched) return
    this.#isWatched = true
    // Some hosts make a signal only if it is asked for; what is answered at once needs none.
    queueMicrotask(() => this.#watch())
  }

  release(): void {
    this.#body.release()
  }

  #watch(): void {
    if (this.#onLeft.length === 0) return
    const { signal } = this.#request
    if (signal.aborted) this.#leave()
    else signal.addEventListener('abort', () => this.#leave(), { once: true })
  }

  /** The client left before its answer was complete. */
  #leave(): void {
    for (const listener of this.#onLeft.splice(0)) listener()
  }

  #answer(response: Response): void {
    this.#isAnswered = true
    this.#parts.answer(response)
  }

  /** A large answer counts as held until the client has read it. */
  #shown(body: string | Uint8Array, headers: Record<string, string>): Body {
    // A character is at most three bytes.
    if (3 * body.length <= SMALL) return body as Body
    const bytes = typeof body === 'string' ? encoder.encode(body) : body
    if (bytes.length <= SMALL) return bytes as Body
    const held = new HeldBytes(this.#parts.budget, SMALL)
    if (!held.set(bytes.length)) throw tooManyAnswers()
    headers['content-length'] = String(bytes.length)
    return heldBody(bytes, held, this.#request.signal)
  }

  /** Plain, which costs hosts the least; those of the answer come before those of the request. */
  #allHeaders(last: Readonly<Record<string, string>> = {}): Record<string, string> {
    const all = this.#headers ?? {}
    for (const name in last) all[name.toLowerCase()] = last[name] ?? ''
    // What belongs to a connection is the host's business.
    delete all.connection
    return all
  }
}
