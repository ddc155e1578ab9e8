import { after } from '../../awaitable.ts'
import type { Awaitable } from '../../call.ts'
import type { SharedChanges } from '../../methods/subscriptions.ts'
import { isObject, isRequest, isResponse } from '../../jsonrpc/message.ts'
import type { Message } from '../../jsonrpc/message.ts'
import { mergeRecords, newRecord, readRecord, rejectQuestions } from '../../protocol/session.ts'
import type { Store } from '../../stores/store.ts'
import { HttpSession, isSessionId, newSessionId } from './session.ts'
import { Listeners } from './stream-readers.ts'
import { ProcessMessages } from '../processes/process-messages.ts'
import { longestSilent, notReachable, tooManySessions } from './eviction.ts'
import { PrincipalCounts, ownerKey } from './principal-counts.ts'
import type { SessionOwner } from './principal-counts.ts'
import type { SessionLimits } from './session-limits.ts'
import { SessionRecords } from './session-records.ts'
import type { Found } from './session-records.ts'

// The store is notified that a session is in use at most this often.
const TOUCH_MS = 60_000
// How many sessions are written back at a time.
const WRITTEN_AT_ONCE = 200

/** Every session that has live ends in this process. Sessions belong to no process: any can restore one from its record. */
export class HttpSessions {
  readonly processes: ProcessMessages
  readonly listeners: Listeners
  readonly #limits: SessionLimits
  readonly #store: Store
  readonly #records: SessionRecords
  readonly #changes: SharedChanges
  readonly #now: () => number
  readonly #sessions = new Map<string, HttpSession>()
  readonly #counts = new PrincipalCounts()
  readonly #stopWatching: () => void
  #made = 0

