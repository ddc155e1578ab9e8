import type { Session } from '@causeway/engine'
import { clientKey, quotaKey } from '@causeway/engine/internal'
import { NOBODY, clientIn } from './connection-key.ts'
import type { ConnectionUser, PooledRemote } from './pooled-remote.ts'

/** Whose share of a server's processes a connection counts for: of a client, however many sessions it has. */
export const quotaOf = (user: ConnectionUser | undefined): string => (user ? quotaKey(user) : NOBODY)

/** The open connections to one server, by whose they are. */
export class OpenConnections {
  readonly #byKey = new Map<string, PooledRemote[]>()
  readonly #followed = new WeakSet<Session>()

  get all(): PooledRemote[] {
    return [...this.#byKey.values()].flat()
  }

  get size(): number {
    let size = 0
    for (const list of this.#byKey.values()) size += list.length
    return size
  }

  /** Any connection, for what concerns all clients. */
  get any(): PooledRemote | undefined {
    return this.#byKey.values().next().value?.[0]
  }

  /** Any connection whose session no other process uses: only there can be subscribed. */
  get unshared(): PooledRemote | undefined {
    const { any } = this
    return any?.remote.sharesSession ? this.all.find(({ remote }) => !remote.sharesSession) : any
  }

  find(key: string, isFree: (one: PooledRemote) => boolean): PooledRemote | undefined {
    return this.#byKey.get(key)?.find(one => !one.remote.closed && isFree(one))
  }

  add(one: PooledRemote): void {
    this.#byKey.set(one.key, [...(this.#byKey.get(one.key) ?? []), one])
  }

  remove(one: PooledRemote): void {
    const left = this.#byKey.get(one.key)?.filter(other => other !== one) ?? []
    if (left.length > 0) this.#byKey.set(one.key, left)
    else this.#byKey.delete(one.key)
  }

  /** A connection that no client has used yet becomes that of one, so that a server's first client needs no second process. */
  give(key: string, user: ConnectionUser, isFree: (one: PooledRemote) => boolean): PooledRemote | undefined {
    const one = this.find(NOBODY, isFree)
    if (!one) return undefined
    this.remove(one)
    one.key = key
    one.quota = quotaOf(user)
    this.add(one)
    return one
  }

  /** What a client's session had is ended with it. */
  followSession(user: ConnectionUser | undefined, end: (one: PooledRemote) => void): void {
    const session = user?.link.session
    if (!user || !session || this.#followed.has(session) || clientKey(user) !== session.id) return
    this.#followed.add(session)
    const over = (): void => this.all.filter(({ key }) => clientIn(key) === session.id).forEach(end)
    session.signal.addEventListener('abort', over, { once: true })
  }
}
