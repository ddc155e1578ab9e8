import { after } from '../../awaitable.ts'
import type { Awaitable } from '../../call.ts'
import { failure } from '../../jsonrpc/message.ts'
import type { Id } from '../../jsonrpc/message.ts'
import { fault } from '../../jsonrpc/errors.ts'
import type { Logs, Presence, StoredEvent } from '../../stores/store.ts'
import { formatEvent } from '../endpoints/event-stream.ts'
import type { Events } from '../http/exchange.ts'
import { entryOf, logOf, readEntry } from './stream-log.ts'

/** How soon a client should come back. */
const RETRY_MS = 1000
// How long events can be fetched after the last one was written.
const KEPT_MS = 10 * 60_000

/** What became of an attempt to resume: the events are unknown, no longer kept, or on their way. */
export type Resumed = 'unknown' | 'gone' | 'resumed'

/** An event stream that outlives its connection: events are stored before they are written, and replayed on resumption. */
export class ResumableStream {
  readonly id: string
  readonly #store: Logs & Presence
  readonly #log: string
  /** The requests that are still to be answered on it, in case this process cannot do it. */
  #owed: readonly Id[]
  #last = 0
  #written = 0
  #finished = false
  #events: Events | undefined

  /** `scope` keeps streams of the same id apart, in the store; `owed` are the requests it will answer. */
  constructor(id: string, store: Logs & Presence, scope = '', owed: readonly Id[] = []) {
    this.id = id
    this.#store = store
    this.#log = logOf(scope, id)
    this.#owed = owed
  }

  get finished(): boolean {
    return this.#finished
  }

  /** Is a reader connected to it? */
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

  /** Nothing more will come but these last answers: a connected reader is let go. */
  finish(answers: readonly string[] = []): void {
    // A call may end after its stream was given up.
    if (this.#finished) return
    for (const [i, answer] of answers.entries()) {
      this.#owed = i === answers.length - 1 ? [] : this.#owedAfter(answer)
      this.push(answer)
    }
    // Readers in other processes have to be notified, too.
    if (this.#owed.length > 0 && this.#isShared) {
      this.#owed = []
      this.#put('')
    }
    this.#finished = true
    this.#events?.end()
  }

  /** The process ends before the answer is there: say so to the client that fetches the rest elsewhere. */
  abandon(why: string): void {
    this.finish(this.#owed.map(id => JSON.stringify(failure(id, fault('shutting-down', why)))))
  }

  /** Write to this reader from now on, after what was not sent yet. */
  connect(events: Events): Awaitable<void> {
    return after(this.#store.read(this.#log, this.#written), stored => this.#replay(events, stored))
  }

  /** The same for a reader that has seen everything up to a number, if what comes after it is still there. */
  resume(number: number, open: () => Events): Awaitable<Resumed> {
    if (!Number.isInteger(number) || number < 0 || number > this.#last) return 'unknown'
    // A reader that has everything needs no notice.
    const stored = number === this.#last ? [] : this.#store.read(this.#log, number)
    return after(stored, found => {
      // Of a stream that goes on the rest is still to come; of one that is over nothing would ever come.
      if (this.#finished && number < this.#last && found.length === 0) return 'gone'
      return after(this.#replay(open(), found), () => 'resumed' as const)
    })
  }

  /** Let the reader go; the stream goes on without it. */
  disconnect(): void {
    this.#events?.end()
    this.#events = undefined
  }

  /** No client will come back to it. */
  forget(): void {
    ignoreFailure(this.#store.drop(this.#log))
  }

  get #isShared(): boolean {
    return this.#store.processId !== ''
  }

  #replay(events: Events, stored: readonly StoredEvent[]): Awaitable<void> {
    for (const { text } of stored) events.write(this.#isShared ? readEntry(text).text : text)
    const seen = stored.at(-1)?.number ?? this.#last
    // More came while the store was asked.
    if (seen < this.#last && events.open) {
      return after(this.#store.read(this.#log, seen), more => this.#replay(events, more))
    }
    this.attach(events)
  }

  /** Write to this reader from now on. */
  attach(events: Events): void {
    if (this.#events !== events) this.#events?.end()
    this.#events = events
    events.onClose(() => {
      if (this.#events === events) this.#events = undefined
    })
    this.#written = this.#last
    if (this.#finished) events.end()
  }

  /** What is still owed after one of several answers: should this process end now, it would not be answered again. */
  #owedAfter(answer: string): readonly Id[] {
    if (!this.#isShared) return this.#owed
    const { id } = JSON.parse(answer) as { readonly id: Id }
    return this.#owed.filter(other => other !== id)
  }

  #nextId(): string {
    return `${this.id}_${this.#last + 1}`
  }

  #put(text: string): void {
    if (this.#finished) return
    this.#last += 1
    const stored = this.#isShared ? entryOf(this.#owed, text) : text
    ignoreFailure(this.#store.append(this.#log, { number: this.#last, text: stored }, KEPT_MS))
    if (!this.#events?.open) return
    if (text !== '') this.#events.write(text)
    this.#written = this.#last
  }
}

/** A store that cannot be reached costs the chance to resume, and nothing else. */
function ignoreFailure(work: Awaitable<void>): void {
  if (work instanceof Promise) work.catch(() => {})
}
