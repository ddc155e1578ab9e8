import { randomBytes } from 'node:crypto'
import type { Awaitable, Session, SessionRecord } from '../call.ts'
import { Calls } from '../jsonrpc/calls.ts'
import { close, recordOf, restoreSession } from '../protocol/session.ts'
import type { Store } from '../stores/store.ts'
import type { Events } from './exchange.ts'
import type { SessionOwner } from './owner-counts.ts'
import { ResumableStream } from './resumable-stream.ts'
import type { Resumed } from './resumable-stream.ts'

// A stream whose answer went out may have been cut off on the way: it stays for a while, to be fetched again.
const FINISHED_KEPT = 16

interface HttpSessionOptions {
  readonly owner: SessionOwner
  readonly now: number
  readonly store: Store
  /** Called when the record changed. */
  readonly onChange: (session: HttpSession) => void
}

/** A session over HTTP: many requests, one conversation. */
export class HttpSession {
  readonly owner: SessionOwner
  readonly session: Session
  readonly calls: Calls = new Calls()
  readonly standalone: ResumableStream
  usedAt: number
  /** When the store was last told that the session is in use. */
  touchedAt: number
  /** The last write of the record: waited for where the client must not come too early. */
  saved: Awaitable<void> = undefined
  readonly #store: Store
  readonly #streams = new Map<string, ResumableStream>()
  #opened = 0

  constructor(record: SessionRecord, { owner, now, store, onChange }: HttpSessionOptions) {
    this.owner = owner
    this.usedAt = now
    this.touchedAt = now
    this.#store = store
    this.session = restoreSession(record, {
      send: message => this.standalone.push(JSON.stringify(message)),
      onChange: () => onChange(this),
      // The node in an id tells where the answer, or the reader, has to go.
      ...(store.node !== '' && { questionPrefix: `causeway.${store.node}` }),
    })
    this.standalone = this.#newStream(`main${store.node}`)
  }

  get id(): string {
    return this.session.id
  }

  /** What another process needs to go on with it. */
  get record(): SessionRecord {
    return { ...recordOf(this.session), principal: this.owner.principal }
  }

  /** A stream for one request's messages and answer. */
  openStream(): ResumableStream {
    const { node } = this.#store
    const stream = this.#newStream(`r${node === '' ? '' : `${node}x`}${++this.#opened}`)
    const finished = [...this.#streams.values()].filter(s => s.finished)
    for (const old of finished.slice(0, Math.max(0, finished.length - FINISHED_KEPT))) {
      this.#streams.delete(old.id)
      old.forget()
    }
    return stream
  }

  /** Connect a reader after the event it saw last. */
  resume(lastEventId: string, open: () => Events): Awaitable<Resumed> {
    const [, id = '', digits] = /^(\w+)_(\d+)$/.exec(lastEventId) ?? []
    return this.#streams.get(id)?.resume(Number(digits), open) ?? 'unknown'
  }

  /** Is something going on, so that it must not be forgotten? */
  get busy(): boolean {
    return this.calls.size > 0 || this.standalone.connected
  }

  /** End everything of it. */
  end(why: string): void {
    this.calls.cancelAll(why)
    for (const stream of this.#streams.values()) {
      stream.finish()
      stream.forget()
    }
    close(this.session)
  }

  #newStream(id: string): ResumableStream {
    const stream = new ResumableStream(id, this.#store, this.id)
    this.#streams.set(id, stream)
    return stream
  }
}

/** An id that nobody can guess; `owner` names the process it stays in, if it stays in one. */
export const newSessionId = (owner = ''): string =>
  `${owner === '' ? '' : `${owner}.`}${randomBytes(24).toString('base64url')}`

const ID = /^(?:([a-z\d]{1,12})\.)?[\w-]{32}$/

/** Could that be an id of ours? */
export const isSessionId = (id: string): boolean => ID.test(id)

/** The process that a session stays in, as its id has it. */
export const ownerIn = (id: string): string | undefined => ID.exec(id)?.[1]
