import { fault } from '@causeway/engine'
import { withoutAddresses } from './causes.ts'

const FIRST_MS = 250
const LONGEST_MS = 60_000
const STABLE_MS = 30_000
// What only the operator can help against is tried again so rarely.
const HOPELESS_MS = 600_000
const HOPELESS = 'Only the operator of the gateway can help; do not try again.'

/** When a server that failed may be tried again. */
export class Backoff {
  readonly #name: string
  readonly #now: () => number
  readonly #random: () => number
  #failures = 0
  #notBefore = 0
  #startedAt = 0
  #why: Error | undefined
  #isHopeless = false

  constructor(name: string, now: () => number = Date.now, random: () => number = Math.random) {
    this.#name = name
    this.#now = now
    this.#random = random
  }

  /** How often in a row it failed. */
  get failures(): number {
    return this.#failures
  }

  /** Why it failed last, while that matters. */
  get why(): Error | undefined {
    return this.#why
  }

  /** How long it is not tried. */
  get retryAfterMs(): number {
    return Math.max(0, this.#notBefore - this.#now())
  }

  /** Refuse at once while it is not to be tried. */
  check(): void {
    if (this.retryAfterMs > 0) throw this.refusal
  }

  /** What a call gets while it is not to be tried. */
  get refusal(): Error {
    return this.refusalWith('', 0)
  }

  /** The same, with a detail before the reason, and a time at least to wait. */
  refusalWith(detail: string, leastMs: number): Error {
    const why = this.#why?.message ?? 'it failed'
    return unavailable(this.#name, why, this.#isHopeless ? undefined : this.retryAfterMs || leastMs, detail)
  }

  /** It works. */
  started(): void {
    this.#startedAt = this.#now()
    this.#why = undefined
  }

  /** It could not be started, or ended by itself. */
  failed(why: Error, isHopeless = false): void {
    if (this.#startedAt > 0 && this.#now() - this.#startedAt > STABLE_MS) this.#failures = 0
    this.#startedAt = 0
    const wait = isHopeless ? HOPELESS_MS : Math.min(FIRST_MS * 2 ** this.#failures, LONGEST_MS)
    this.#isHopeless = isHopeless
    this.#failures = Math.min(this.#failures + 1, 20)
    // Half of it random, so that many gateways do not come back together.
    this.#notBefore = this.#now() + wait * (0.5 + this.#random() / 2)
    this.#why = why
  }

  /** Try it now. */
  reset(): void {
    this.#failures = 0
    this.#notBefore = 0
    this.#why = undefined
  }
}

/**
 * The refusal of a call while its server cannot be used; `detail` stands before the reason. Without a time it helps
 * nothing to try again.
 */
export function unavailable(server: string, why: string, retryAfterMs: number | undefined, detail = ''): Error {
  const words = `The server '${server}' is not available${detail}: ${withoutAddresses(why.slice(0, 300))}`
  const kind = 'upstream-unavailable'
  if (retryAfterMs === undefined) return fault(kind, words, { server }, { hint: HOPELESS })
  const ms = Math.ceil(retryAfterMs)
  return fault(kind, words, { server, retryAfterMs: ms }, { hint: `Try again in ${ms} ms (retryAfterMs: ${ms}).` })
}
