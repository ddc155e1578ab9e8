import { randomBytes } from 'node:crypto'
import type { Awaitable, Session, SessionRecord } from '../../call.ts'
import { Calls } from '../../jsonrpc/calls.ts'
import type { Id } from '../../jsonrpc/message.ts'
import { close, recordOf, restoreSession } from '../../protocol/session.ts'
import type { Logs, Presence } from '../../stores/store.ts'
import type { SharedChanges } from '../../methods/subscriptions.ts'
import type { Events } from '../http/exchange.ts'
import { FEED_STREAM, FeedStream } from './change-stream.ts'
import type { SessionOwner } from './principal-counts.ts'
import { RemoteStream } from './remote-stream.ts'
import { ResumableStream } from './resumable-stream.ts'
import type { Resumed } from './resumable-stream.ts'

// A stream whose answer went out may have been cut off on the way: it stays for a while, to be fetched again.
const FINISHED_KEPT = 16

interface HttpSessionOptions {
  readonly owner: SessionOwner
  readonly now: number
  readonly store: Logs & Presence
  /** Tells this one apart from others of the same id that were here before. */
  readonly serial: number
  /** Called when the record changed. */
  readonly onChange: (session: HttpSession) => void
  readonly changes: SharedChanges
}

/** A session over HTTP: many requests, one conversation. */
export class HttpSession {
  readonly owner: SessionOwner
  readonly session: Session
  readonly calls: Calls = new Calls()
  readonly standalone: ResumableStream | FeedStream
  usedAt: number
  /** Was it opened in this process, and not restored from a store? */
  isOpenedHere = false
  /** When the store was last told that the session is in use. */
  touchedAt: number
  /** The last write of the record: waited for where the client must not come too early. */
  saved: Promise<void> | undefined = undefined
  /** The record as it was last stored, where other processes may change it. */
  stored: { readonly text: string; readonly record: SessionRecord } | undefined = undefined
  /** When its reader came, among the readers in all processes. */
  listenerNumber = 0
  readonly #store: Logs & Presence
  readonly #serial: number
  readonly #since: number | undefined
  readonly #streams = new Map<string, ResumableStream>()
  readonly #remoteReaders = new Set<Events>()
  #opened = 0

  constructor(record: SessionRecord, { owner, now, store, serial, onChange, changes }: HttpSessionOptions) {
    this.owner = owner
    this.usedAt = now
    this.touchedAt = now
    this.#store = store
    this.#serial = serial
    this.#since = record.since
    this.session = restoreSession(record, {
      send: (message, number) => this.standalone.push(JSON.stringify(message), number),
      onChange: () => onChange(this),
      // The process in an id tells where the answer, or the reader, has to go.
      ...(store.processId !== '' && { questionPrefix: `causeway.${store.processId}.${serial}` }),
    })
    this.standalone =
      store.processId === '' ? this.#newStream(FEED_STREAM) : new FeedStream(changes, this.session, record.since ?? 0)
  }

  get id(): string {
    return this.session.id
  }

  /** What another process needs to go on with it. */
  get record(): SessionRecord {
    const since = this.#since === undefined ? {} : { since: this.#since }
    return { ...recordOf(this.session), principal: this.owner.principal, view: this.owner.view, ...since }
  }

  /** A stream for one request's messages and answer, or those of a batch. */
  openStream(owed: readonly Id[]): ResumableStream {
    const { processId } = this.#store
    const own = processId === '' ? '' : `${processId}x${this.#serial}x`
    const stream = this.#newStream(`r${own}${++this.#opened}`, owed)
    const finished = [...this.#streams.values()].filter(s => s.finished)
    for (const old of finished.slice(0, Math.max(0, finished.length - FINISHED_KEPT))) {
      this.#streams.delete(old.id)
      old.forget()
    }
    return stream
  }

  /** Connect a reader to the stream for what belongs to no request. */
  listen(open: () => Events): Awaitable<void> {
    return this.standalone instanceof FeedStream
      ? this.standalone.connect(open, this.#isPrimed)
      : this.standalone.connect(open())
  }

  /** Connect a reader after the event it saw last. */
  resume(lastEventId: string, open: () => Events): Awaitable<Resumed> {
    const [, id = '', digits] = /^(\w+)_(\d{1,16})$/.exec(lastEventId) ?? []
    const number = Number(digits)
    const known = this.#streams.get(id)
    if (known) return known.resume(number, open)
    if (this.#store.processId === '') return 'unknown'
    if (id === FEED_STREAM && this.standalone instanceof FeedStream)
      return this.#resumeFeed(this.standalone, number, open)
    const [, processId] = /^r([\da-z]+)x\d+x\d+$/.exec(id) ?? []
    return processId === undefined ? 'unknown' : this.#resumeRemote({ id, processId, number }, open)
  }

  /** Is something going on, so that it must not be forgotten? */
  get busy(): boolean {
    return this.standalone.connected || this.#remoteReaders.size > 0 || this.#isWorking
  }

  /** End everything of it here; what other processes may still be asked for is kept, unless it is over everywhere. */
  end(why: string, isOver: boolean): void {
    const isStored = !isOver && this.#store.processId !== ''
    for (const stream of this.#streams.values()) {
      if (isStored) stream.abandon(why)
      else stream.finish()
    }
    this.calls.cancelAll(why)
    if (!isStored) for (const stream of this.#streams.values()) stream.forget()
    this.standalone.finish()
    for (const reader of this.#remoteReaders) reader.end()
    close(this.session)
  }

  /** A call that waits for a client which is not connected does nothing; whether one is connected elsewhere is not known here. */
  get #isWorking(): boolean {
    if (this.calls.size === 0) return false
    if (this.#store.processId !== '' || [...this.#streams.values()].some(({ connected }) => connected)) return true
    return this.calls.some(call => !this.session.peer.isAskedBy(call))
  }

  get #isPrimed(): boolean {
    return this.session.caller?.revision.traits.primed === true
  }

  async #resumeFeed(feed: FeedStream, number: number, open: () => Events): Promise<Resumed> {
    await feed.connect(open, this.#isPrimed, number)
    return 'resumed'
  }

  #resumeRemote(
    { id, processId, number }: { id: string; processId: string; number: number },
    open: () => Events,
  ): Promise<Resumed> {
    // One of ours that is not known any more is written by no process.
    const writer = processId === this.#store.processId ? 'none' : processId
    const stream = new RemoteStream(this.#store, { session: this.id, stream: id, processId: writer }, number)
    return stream.open(() => {
      const events = open()
      this.#remoteReaders.add(events)
      events.onClose(() => this.#remoteReaders.delete(events))
      return events
    })
  }

  #newStream(id: string, owed: readonly Id[] = []): ResumableStream {
    const stream = new ResumableStream(id, this.#store, this.id, owed)
    this.#streams.set(id, stream)
    return stream
  }
}

/** A random id; `prefix` names the process it stays in, if it stays in one. */
export const newSessionId = (prefix = ''): string =>
  `${prefix === '' ? '' : `${prefix}.`}${randomBytes(24).toString('base64url')}`

const ID = /^(?:([a-z\d]{1,12})\.)?[\w-]{32}$/

/** Could that be an id of ours? */
export const isSessionId = (id: string): boolean => ID.test(id)

/** The process that a session stays in, as its id has it. */
export const workerIn = (id: string): string | undefined => ID.exec(id)?.[1]