  constructor(limits: SessionLimits) {
    this.#limits = limits
    this.#store = limits.store
    this.#records = new SessionRecords(limits.store, limits.idleMs, limits.log)
    this.#changes = limits.changes ?? { position: () => 0, since: () => [] }
    this.#now = limits.now ?? Date.now
    this.processes = new ProcessMessages(limits.store, limits.log)
    this.processes.on('ended', ({ id }) => this.#forget(String(id), 'The client ended the session', true))
    this.processes.on('changed', ({ text }) => this.#onChangedElsewhere(String(text)))
    this.processes.on('message', ({ id, message }) => this.#onMessage(String(id), message as Message))
    this.listeners = new Listeners(limits.store, id => this.#sessions.get(id))
    this.#stopWatching = this.#store.onReconnect(() => void this.#writeBack().catch(this.#failed))
  }

  get size(): number {
    return this.#sessions.size
  }

  /** A new session; undefined where there is room for none. */
  open(owner: SessionOwner): Awaitable<HttpSession | undefined> {
    if (!this.#records.areShared) return this.#hasRoom(owner) ? this.#add(newRecord(this.newId()), owner) : undefined
    const { mostOfOne } = this.#limits
    return after(this.#records.mayOpen(ownerKey(owner), mostOfOne), mayOpen => {
      if (!mayOpen || !this.#hasRoom(owner)) return undefined
      const session = this.#add({ ...newRecord(this.newId()), since: this.#changes.position() }, owner)
      session.isOpenedHere = true
      return session
    })
  }

  /** An id for a session that is opened here. */
  newId(): string {
    return newSessionId(this.#limits.worker)
  }

  /** The session of that id, if it is this principal's and was opened with this view; restored from its record if it is not known here. */
  find(id: string, owner: SessionOwner): Awaitable<HttpSession | undefined> {
    const known = this.#sessions.get(id)
    if (known && (known.session.state !== 'initialising' || !this.#records.areShared)) return this.#used(known, owner)
    if (known) return this.#completedElsewhere(known, owner)
    if (!isSessionId(id)) return undefined
    return after(this.#records.find(id), found => {
      // Another request may have restored it meanwhile.
      const restored = this.#sessions.get(id)
      if (restored) return this.#used(restored, owner)
      return found === 'ended' ? undefined : this.#restore(found, owner)
    })
  }

  /** Was it written down, so that every process that has to can go on with it? */
  isStored({ stored }: HttpSession): boolean {
    return !this.#records.areShared || stored !== undefined
  }

  /** A handshake that could not be completed, or be written down for the others, leaves nothing. */
  abandon(session: HttpSession): void {
    this.#forget(session.id, 'The handshake failed', true)
  }

  /** End a session everywhere. */
  remove(session: HttpSession, why: string): Awaitable<void> {
    this.#forget(session.id, why, true)
    return after(this.#records.end(session.id), () => this.#announceEnd(session.id))
  }

  /**
   * Send a message to the process it is for, where that is not this one: an answer to the one that asked, a
   * cancellation to wherever the call runs. Undefined where it is for this one.
   */
  forward({ id, calls }: HttpSession, message: Message): Promise<void> | undefined {
    if (!this.#records.areShared || isRequest(message)) return undefined
    const unreachable = (error: unknown): never => {
      this.#failed(error)
      throw notReachable()
    }
    if (isResponse(message)) {
      const [, processId] = /^causeway\.([\da-z]+)\.\d+-\d+$/.exec(String(message.id)) ?? []
      if (processId === undefined || processId === this.#store.processId) return undefined
      // A process that is gone does not wait for an answer.
      return this.processes.send(processId, 'message', { id, message }).then(() => {}, unreachable)
    }
    const { method, params } = message
    if (method !== 'notifications/cancelled' || !isObject(params) || calls.has(params.requestId)) return undefined
    return this.processes.broadcast('message', { id, message }).catch(unreachable)
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
    this.processes.close()
    this.#stopWatching()
  }

  #add(record: HttpSession['record'], owner: SessionOwner): HttpSession {
    const session = new HttpSession(record, {
      owner,
      now: this.#now(),
      store: this.#store,
      serial: ++this.#made,
      onChange: changed => this.#save(changed),
      changes: this.#changes,
    })
    this.#sessions.set(session.id, session)
    this.#counts.add(owner)
    return session
  }

  #used(session: HttpSession, { principal, view }: SessionOwner): HttpSession | undefined {
    if (session.owner.principal !== principal || session.owner.view !== view) return undefined
    this.#touch(session, this.#now())
    return session
  }

  #restore(found: Exclude<Found, 'ended'>, owner: SessionOwner): HttpSession | undefined {
    if (found?.record.principal !== owner.principal || found?.record.view !== owner.view) return undefined
    if (!found) return undefined
    if (!this.#hasRoom(owner)) throw tooManySessions()
    const session = this.#add(found.record, owner)
    session.stored = found
    if (found.record.state === 'ready') this.#limits.onRestored(session.session)
    return session
  }

  /** Word of the end of a handshake may be slower than the client's next request. */
  async #completedElsewhere(session: HttpSession, owner: SessionOwner): Promise<HttpSession | undefined> {
    // What the store cannot say now, the process knows well enough.
    const found = await Promise.resolve(this.#records.find(session.id)).catch(() => undefined)
    if (found === 'ended') this.#forget(session.id, 'The client ended the session', true)
    else if (found) this.#onChangedElsewhere(found.text)
    return this.#sessions.get(session.id) === session ? this.#used(session, owner) : undefined
  }

  #onChangedElsewhere(text: string): void {
    const record = readRecord(text)
    const session = record && this.#sessions.get(record.id)
    if (!record || !session) return
    const { session: live, stored } = session
    const wasReady = live.state === 'ready'
    live.refresh(stored ? mergeRecords(stored.record, session.record, record) : record)
    session.stored = { text, record }
    if (!wasReady && live.state === 'ready') this.#limits.onRestored(live)
  }

  #onMessage(id: string, message: Message): void {
    const session = this.#sessions.get(id)
    if (!session) return
    if (isResponse(message)) session.session.peer.settle(message)
    else if (!isRequest(message) && isObject(message.params)) session.calls.cancelNamed(message.params)
  }

  #touch(session: HttpSession, now: number): void {
    session.usedAt = now
    const { idleMs } = this.#limits
    if (now - session.touchedAt < Math.min(TOUCH_MS, idleMs / 4)) return
    session.touchedAt = now
    void this.#attempt(() => this.#records.touch(session.id))
  }

  /** One write of a session after the other. A store that cannot be reached ends no session that is known here. */
  #save(session: HttpSession): void {
    if (session.saved) {
      const next = session.saved.then(() => this.#write(session)).catch(this.#failed)
      return this.#saving(session, next)
    }
    const done = this.#attempt(() => this.#write(session))
    if (done) this.#saving(session, done)
  }

  #saving(session: HttpSession, work: Promise<void>): void {
    session.saved = work
    void work.then(() => {
      if (session.saved === work) session.saved = undefined
    })
  }

  #write(session: HttpSession): Awaitable<void> {
    const { session: live, stored: before } = session
    const wasReady = live.state === 'ready'
    return after(this.#records.save(session), isAlive => {
      if (!isAlive) return this.#forget(session.id, 'The client ended the session', true)
      if (!wasReady && live.state === 'ready') this.#limits.onRestored(live)
      const { stored } = session
      if (stored && stored.text !== before?.text) return this.processes.broadcast('changed', { text: stored.text })
    })
  }

  /** The store was away and may have lost everything: it gets what is known here, and what it has is learned. */
  async #writeBack(): Promise<void> {
    await this.#records.writeEnds()
    const known = [...this.#sessions.values()].filter(({ session }) => session.caller)
    for (let i = 0; i < known.length; i += WRITTEN_AT_ONCE) {
      const some = known.slice(i, i + WRITTEN_AT_ONCE)
      await Promise.all(some.map(async session => this.#write(session)))
    }
  }

  readonly #failed = (error: unknown): void => {
    // That it is away is said once, by the store itself.
    if (this.#store.reachable) this.#limits.log('error', 'the session store failed', { error })
  }

  #forget(id: string, why: string, isOver = false): void {
    const session = this.#sessions.get(id)
    if (!session) return
    this.#sessions.delete(id)
    this.#counts.remove(session.owner)
    session.end(why, isOver)
  }

  #hasRoom(owner: SessionOwner): boolean {
    if (this.#counts.of(owner) >= this.#limits.mostOfOne) return this.#evict(owner)
    return this.#sessions.size < this.#limits.most || this.#evict()
  }

  #evict(owner?: SessionOwner): boolean {
    const session = longestSilent(this.#sessions.values(), this.#counts, owner)
    if (!session) return false
    const { id, isOpenedHere } = session
    // One that another process opened may be in use there.
    const isOver = !this.#limits.shared || isOpenedHere
    this.#forget(id, 'Too many sessions', isOver)
    if (isOver) void this.#attempt(() => after(this.#records.delete(id), () => this.#announceEnd(id)))
    return true
  }

  /** What a store cannot do is logged. */
  #attempt(work: () => Awaitable<void>): Promise<void> | undefined {
    try {
      const done = work()
      return done instanceof Promise ? done.catch(this.#failed) : undefined
    } catch (error) {
      this.#failed(error)
      return undefined
    }
  }

  #announceEnd(id: string): Promise<void> | undefined {
    return this.#records.areShared ? this.processes.broadcast('ended', { id }).catch(this.#failed) : undefined
  }
}
