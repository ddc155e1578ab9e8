import { after } from '../awaitable.ts'
import type { Awaitable, Session } from '../call.ts'
import { newRecord, readRecord, rejectQuestions } from '../protocol/session.ts'
import type { Server } from '../server.ts'
import type { Store } from '../stores/store.ts'
import { Refusal } from './exchange.ts'
import { HttpSession, isSessionId, newSessionId } from './http-session.ts'
import { OwnerCounts, isSameOwner } from './owner-counts.ts'
import type { SessionOwner } from './owner-counts.ts'

/** How many sessions there may be, how long one may be silent, and where their records are. */
export interface SessionLimits {
  /** How many at once. */
  readonly most: number
  /** How many of one owner. */
  readonly mostOfOne: number
  readonly idleMs: number
  readonly store: Store
  /** Do other processes use the store, so that a session that has to make room here may be in use there? */
  readonly shared: boolean
  /** The process that sessions opened here stay in, if they do: it stands in their ids. */
  readonly owner?: string | undefined
  readonly log: Server['log']
  /** Called for each session that began elsewhere. */
  readonly onRestored: (session: Session) => void
  readonly now?: () => number
}

// The store is told that a session is in use at most this often.
const TOUCH_MS = 60_000
const ENDED = 'sessions:ended'

const keyOf = (id: string): string => `session:${id}`

/** Every session that has live ends in this process. Sessions belong to no process: any can restore one from its record. */
export class HttpSessions {
  readonly #limits: SessionLimits
  readonly #store: Store
  readonly #now: () => number
  readonly #sessions = new Map<string, HttpSession>()
  readonly #counts = new OwnerCounts()
  readonly #unsubscribe: Awaitable<() => void>

  constructor(limits: SessionLimits) {
    this.#limits = limits
    this.#store = limits.store
    this.#now = limits.now ?? Date.now
    this.#unsubscribe = this.#store.subscribe(ENDED, id => this.#forget(id, 'The client ended the session'))
  }

  get size(): number {
    return this.#sessions.size
  }

  /** A new session; undefined where there is room for none. */
  open(owner: SessionOwner): HttpSession | undefined {
    return this.#hasRoom(owner) ? this.#add(newRecord(this.newId()), owner) : undefined
  }

  /** An id for a session that is opened here. */
  newId(): string {
    return newSessionId(this.#limits.owner)
  }

  /** The session of that id, if it is this principal's; restored from its record if it is not known here. */
  find(id: string, owner: SessionOwner): Awaitable<HttpSession | undefined> {
    const known = this.#sessions.get(id)
    if (known) return this.#used(known, owner)
    if (!isSessionId(id)) return undefined
    return after(this.#read(id), text => {
      // Another request may have restored it meanwhile.
      const restored = this.#sessions.get(id)
      if (restored) return this.#used(restored, owner)
      return text === undefined ? undefined : this.#restore(text, owner)
    })
  }

  /** End a session everywhere. */
  remove(session: HttpSession, why: string): Awaitable<void> {
    this.#forget(session.id, why)
    return after(this.#store.delete(keyOf(session.id)), () => after(this.#store.publish(ENDED, session.id), () => {}))
  }

  /** Forget those that were silent for too long; a record ends by itself. */
  sweep(): void {
    const now = this.#now()
    for (const session of this.#sessions.values()) {
      // Silence is counted from when the last call or stream ended.
      if (session.busy) this.#touch(session, now)
      else if (session.usedAt < now - this.#limits.idleMs) this.#forget(session.id, 'The session was idle for too long')
    }
  }

  /** No client can answer any more: calls that wait for an answer go on without it. */
  rejectQuestions(): void {
    for (const { session } of this.#sessions.values()) rejectQuestions(session)
  }

  /** End what is alive here; records stay, for other processes and for this one when it comes back. */
  end(): void {
    for (const { id } of this.#sessions.values()) this.#forget(id, 'The server is shutting down')
    void after(this.#unsubscribe, stop => stop())
  }

  #read(id: string): Awaitable<string | undefined> {
    const fail = (error: unknown): never => {
      this.#limits.log('error', 'the session store failed', { error })
      throw new Refusal(503, 'Sessions cannot be looked up. Try again later.', -32004, { 'Retry-After': '1' })
    }
    const text = this.#store.get(keyOf(id))
    return text instanceof Promise ? text.catch(fail) : text
  }

  #add(record: HttpSession['record'], owner: SessionOwner): HttpSession {
    const session = new HttpSession(record, {
      owner,
      now: this.#now(),
      store: this.#store,
      onChange: changed => this.#save(changed),
    })
    this.#sessions.set(session.id, session)
    this.#counts.add(owner)
    return session
  }

  #used(session: HttpSession, { principal }: SessionOwner): HttpSession | undefined {
    if (session.owner.principal !== principal) return undefined
    this.#touch(session, this.#now())
    return session
  }

  #restore(text: string, owner: SessionOwner): HttpSession | undefined {
    const record = readRecord(text)
    if (!record || record.principal !== owner.principal || !this.#hasRoom(owner)) return undefined
    const session = this.#add(record, owner)
    if (record.state === 'ready') this.#limits.onRestored(session.session)
    return session
  }

  #touch(session: HttpSession, now: number): void {
    session.usedAt = now
    const { idleMs } = this.#limits
    if (now - session.touchedAt < Math.min(TOUCH_MS, idleMs / 4)) return
    session.touchedAt = now
    void this.#attempt(() => this.#store.touch(keyOf(session.id), idleMs))
  }

  #save(session: HttpSession): void {
    const write = (): Awaitable<void> =>
      this.#store.set(keyOf(session.id), JSON.stringify(session.record), this.#limits.idleMs)
    session.saved = this.#attempt(write)
  }

  /** A store that cannot be reached ends no session that is known here. */
  #attempt(work: () => Awaitable<void>): Awaitable<void> {
    const fail = (error: unknown): void => this.#limits.log('error', 'the session store failed', { error })
    try {
      const done = work()
      return done instanceof Promise ? done.catch(fail) : done
    } catch (error) {
      return fail(error)
    }
  }

  #forget(id: string, why: string): void {
    const session = this.#sessions.get(id)
    if (!session) return
    this.#sessions.delete(id)
    this.#counts.remove(session.owner)
    session.end(why)
  }

  #hasRoom(owner: SessionOwner): boolean {
    if (this.#counts.of(owner) >= this.#limits.mostOfOne) return this.#evict(owner)
    return this.#sessions.size < this.#limits.most || this.#evict()
  }

  /**
   * The session silent for longest makes room: of that owner, or else of those who have the most, so that nobody's
   * new sessions cost another one theirs. Looked for only here, since to keep an order would cost every request.
   */
  #evict(owner?: SessionOwner): boolean {
    let found: HttpSession | undefined
    let most = 0
    for (const session of this.#sessions.values()) {
      if (session.busy || (owner && !isSameOwner(session.owner, owner))) continue
      const count = this.#counts.of(session.owner)
      if (found && (count < most || (count === most && session.usedAt >= found.usedAt))) continue
      found = session
      most = count
    }
    if (!found) return false
    const { id } = found
    this.#forget(id, 'Too many sessions')
    if (!this.#limits.shared) void this.#attempt(() => this.#store.delete(keyOf(id)))
    return true
  }
}
