import { randomBytes } from 'node:crypto'
import type { Session } from '../call.ts'
import { Calls } from '../jsonrpc/calls.ts'
import { close, newSession, rejectQuestions } from '../protocol/session.ts'
import { EventStore } from './event-store.ts'
import { ResumableStream } from './event-stream.ts'
import type { Events } from './exchange.ts'

// A stream whose answer went out may have been cut off on the way: it stays for a while, to be fetched again.
const FINISHED_KEPT = 16
// Over all sessions; each stream has a limit of its own.
const MOST_CHARACTERS = 64 * 1024 * 1024

/** A session over HTTP: many requests, one conversation. */
export class HttpSession {
  readonly id: string
  readonly principal: string | undefined
  readonly session: Session
  readonly calls: Calls = new Calls()
  readonly standalone: ResumableStream
  readonly #store: EventStore
  readonly #streams = new Map<string, ResumableStream>()
  #opened = 0
  usedAt: number

  constructor(principal: string | undefined, now: number, store: EventStore) {
    this.id = randomBytes(24).toString('base64url')
    this.principal = principal
    this.usedAt = now
    this.#store = store
    this.standalone = new ResumableStream('main', store)
    this.#streams.set('main', this.standalone)
    this.session = newSession(this.id, message => this.standalone.push(JSON.stringify(message)))
  }

  /** A stream for one request's messages and answer. */
  openStream(): ResumableStream {
    const stream = new ResumableStream(`r${++this.#opened}`, this.#store)
    this.#streams.set(stream.id, stream)
    const finished = [...this.#streams.values()].filter(s => s.finished)
    for (const old of finished.slice(0, Math.max(0, finished.length - FINISHED_KEPT))) {
      this.#streams.delete(old.id)
      old.forget()
    }
    return stream
  }

  /** Connect a reader after the event it saw last; false if that event was never one of ours. */
  resume(lastEventId: string, events: () => Events): boolean {
    const [, id = '', digits] = /^(\w+)_(\d+)$/.exec(lastEventId) ?? []
    const stream = this.#streams.get(id)
    const number = Number(digits)
    if (!stream?.has(number)) return false
    stream.connect(events(), number)
    return true
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
}

/** How many sessions there may be, and how long one may be silent. */
export interface SessionLimits {
  readonly most: number
  readonly idleMs: number
  readonly now?: () => number
}

/** Every session. */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>()
  readonly #events = new EventStore(MOST_CHARACTERS)
  readonly #limits: SessionLimits
  readonly #now: () => number

  constructor(limits: SessionLimits) {
    this.#limits = limits
    this.#now = limits.now ?? Date.now
  }

  get size(): number {
    return this.#sessions.size
  }

  /** A new session; undefined where there is room for none. */
  open(principal: string | undefined): HttpSession | undefined {
    if (this.#sessions.size >= this.#limits.most && !this.#evict()) return undefined
    const session = new HttpSession(principal, this.#now(), this.#events)
    this.#sessions.set(session.id, session)
    return session
  }

  /** The session of that id, if it is this principal's. */
  find(id: string, principal: string | undefined): HttpSession | undefined {
    const session = this.#sessions.get(id)
    if (!session || session.principal !== principal) return undefined
    session.usedAt = this.#now()
    return session
  }

  remove(session: HttpSession, why: string): void {
    this.#sessions.delete(session.id)
    session.end(why)
  }

  /** Forget those that were silent for too long. */
  sweep(): void {
    const now = this.#now()
    for (const session of this.#sessions.values()) {
      // Silence is counted from when the last call or stream ended.
      if (session.busy) session.usedAt = now
      else if (session.usedAt < now - this.#limits.idleMs) this.remove(session, 'The session was idle for too long')
    }
  }

  /** No client can answer any more: whoever waits for one goes on without. */
  rejectQuestions(): void {
    for (const { session } of this.#sessions.values()) rejectQuestions(session)
  }

  end(): void {
    for (const session of this.#sessions.values()) this.remove(session, 'The server is shutting down')
  }

  /** The one silent for longest makes room; looked for only here, since to keep an order would cost every request. */
  #evict(): boolean {
    let oldest: HttpSession | undefined
    for (const session of this.#sessions.values()) {
      if (!session.busy && (!oldest || session.usedAt < oldest.usedAt)) oldest = session
    }
    if (oldest) this.remove(oldest, 'Too many sessions')
    return oldest !== undefined
  }
}
