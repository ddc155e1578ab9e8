import { randomBytes } from 'node:crypto'
import { after, all } from '../awaitable.ts'
import type { Awaitable } from '../call.ts'
import type { Presence, Values } from '../stores/store.ts'

/** Where what all processes know together is kept. One that can lose what it kept says so by `onReconnect`. */
export type SharedOnce = Pick<Values, 'once'> & Partial<Pick<Presence, 'onReconnect'>>

const PERIOD_MS = 60_000
// A proof may be as old as this many periods, and one may come from a process whose clock is ahead.
const EARLIER = 2
const LATER = 1
/** How long a nonce is taken, so how long a proof has to be remembered. */
export const NONCE_MS: number = (EARLIER + LATER + 1) * PERIOD_MS

/** The nonces that proofs must repeat: one in every minute, the same in all processes that share a store. */
export class DpopNonces {
  readonly #shared: SharedOnce
  readonly #known = new Map<number, Awaitable<string>>()

  constructor(shared: SharedOnce) {
    this.#shared = shared
    // If the proofs are gone that were used with them, the nonces are gone too, and no longer good.
    shared.onReconnect?.(() => this.#known.clear())
  }

  /** The one to use next. */
  current(): Awaitable<string> {
    return this.#of(this.#period())
  }

  /** Is it one of the last few? */
  accepts(nonce: string): Awaitable<boolean> {
    const period = this.#period()
    const taken = Array.from({ length: EARLIER + LATER + 1 }, (_, i) => this.#of(period + LATER - i))
    return after(all(taken), nonces => nonces.includes(nonce))
  }

  #period(): number {
    return Math.floor(Date.now() / PERIOD_MS)
  }

  #of(period: number): Awaitable<string> {
    const known = this.#known.get(period)
    if (known !== undefined) return known
    const made = this.#shared.once(`dpop-nonce:${period}`, randomBytes(18).toString('base64url'), 2 * NONCE_MS)
    for (const old of this.#known.keys()) if (old < period - EARLIER - LATER) this.#known.delete(old)
    this.#known.set(period, made)
    // From now on it is there at once; what failed is tried again.
    if (made instanceof Promise)
      made.then(
        nonce => this.#known.get(period) === made && this.#known.set(period, nonce),
        () => this.#known.delete(period),
      )
    return after(made, nonce => nonce)
  }
}
