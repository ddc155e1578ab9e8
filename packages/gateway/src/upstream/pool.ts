import { fault } from '@causeway/engine'
import { connectRemote } from '@causeway/engine/client'
import type { ClientTransport, RemoteListener } from '@causeway/engine/client'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import { Backoff, unavailable } from './backoff.ts'
import { needsAuthorization } from './causes.ts'
import { describeFailure } from './connect-failure.ts'
import { ANYONES, NOBODY, capabilitiesFor, keyFor, keyWithLogin } from './connection-key.ts'
import { OpenConnections, quotaOf } from './open-connections.ts'
import { introductionOf, tracked } from './pooled-remote.ts'
import type { ConnectionUser, OpeningConnection, PoolOwner, PooledRemote } from './pooled-remote.ts'
import { kindOf } from './target-kinds.ts'
import { WaitingCalls } from './waiting-calls.ts'

const SLOW_MS = 5000
const MOST_REMOTE = 1000

interface Wanted {
  readonly key: string
  readonly call: ConnectionUser | undefined
  readonly transports: Set<ClientTransport>
  /** Whose login it carries, if anyone's. */
  readonly principal: string | undefined
}

/** Connections to one server: shared where it keeps nothing of its clients, else one for each client. */
export class Pool {
  readonly backoff: Backoff
  readonly #config: UpstreamConfig
  readonly #owner: PoolOwner
  readonly #kind: ReturnType<typeof kindOf>
  readonly #open = new OpenConnections()
  readonly #opening = new Map<string, OpeningConnection>()
  readonly #waiting: WaitingCalls<PooledRemote>
  #isServing = false
  /** Does the server ask on a stream that all calls share? From then on only one call at a time uses a connection. */
  #asksUnbound = false
  /** Known once there was a connection; of no matter where all clients share a process. */
  #keepsSession: boolean
  #closed = false
  readonly #isShared: boolean

