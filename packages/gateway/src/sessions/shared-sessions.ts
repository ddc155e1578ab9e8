import type { Log } from '@causeway/engine'
import type { Presence, Values } from '@causeway/engine/stores'
import type { KnownSession, SessionSharing } from '@causeway/engine/client'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import { SessionSeal } from './sealed-session.ts'
import type { SealedSession } from './sealed-session.ts'

const TTL_MS = 30 * 60_000
const RENEW_MS = 60_000
// As many may change a record at once before one of them does without it.
const TRIES = 16
const MOST_CHARACTERS = 256 * 1024

/** What of a store keeps sessions with servers. */
export type SessionStore = Presence & Values

/** A session in use here. */
interface Used {
  readonly seal: SessionSeal
  readonly session: KnownSession
  readonly isBegunHere: boolean
  /** Is it in the store? */
  isKept: boolean
  /** Was it ever, so that others may use it? */
  wasKept?: boolean
  /** Connections of this process that use it. */
  count: number
}

interface Found {
  readonly text: string | undefined
  readonly record: SealedSession | undefined
}

/** Sessions with servers that keep them, one for each client, for all processes that share a store. */
export class SharedSessions {
  readonly #store: SessionStore
  readonly #log: Log
  readonly #used = new Map<string, Used>()
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly #renewing: NodeJS.Timeout
  readonly #stopHearing: () => void
  #isAway = false
  #isClosed = false

  constructor(store: SessionStore, log: Log) {
    this.#store = store
    this.#log = log
    this.#renewing = setInterval(() => this.renew(), RENEW_MS).unref()
    this.#stopHearing = store.onReconnect(() => this.#writeBack())
  }

