import { Cancelled } from './cancellation.ts'
import type { Cancellation } from './cancellation.ts'
import type { Id } from './message.ts'

/** The requests of one peer that are being served. */
export class Calls {
  // By what is unique: a careless peer may use an id again before it has its answer.
  readonly #ids = new Map<Cancellation, Id>()

  get size(): number {
    return this.#ids.size
  }

  add(id: Id, cancellation: Cancellation): void {
    this.#ids.set(cancellation, id)
  }

  delete(cancellation: Cancellation): void {
    this.#ids.delete(cancellation)
  }

  /** Give up what was asked under that id. */
  cancel(id: unknown, why: string): void {
    for (const [cancellation, own] of this.#ids) if (own === id) cancellation.cancel(new Cancelled(why))
  }

  /** Give up everything. */
  cancelAll(why: string): void {
    for (const cancellation of this.#ids.keys()) cancellation.cancel(new Cancelled(why))
  }
}