  constructor(config: UpstreamConfig, owner: PoolOwner) {
    this.#config = config
    this.#owner = owner
    this.#kind = kindOf(config.target)
    this.#isShared = this.#kind.isProcess && (config.shared ?? owner.oneUser)
    this.#keepsSession = !this.#isShared
    this.backoff = new Backoff(config.name)
    // While calls wait, unanswered questions may hold at most half of the connections.
    const press = (): void => {
      if (owner.parked.waiting * 2 > this.#most) owner.parked.makeRoom()
    }
    this.#waiting = new WaitingCalls(press, one => this.#reserve(one))
  }

  get size(): number {
    return this.#open.size
  }

  /** How many calls wait for a connection. */
  get waiting(): number {
    return this.#waiting.size
  }

  get isStarting(): boolean {
    return this.#opening.size > 0
  }

  /** Any connection, for what concerns all clients. */
  get any(): PooledRemote | undefined {
    return this.#open.any
  }

  /** Any connection whose session no other process uses: only there can be subscribed. */
  get unshared(): PooledRemote | undefined {
    return this.#open.unshared
  }

  /** A connection with room for a call; at once where there is one. Without a call, one for what concerns all clients. */
  acquire(call: ConnectionUser | undefined): PooledRemote | Promise<PooledRemote> {
    const key = this.#keyOf(call, this.#owner.login?.principalOf(call))
    const isAnyones = !call && !this.#owner.login?.isNeeded
    const free = isAnyones ? this.unshared : (this.#open.find(key, this.isFree) ?? this.#unused(key, call))
    return free ?? this.#openOrWait(key, call)
  }

  /** Is there room for a call? */
  readonly isFree = ({ remote }: PooledRemote): boolean => !this.#asksUnbound || remote.calls === 0

  /** Is nothing going on, so that it can be closed? */
  isIdle({ remote, isReserved }: PooledRemote): boolean {
    return !isReserved && remote.isIdle
  }

  /** Something was done with it; a call that waits may have it now. */
  release(one: PooledRemote): void {
    one.usedAt = Date.now()
    if (this.#waiting.size === 0) return
    const own = this.#waiting.first(one.key)
    if (own && this.isFree(one) && !one.remote.closed) own.go(one)
    else this.#serveWaiting()
  }

  /** Close what was not used for so long. */
  async stopIdle(idleMs: number, now: number = Date.now()): Promise<void> {
    const { all } = this.#open
    const old = all.filter(one => this.isIdle(one) && now - one.usedAt >= idleMs)
    // The one that listens for changes stays as long as any other.
    const idle = old.filter(({ key }) => key !== NOBODY || !this.#owner.sharing || old.length === all.length)
    await Promise.all(idle.map(one => this.#end(one)))
  }

  /** Close everything; the next call connects again. */
  async restart(): Promise<void> {
    this.backoff.reset()
    await Promise.all(this.#open.all.map(one => this.#end(one)))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#waiting.close(new Error('The gateway is shutting down'))
    const opening = [...this.#opening.values()].map(async ({ promise, transports }) => {
      await Promise.all([...transports].map(transport => transport.close()))
      await promise.then(({ remote }) => remote.close()).catch(() => {})
    })
    await Promise.all([...opening, this.restart()])
  }

  get #most(): number {
    return this.#kind.isProcess ? this.#config.processes : MOST_REMOTE
  }

  #keyOf(user: ConnectionUser | undefined, principal: string | undefined): string {
    return keyWithLogin(user && this.#keepsSession ? keyFor(user, this.#kind.bound) : NOBODY, principal)
  }

  /** A connection that was opened for lists alone declares the same, if questions come on a stream that all calls share. */
  #unused(key: string, call: ConnectionUser | undefined): PooledRemote | undefined {
    if (!call || key === NOBODY || this.#kind.bound || this.#owner.login?.isNeeded) return undefined
    if (capabilitiesFor(call, false) !== ANYONES) return undefined
    const one = this.#open.give(key, call, this.isFree)
    if (one) this.#open.followSession(call, this.#endSoon)
    return one
  }

  #openOrWait(key: string, call: ConnectionUser | undefined): Promise<PooledRemote> {
    const opening = this.#opening.get(key)
    if (opening) {
      const seconds = Math.round((Date.now() - opening.since) / 1000)
      if (Date.now() - opening.since < SLOW_MS) return opening.promise
      throw unavailable(this.#config.name, `it has been starting for ${seconds} s`, 1000)
    }
    if (this.#closed) throw new Error('The gateway is shutting down')
    this.backoff.check()
    this.#owner.login?.check(call)
    return this.#mayOpen(key, call) ? this.#begin(call) : this.#wait(key, call)
  }

  /** Whose it is may be known better now than when it was asked for. */
  #begin(call: ConnectionUser | undefined): Promise<PooledRemote> {
    const principal = this.#owner.login?.principalOf(call)
    const key = this.#keyOf(call, principal)
    const opening = this.#opening.get(key)
    if (opening) return opening.promise
    const transports = new Set<ClientTransport>()
    const promise = this.#connect({ key, call, transports, principal }).finally(() => {
      this.#opening.delete(key)
      this.#serveWaiting()
    })
    this.#opening.set(key, { since: Date.now(), promise, transports, quota: quotaOf(call) })
    return promise
  }

  /** Calls that wait get what became free, wherever it came from. */
  #serveWaiting(): void {
    if (this.#isServing || this.#closed) return
    this.#isServing = true
    for (const { key, call, go, fail } of this.#waiting.all) {
      const free = this.#open.find(key, this.isFree)
      if (free) go(free)
      else if (this.#opening.has(key)) continue
      else if (this.backoff.retryAfterMs > 0) fail(this.backoff.refusal)
      else if (this.#mayOpen(key, call)) this.#begin(call).then(go, fail)
    }
    this.#isServing = false
  }

  /** The call it is given to uses it in this turn, or no longer wants it: then others may have it. */
  #reserve(one: PooledRemote): void {
    one.isReserved = true
    setImmediate(() => {
      one.isReserved = false
      this.#serveWaiting()
    })
  }

  /** Is there room, or can it be made? A client, however many sessions it has, leaves one of several processes to others. */
  #mayOpen(key: string, call: ConnectionUser | undefined): boolean {
    const quota = quotaOf(call)
    const isOwn = (one: { readonly quota: string }): boolean => quota !== NOBODY && one.quota === quota
    const own = this.#open.all.filter(isOwn)
    const opening = [...this.#opening.values()].filter(isOwn).length
    if (own.length + opening >= Math.max(2, this.#most - 1)) return this.#makeRoom(key, own)
    return this.size + this.#opening.size < this.#most || this.#makeRoom(key, this.#open.all)
  }

  /** The idle connection among these that was not used for longest makes room. */
  #makeRoom(key: string, among: readonly PooledRemote[]): boolean {
    const idle = among.filter(one => this.isIdle(one) && one.key !== key)
    const [oldest] = idle.sort((a, b) => a.usedAt - b.usedAt)
    if (oldest) void this.#end(oldest)
    return oldest !== undefined
  }

  #wait(key: string, call: ConnectionUser | undefined): Promise<PooledRemote> {
    const { name, limits } = this.#config
    const words = `The server '${name}' is busy: all of its processes are in use.`
    const busy = (): Error => fault('busy', words, { retryAfterMs: 1000 })
    if (this.#waiting.size >= limits.inFlight) throw busy()
    return this.#waiting.wait(key, call, busy)
  }

  async #connect({ key, call, transports, principal }: Wanted): Promise<PooledRemote> {
    let one: PooledRemote | undefined
    try {
      const capabilities = capabilitiesFor(call, this.#kind.bound)
      const sessions = call && this.#owner.sharing?.(key)
      const introduction = introductionOf(this.#config, this.#owner, { capabilities, sessions })
      const target = tracked(this.#owner.reach(principal), transports, () => this.#closed)
      const remote = await connectRemote(target, { ...introduction, ...this.#listener(() => one) })
      one = { remote, key, quota: quotaOf(call), usedAt: Date.now(), isReserved: false }
    } catch (error) {
      throw this.#onRefused(error as Error, principal)
    }
    this.backoff.started()
    this.#owner.login?.works(principal)
    this.#keepsSession = one.remote.keepsSession && !this.#isShared
    one.key = this.#keyOf(call, principal)
    this.#open.add(one)
    this.#open.followSession(call, this.#endSoon)
    this.#reserve(one)
    this.#owner.onOpened(one)
    return one
  }

  /** No connection could be opened. That one principal has to log in is no matter of the others. */
  #onRefused(error: Error, principal: string | undefined): Error {
    const refusal = this.#owner.login?.refusalOf(error, principal)
    if (refusal) return refusal
    const why = describeFailure(error, this.#config, this.#owner.reason())
    this.backoff.failed(why, needsAuthorization(error))
    this.#owner.health.onFailed('a server could not be started', why.message, this.backoff.retryAfterMs)
    return this.backoff.refusal
  }

  #listener(current: () => PooledRemote | undefined): RemoteListener {
    const owner = this.#owner
    const withCurrent = (act: (one: PooledRemote) => void) => (): void => {
      const one = current()
      if (one) act(one)
    }
    return {
      onChange: change => owner.onChange(change),
      onInvalid: what => owner.onInvalid(what),
      onNotification: (method, params) => withCurrent(one => owner.onNotification(method, params, one))(),
      onListening: withCurrent(one => owner.onListening(one)),
      onUnboundQuestion: () => (this.#asksUnbound = true),
      onClose: why => withCurrent(one => this.#onLost(one, why))(),
      onSettled: () => {
        owner.onSettled()
        const one = current()
        if (one) this.release(one)
      },
    }
  }

  /** It ended by itself. */
  #onLost(one: PooledRemote, cause: Error): void {
    const why = describeFailure(cause, this.#config, this.#owner.reason())
    this.#remove(one)
    this.backoff.failed(why)
    this.#owner.health.onFailed('a server ended by itself', why.message, this.backoff.retryAfterMs)
    void one.remote.close()
    this.#serveWaiting()
  }

  readonly #endSoon = (one: PooledRemote): void => void this.#end(one)

  async #end(one: PooledRemote): Promise<void> {
    this.#remove(one)
    this.#serveWaiting()
    await one.remote.close()
  }

  #remove(one: PooledRemote): void {
    this.#open.remove(one)
    this.#owner.onEnded(one)
  }
}
