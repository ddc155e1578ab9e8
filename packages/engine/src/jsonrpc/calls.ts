import { Cancelled } from './cancellation.ts'
import type { Cancellation } from './cancellation.ts'
import { fault } from './errors.ts'
import type { Id, Params } from './message.ts'
import { ShortLivedMap } from './short-lived-map.ts'

const MOST_LISTENING = 100

/** The requests of one peer that are being served. */
export class Calls {
  // By what is unique: a careless peer may use an id again before it has its answer. Most links never need one.
  #ids: ShortLivedMap<Cancellation, Id> | undefined
  #listening = 0

  /** Take one of the places for requests that run until their connection ends; gives it back when called. */
  listen(): () => void {
    if (this.#listening >= MOST_LISTENING) {
      throw fault('busy', `Busy: at most ${MOST_LISTENING} streams can listen on one connection`, {
        limit: MOST_LISTENING,
      })
    }
    this.#listening += 1
    return () => {
      this.#listening -= 1
    }
  }

  get size(): number {
    return this.#ids?.size ?? 0
  }

  add(id: Id, cancellation: Cancellation): void {
    this.#ids ??= new ShortLivedMap()
    this.#ids.set(cancellation, id)
  }

  delete(cancellation: Cancellation): void {
    this.#ids?.delete(cancellation)
  }

  /** Is something being served under that id? */
  has(id: unknown): boolean {
    for (const own of this.#ids?.values() ?? []) if (own === id) return true
    return false
  }

  /** Is there one of which that is true? */
  some(test: (call: Cancellation) => boolean): boolean {
    for (const call of this.#ids?.keys() ?? []) if (test(call)) return true
    return false
  }

  /** Give up what a notification `notifications/cancelled` names. */
  cancelNamed({ requestId, reason }: Params): void {
    this.cancel(requestId, typeof reason === 'string' ? reason : 'The client cancelled the request')
  }

  /** Give up what was asked under that id. */
  cancel(id: unknown, why: string): void {
    for (const [cancellation, own] of this.#ids?.entries() ?? [])
      if (own === id) cancellation.cancel(new Cancelled(why))
  }

  /** Give up everything. */
  cancelAll(why: string): void {
    for (const cancellation of this.#ids?.keys() ?? []) cancellation.cancel(new Cancelled(why))
  }
}
