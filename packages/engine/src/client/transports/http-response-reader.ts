import { EventReader } from './event-parser.ts'
import type { ResponseHandler, ResponseHeaders } from './http-client.ts'
import { HttpError } from './transport.ts'

/** Who reads the answer to one exchange. */
export interface ResponseListener {
  /** The largest message taken. */
  readonly limit: number
  /** What a status alone says, if it refuses. */
  status(status: number): Error | undefined
  /** The session that the answer opens. */
  onSession?(id: string): void
  /** The request waits for credentials, or no longer. */
  onHold?(isHeld: boolean): void
  /** One message, as text. */
  onMessage(data: string): void
  /** The body of a refusal. */
  onRefused?(body: string): void
  /** Nothing more will come. */
  onEnd(why: Error | undefined): void
}

const LONGEST_REFUSAL = 64 * 1024
const RETRY_MS = 1000
// Servers say how soon their streams are asked for again, but none is asked all the time.
const LEAST_RETRY_MS = 100
const MOST_RETRY_MS = 30_000

/** The answer to one exchange, told apart: JSON, a stream of events, nothing, or a refusal. */
export class HttpResponseReader implements ResponseHandler {
  status: number | undefined
  headers: ResponseHeaders = {}
  /** Did the server begin to work on it? */
  sent = false
  /** Did anything come? */
  hasEvents = false
  /** Does it come as events? */
  streamed = false
  readonly #reader: ResponseListener
  readonly #events: EventReader
  #text = ''
  #size = 0
  #refusal: Error | undefined
  #retryAfterMs: number | undefined
  #isOver = false

  constructor(reader: ResponseListener, lastId?: string) {
    this.#reader = reader
    this.#events = new EventReader(reader.limit, ({ data, event }) => {
      this.hasEvents = true
      if (event === 'message' && data !== '') reader.onMessage(data)
    })
    this.#events.lastId = lastId
    this.sent = lastId !== undefined
  }

  get lastId(): string | undefined {
    return this.#events.lastId
  }

  /** How long to wait before the rest is asked for, where that failed so often. */
  retryAfter(failures: number): number {
    const wait = (this.#events.retryMs ?? RETRY_MS) * 2 ** Math.min(failures, 5)
    return Math.max(LEAST_RETRY_MS, Math.min(wait, MOST_RETRY_MS))
  }

  onStart(status: number, headers: ResponseHeaders): void {
    this.status = status
    this.headers = headers
    const type = headers['content-type']
    const session = headers['mcp-session-id']
    const after = headers['retry-after']
    this.#refusal = this.#reader.status(status)
    this.streamed = !this.#refusal && typeof type === 'string' && /^text\/event-stream\b/i.test(type)
    this.#retryAfterMs = typeof after === 'string' && /^\d{1,6}$/.test(after) ? Number(after) * 1000 : undefined
    if (status >= 500 && status !== 503) this.sent = true
    if (!this.#refusal) {
      this.sent = true
      if (typeof session === 'string') this.#reader.onSession?.(session)
    }
  }

  onText(text: string, bytes: number): void {
    if (this.#isOver) return
    if (this.streamed) return this.#feed(text)
    this.#size += bytes
    const most = this.#refusal ? LONGEST_REFUSAL : this.#reader.limit
    if (this.#size <= most) this.#text += text
    else this.#end(this.#refusal ?? new RangeError(`The answer is larger than ${this.#reader.limit} bytes`))
  }

  onEnd(): void {
    if (this.#isOver) return
    const body = this.#text
    if (this.streamed) return this.#end(undefined)
    if (this.#refusal) return this.#end(this.#withBody(this.#refusal, body))
    if (body.trim() !== '') this.#reader.onMessage(body)
    this.#end(undefined)
  }

  onHold(isHeld: boolean): void {
    this.#reader.onHold?.(isHeld)
  }

  onError(error: Error, sent: boolean): void {
    this.sent ||= sent
    this.#end(error)
  }

  #feed(text: string): void {
    try {
      this.#events.feed(text)
    } catch (error) {
      this.#end(error as Error)
    }
  }

  #end(why: Error | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#text = ''
    this.#reader.onEnd(why)
  }

  /** A refusal with what its body says. */
  #withBody(refusal: Error, body: string): Error {
    if (body !== '') this.#reader.onRefused?.(body)
    if (!(refusal instanceof HttpError)) return refusal
    const error = errorIn(body)
    const said = error === undefined ? '' : `: ${messageOf(error)}`
    return new HttpError(refusal.status, refusal.message + said, { error, retryAfterMs: this.#retryAfterMs })
  }
}

function errorIn(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && 'error' in value ? value.error : undefined
  } catch {
    return undefined
  }
}

const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
    ? error.message.slice(0, 200)
    : String(error).slice(0, 200)
