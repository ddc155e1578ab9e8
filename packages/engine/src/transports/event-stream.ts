import type { EventStore, Kept } from './event-store.ts'
import type { Events } from './exchange.ts'

/** What an event carries besides its data. */
export interface EventFields {
  readonly id?: string
  readonly event?: string
  readonly retry?: number
}

/** One server-sent event; the data must be a single line. */
export function formatEvent(data: string, { id, event, retry }: EventFields = {}): string {
  const head = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`
  return `${head}${retry === undefined ? '' : `retry: ${retry}\n`}data: ${data}\n\n`
}

const KEEP_ALIVE = ': keep-alive\n\n'

/** Keeps proxies from closing quiet streams: one timer for all of them. */
export class KeepAlive {
  readonly #open = new Set<Events>()
  readonly #timer: NodeJS.Timeout

  constructor(everyMs: number) {
    this.#timer = setInterval(() => this.beat(), everyMs)
    this.#timer.unref()
  }

  /** Streams that are open now. */
  get size(): number {
    return this.#open.size
  }

  add(events: Events): Events {
    this.#open.add(events)
    events.onClose(() => this.#open.delete(events))
    return events
  }

  beat(): void {
    for (const events of this.#open) events.write(KEEP_ALIVE)
  }

  /** End every stream that is still open. */
  end(): void {
    clearInterval(this.#timer)
    for (const events of this.#open) events.end()
  }
}

const MOST_EVENTS = 1000
const MOST_CHARACTERS = 1024 * 1024
const RETRY_MS = 1000

/** An event stream that outlives its connection: events are kept before they are written, and replayed on resumption. */
export class ResumableStream {
  readonly id: string
  readonly #store: EventStore
  #kept: Kept[] = []
  #characters = 0
  #last = 0
  #written = 0
  #finished = false
  #events: Events | undefined

  constructor(id: string, store: EventStore) {
    this.id = id
    this.#store = store
  }

  get finished(): boolean {
    return this.#finished
  }

  /** Is somebody connected to it? */
  get connected(): boolean {
    return this.#events?.open === true
  }

  /** An empty event to resume from, which also says how soon to come back. */
  prime(): void {
    this.#put(formatEvent('', { id: this.#nextId(), retry: RETRY_MS }))
  }

  push(data: string): void {
    this.#put(formatEvent(data, { event: 'message', id: this.#nextId() }))
  }

  /** Nothing more will come: a connected reader is let go. */
  finish(): void {
    this.#finished = true
    this.#events?.end()
  }

  /** Write to this reader from now on, after what it has not seen: everything past `after`, or what nobody was sent. */
  connect(events: Events, after: number = this.#written): void {
    if (this.#events !== events) this.#events?.end()
    this.#events = events
    events.onClose(() => {
      if (this.#events === events) this.#events = undefined
    })
    for (const { number, text } of this.#kept) if (number > after && text !== undefined) events.write(text)
    this.#written = this.#last
    if (this.#finished) events.end()
  }

  /** Let the reader go; the stream goes on without it. */
  disconnect(): void {
    this.#events?.end()
    this.#events = undefined
  }

  /** Nobody will come back to it. */
  forget(): void {
    for (const event of this.#kept) this.#store.drop(event)
    this.#kept = []
  }

  /** Was this event ever sent here? */
  has(number: number): boolean {
    return Number.isInteger(number) && number >= 0 && number <= this.#last
  }

  #nextId(): string {
    return `${this.id}_${this.#last + 1}`
  }

  #put(text: string): void {
    this.#last += 1
    this.#keep({ number: this.#last, size: text.length, text })
    if (!this.#events?.open) return
    this.#events.write(text)
    this.#written = this.#last
  }

  #keep(event: Kept): void {
    this.#kept.push(event)
    this.#characters += event.size
    this.#store.keep(event)
    while (this.#kept.length > MOST_EVENTS || this.#characters > MOST_CHARACTERS) {
      const [oldest] = this.#kept
      if (!oldest || oldest === event) return
      this.#kept.shift()
      this.#characters -= oldest.size
      this.#store.drop(oldest)
    }
  }
}
