import type { Awaitable, Session } from '../../call.ts'
import { formatEvent } from '../endpoints/event-stream.ts'
import type { Events } from '../http/exchange.ts'
import type { SharedChanges } from '../../methods/subscriptions.ts'

const RETRY_MS = 1000
/** The name of the stream in the ids of its events, the same in every process. */
export const FEED_STREAM = 'main'

/**
 * The stream for what belongs to no request, where several processes share their changes: nothing is kept for it, since
 * the number of the last event says in any process what the reader missed.
 */
export class FeedStream {
  readonly id: string = FEED_STREAM
  readonly #changes: SharedChanges
  readonly #session: Session
  #events: Events | undefined
  #position: number
  #connecting: Promise<void> | undefined
  /** What came while a reader was sent what it missed. */
  #waiting: { text: string; number: number | undefined }[] | undefined

  constructor(changes: SharedChanges, session: Session, since: number) {
    this.#changes = changes
    this.#session = session
    this.#position = since
  }

  get connected(): boolean {
    return this.#events?.open === true
  }

  push(text: string, number?: number): void {
    if (this.#waiting) this.#waiting.push({ text, number })
    else if (this.#events?.open) this.#write(text, number)
  }

  /** Write to this reader from now on, after what it missed. */
  connect(open: () => Events, isPrimed: boolean, from?: number): Awaitable<void> {
    // One reader after the other, so that nothing falls between two of them.
    const next = (): Awaitable<void> => this.#connect(open, isPrimed, from ?? this.#position)
    const done = this.#connecting ? this.#connecting.then(next) : next()
    if (!(done instanceof Promise)) return undefined
    const settled = done.catch(() => {})
    this.#connecting = settled
    void settled.then(() => {
      if (this.#connecting === settled) this.#connecting = undefined
    })
    return done
  }

  finish(): void {
    this.#events?.end()
  }

  #connect(open: () => Events, isPrimed: boolean, from: number): Awaitable<void> {
    const missed = this.#changes.since(from, this.#session)
    this.#waiting = []
    if (!(missed instanceof Promise)) return this.#attach(open(), isPrimed, missed)
    return missed.then(
      found => this.#attach(open(), isPrimed, found),
      (error: unknown) => {
        this.#waiting = undefined
        throw error
      },
    )
  }

  #attach(events: Events, isPrimed: boolean, missed: readonly { number: number; text: string }[]): void {
    this.#events?.end()
    this.#events = events
    events.onClose(() => {
      if (this.#events === events) this.#events = undefined
    })
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    // A reader that asks again from further back gets it again.
    this.#position = 0
    for (const { text, number } of [...missed, ...waiting]) this.#write(text, number)
    this.#position = Math.max(this.#position, this.#changes.position())
    if (isPrimed) events.write(formatEvent('', { id: `${this.id}_${this.#position}`, retry: RETRY_MS }))
  }

  /** A change without a number could not be shared yet: it has no place in the order of all. */
  #write(text: string, number: number | undefined): void {
    if (number !== undefined && number <= this.#position) return
    const id = number === undefined ? {} : { id: `${this.id}_${number}` }
    this.#events?.write(formatEvent(text, { event: 'message', ...id }))
    if (number !== undefined) this.#position = number
  }
}