  /** The sessions of one client with one server. */
  of(config: UpstreamConfig, client: string): SessionSharing {
    const seal = new SessionSeal(config, client)
    return {
      find: lost => this.#inTurn(seal, undefined, () => this.#find(seal, lost)),
      keep: (begun, lost) => {
        const alone = (): KnownSession => this.#begin(seal, begun, false)
        return this.#inTurn(seal, alone, () => this.#keep(seal, begun, lost))
      },
      leave: id =>
        this.#inTurn(
          seal,
          () => false,
          () => this.#leave(seal, id),
        ),
    }
  }

  /** Does this process use a session of that client which another one began? */
  isElsewhere(config: UpstreamConfig, client: string): boolean {
    return this.#used.get(new SessionSeal(config, client).name)?.isBegunHere === false
  }

  /** Keep what is used here for longer. */
  renew(): void {
    for (const { seal, isKept } of this.#used.values()) {
      if (isKept) Promise.resolve(this.#store.touch(seal.name, TTL_MS)).catch(this.#failed)
    }
  }

  /** The process ends: its sessions stay for others, and for the process that comes in its place. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#renewing)
    this.#stopHearing()
  }

  async #find(seal: SessionSeal, lost: string | undefined): Promise<KnownSession | undefined> {
    for (let i = 0; i < TRIES; i++) {
      const found = await this.#read(seal)
      if (!found.record || found.record.session.id === lost) return undefined
      const joined = await this.#join(seal, found)
      if (joined) return joined
    }
    return undefined
  }

  async #keep(seal: SessionSeal, session: KnownSession, lost: string | undefined): Promise<KnownSession> {
    const fresh = seal.close({ session, users: [this.#store.processId] })
    for (let i = 0; i < TRIES && fresh.length <= MOST_CHARACTERS; i++) {
      const found = await this.#read(seal)
      const joined = found.record && found.record.session.id !== lost && (await this.#join(seal, found))
      if (joined) return joined
      const isFree = !found.record || found.record.session.id === lost
      if (isFree && (await this.#store.replace(seal.name, found.text, fresh, TTL_MS)))
        return this.#begin(seal, session, true)
    }
    return this.#begin(seal, session, false)
  }

  async #leave(seal: SessionSeal, id: string): Promise<boolean> {
    const used = this.#used.get(seal.name)
    if (used?.session.id !== id) return true
    used.count -= 1
    if (used.count > 0) return false
    this.#used.delete(seal.name)
    if (!used.isKept) return !used.wasKept
    for (let i = 0; i < TRIES; i++) {
      const { text, record } = await this.#read(seal)
      if (record?.session.id !== id) return false
      const others = await this.#running(record.users)
      const isLast = others.length === 0 && !this.#isClosed
      const left = isLast ? '' : seal.close({ ...record, users: others })
      if (await this.#store.replace(seal.name, text, left, isLast ? 1 : TTL_MS)) return isLast
    }
    return false
  }

  async #read(seal: SessionSeal): Promise<Found> {
    const text = await this.#store.get(seal.name)
    return { text, record: seal.open(text) }
  }

  /** Use what another process has begun; undefined if the record changed meanwhile. */
  async #join(seal: SessionSeal, { text, record }: Found): Promise<KnownSession | undefined> {
    if (!record) return undefined
    const { processId } = this.#store
    const { session, users } = record
    const isIn = users.includes(processId)
    const joined = isIn ? text : seal.close({ session, users: [...(await this.#running(users)), processId] })
    if (!isIn && !(await this.#store.replace(seal.name, text, joined ?? '', TTL_MS))) return undefined
    return this.#use({ seal, session, isBegunHere: false, isKept: true, count: 0 })
  }

  #begin(seal: SessionSeal, session: KnownSession, isKept: boolean): KnownSession {
    return this.#use({ seal, session, isBegunHere: true, isKept, count: 0 })
  }

  /** The others among these processes, as far as they run. */
  async #running(users: readonly string[]): Promise<string[]> {
    const others = users.filter(user => user !== this.#store.processId)
    const alive = await Promise.all(others.map(async user => this.#store.isAlive(user)))
    return others.filter((_, at) => alive[at])
  }

  #use(fresh: Used): KnownSession {
    const before = this.#used.get(fresh.seal.name)
    const used = before?.session.id === fresh.session.id ? before : fresh
    used.count += 1
    used.isKept = fresh.isKept
    used.wasKept ||= fresh.isKept
    this.#used.set(fresh.seal.name, used)
    return used.session
  }

  /** The store may have lost what it had, or may not have been there when a session was begun. */
  #writeBack(): void {
    this.#isAway = false
    for (const used of this.#used.values()) void this.#inTurn(used.seal, undefined, () => this.#keepAgain(used))
  }

  async #keepAgain(used: Used): Promise<void> {
    const { seal, session } = used
    const { processId } = this.#store
    for (let i = 0; i < TRIES && this.#used.get(seal.name) === used; i++) {
      const { text, record } = await this.#read(seal)
      // Where another process was first, each goes on with its own.
      used.isKept = record === undefined || record.session.id === session.id
      if (!used.isKept) return
      const written = seal.close({
        session,
        users: [...(record?.users ?? []).filter(user => user !== processId), processId],
      })
      used.isKept = await this.#store.replace(seal.name, text, written, TTL_MS)
      used.wasKept ||= used.isKept
      if (used.isKept) return
    }
  }

  /** One after another for each record, so that who comes does not meet who leaves; what the store cannot do is done without it. */
  #inTurn<T>(seal: SessionSeal, otherwise: (() => T) | undefined, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(seal.name) ?? Promise.resolve()
    const turn = before.then(work).catch((error: unknown) => {
      this.#failed(error)
      return otherwise?.() as T
    })
    this.#turns.set(seal.name, turn)
    void turn.finally(() => {
      if (this.#turns.get(seal.name) === turn) this.#turns.delete(seal.name)
    })
    return turn
  }

  readonly #failed = (error: unknown): void => {
    if (this.#isAway) return
    this.#isAway = true
    const problem = error instanceof Error ? error.message : String(error)
    this.#log('warn', 'sessions with servers are not shared until the store can be reached', { problem })
  }
}
