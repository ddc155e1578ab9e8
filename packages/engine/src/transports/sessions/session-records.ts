import { after } from '../../awaitable.ts'
import type { Awaitable, SessionRecord } from '../../call.ts'
import type { Log } from '../../log/log.ts'
import { mergeRecords, readRecord } from '../../protocol/session.ts'
import type { Buckets, Presence, Values } from '../../stores/store.ts'
import { Refusal } from '../http/exchange.ts'
import type { HttpSession } from './session.ts'

// Stands for a session that was ended, so that no process that missed the end brings it back.
const ENDED = 'ended'
const MOST_ENDED = 10_000
const ATTEMPTS = 10

const keyOf = (id: string): string => `session:${id}`

/** What the store has under the id of a session. */
export type Found = { readonly text: string; readonly record: SessionRecord } | 'ended' | undefined

/** The records of sessions in a store. Several processes may change one; what each changed is kept. */
export class SessionRecords {
  readonly #store: Presence & Values & Buckets
  readonly #idleMs: number
  readonly #log: Log
  /** Sessions that were ended here, for a store that lost what it had. */
  readonly #ended = new Set<string>()

  constructor(store: Presence & Values & Buckets, idleMs: number, log: Log) {
    this.#store = store
    this.#idleMs = idleMs
    this.#log = log
  }

  /** Is the store used by other processes? */
  get areShared(): boolean {
    return this.#store.processId !== ''
  }

  /**
   * May one more be opened? All processes together let one owner open twice as many as it may have in one of them, and
   * as many again in the time that a silent one is kept: more it cannot have in the store.
   */
  mayOpen(owner: string, most: number): Awaitable<boolean> {
    const burst = 2 * most
    const bucket = { burst, perSecond: burst / Math.max(1, this.#idleMs / 1000) }
    const taken = this.#store.take(`sessions:${owner}`, bucket)
    return after(taken, ({ granted }) => granted)
  }

  /** What is stored; a store that cannot be reached is the client's to wait for. */
  find(id: string): Awaitable<Found> {
    const text = this.#store.get(keyOf(id))
    return after(text instanceof Promise ? text.catch((error: unknown) => this.#refuse(error)) : text, kept => {
      if (kept === undefined && this.#store.isSettling) this.#refuse('not written back yet')
      return toFound(kept)
    })
  }

  /** Write what changed; false if the session was ended meanwhile. */
  save(session: HttpSession): Awaitable<boolean> {
    if (this.areShared) return this.#merge(session, session.stored?.text)
    const done = this.#store.set(keyOf(session.id), JSON.stringify(session.record), this.#idleMs)
    return after(done, () => true)
  }

  touch(id: string): Awaitable<void> {
    return this.#store.touch(keyOf(id), this.#idleMs)
  }

  /** Forget a record. */
  delete(id: string): Awaitable<void> {
    return this.#store.delete(keyOf(id))
  }

  /** Let a session be over for all processes. */
  end(id: string): Awaitable<void> {
    if (!this.areShared) return this.delete(id)
    const [oldest = id] = this.#ended
    if (this.#ended.size >= MOST_ENDED) this.#ended.delete(oldest)
    this.#ended.add(id)
    const done = this.#store.set(keyOf(id), ENDED, this.#idleMs)
    return done instanceof Promise ? done.catch((error: unknown) => this.#refuse(error)) : done
  }

  /** Tell a store that may have lost everything which sessions were ended. */
  async writeEnds(): Promise<void> {
    await Promise.all([...this.#ended].map(async id => this.#store.set(keyOf(id), ENDED, this.#idleMs)))
  }

  async #merge(session: HttpSession, expected: string | undefined): Promise<boolean> {
    let before = expected
    let stored = session.stored?.record
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { record: own, stored: base } = session
      const record = base && stored ? mergeRecords(base.record, own, stored) : own
      const text = JSON.stringify(record)
      if (await this.#store.replace(keyOf(session.id), before, text, this.#idleMs)) {
        session.stored = { text, record }
        // More may have changed here while the store was asked.
        session.session.refresh(mergeRecords(own, session.record, record))
        return true
      }
      const found = toFound(await this.#store.get(keyOf(session.id)))
      if (found === 'ended') return false
      before = found?.text
      // A store that lost it gets all of it.
      stored = found?.record ?? session.stored?.record
    }
    throw new Error('The record of a session changed too often to be written')
  }

  #refuse(error: unknown): never {
    if (this.#store.reachable && !this.#store.isSettling) this.#log('error', 'the session store failed', { error })
    throw new Refusal(503, 'Sessions cannot be looked up. Try again later.', -32004, { 'Retry-After': '1' })
  }
}

function toFound(text: string | undefined): Found {
  if (text === ENDED) return 'ended'
  const record = text === undefined ? undefined : readRecord(text)
  return record && text !== undefined ? { text, record } : undefined
}
