import { fault } from '../../jsonrpc/errors.ts'
import { failure } from '../../jsonrpc/message.ts'
import type { Id } from '../../jsonrpc/message.ts'
import type { Logs, Presence, StoredEvent } from '../../stores/store.ts'
import { formatEvent } from '../endpoints/event-stream.ts'
import type { Events } from '../http/exchange.ts'
import type { Resumed } from './resumable-stream.ts'
import { entryOf, logOf, readEntry } from './stream-log.ts'
import { unref } from '../../support/unref.ts'

/** A stream that another process writes, or wrote. */
export interface RemoteStreamId {
  readonly session: string
  readonly stream: string
  /** The process that writes it. */
  readonly processId: string
}

// How often a reader looks whether the writer still runs, and whether something was missed.
const LOOK_MS = 500
// A writer that found its store empty writes its events again; readers wait so long for that.
const REWRITTEN_MS = 1000
const REWRITTEN_LOOK_MS = 100
const KEPT_MS = 10 * 60_000

/** Reads a stream of another process from its log: what is there, then what comes, until it is over or its writer is gone. */
export class RemoteStream {
  readonly #store: Logs & Presence
  readonly #id: RemoteStreamId
  readonly #log: string
  #last: number
  #owed: readonly Id[] = []
  #events: Events | undefined
  #work: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #stop: (() => void) | undefined

  constructor(store: Logs & Presence, id: RemoteStreamId, after: number) {
    this.#store = store
    this.#id = id
    this.#log = logOf(id.session, id.stream)
    this.#last = after
  }

  /** Write everything after the number to a reader; fails where the store cannot be reached. */
  async open(open: () => Events): Promise<Resumed> {
    const early: StoredEvent[] = []
    this.#stop = await this.#store.follow(this.#log, event => {
      if (this.#events) this.#then(() => this.#onEvent(event))
      else early.push(event)
    })
    try {
      // Asked before the log is read: what a process wrote is there when its last sign of life is not.
      const isAlive = await this.#store.isAlive(this.#id.processId)
      const found = await this.#known()
      // A writer that is cut off from the store has the events, and writes them when it can.
      if (found.length === 0 && isAlive) throw new Error('not written yet')
      if (found.length === 0 && !(await this.#isOwed())) return this.#close('gone')
      this.#begin(open(), found)
      for (const event of early) this.#then(() => this.#onEvent(event))
      if (!isAlive) this.#then(() => this.#look())
      return 'resumed'
    } catch (error) {
      this.#close('gone')
      throw error
    }
  }

  #begin(events: Events, found: readonly StoredEvent[]): void {
    this.#events = events
    events.onClose(() => this.#close('resumed'))
    for (const event of found) this.#write(event)
    this.#timer = setInterval(() => this.#then(() => this.#look()), LOOK_MS)
    unref(this.#timer)
  }

  /** A writer may end after a client was sent what the store never got: what it owed then stands in what the store has. */
  async #isOwed(): Promise<boolean> {
    const latest = (await this.#store.read(this.#log, 0)).at(-1)
    this.#owed = latest ? readEntry(latest.text).owed : []
    return this.#owed.length > 0
  }

  /** The event that the reader saw last, if it is still there, and those after it. */
  async #known(): Promise<readonly StoredEvent[]> {
    const until = performance.now() + REWRITTEN_MS
    for (;;) {
      const found = await this.#store.read(this.#log, this.#last - 1)
      if (found.length > 0 || performance.now() > until) return found
      await new Promise(resolve => setTimeout(resolve, REWRITTEN_LOOK_MS))
    }
  }

  /** One thing after the other. */
  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(() => {
      // The store is away: the next look finds what was missed.
    })
  }

  async #onEvent(event: StoredEvent): Promise<void> {
    if (event.number > this.#last + 1) await this.#catchUp()
    this.#write(event)
  }

  async #catchUp(): Promise<void> {
    for (const event of await this.#store.read(this.#log, this.#last)) this.#write(event)
  }

  async #look(): Promise<void> {
    if (!this.#events?.open) return
    const isAlive = await this.#store.isAlive(this.#id.processId)
    await this.#catchUp()
    if (!isAlive && this.#events.open) await this.#answerFor()
  }

  #write({ number, text: stored }: StoredEvent): void {
    const { owed, text } = readEntry(stored)
    this.#owed = owed
    if (number > this.#last) {
      this.#last = number
      if (text !== '') this.#events?.write(text)
    }
    if (owed.length === 0) this.#events?.end()
  }

  /** The process that ran the requests is gone: say so in its place, for this reader and any later one. */
  async #answerFor(): Promise<void> {
    const owed = this.#owed
    for (const [i, id] of owed.entries()) {
      const why =
        'The process that ran this request has ended. It may or may not have done its work; send it again if that is safe.'
      const number = this.#last + 1
      const data = JSON.stringify(failure(id, fault('internal', why)))
      const text = formatEvent(data, { event: 'message', id: `${this.#id.stream}_${number}` })
      const event = { number, text: entryOf(owed.slice(i + 1), text) }
      await this.#store.append(this.#log, event, KEPT_MS)
      this.#write(event)
    }
  }

  #close<T>(result: T): T {
    clearInterval(this.#timer)
    this.#stop?.()
    this.#stop = undefined
    return result
  }
}
