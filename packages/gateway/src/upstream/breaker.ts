import { RpcError } from '@causeway/engine'
import type { Call } from '@causeway/engine'
import { unavailable } from './backoff.ts'

/** Hears when a server is left alone for a while, and when it works again. */
export interface BreakerListener {
  onOpened(failures: number, cause: string, retryAfterMs: number): void
  onClosed(): void
}

// So many calls in a row: one slow tool among others does not count.
const MOST_FAILURES = 5
const FIRST_MS = 1000
const LONGEST_MS = 60_000
// While one call tries whether the server works again, others may ask again after so long.
const PROBE_MS = 1000

/**
 * Leaves a server alone that did not answer several calls in a row, or broke their connections. After a pause one call
 * tries it again: if that fails, too, the next pause is longer. Whatever the server answers, errors included, is an answer.
 */
export class Breaker {
  readonly #server: string
  readonly #listener: BreakerListener
  readonly #now: () => number
  readonly #random: () => number
  #failures = 0
  #pauses = 0
  #notBefore: number | undefined
  #probe: Call | undefined
  #why = ''
  /** The connection that broke last: all calls that broke with it are one failure. */
  #lost: object | undefined

  constructor(
    server: string,
    listener: BreakerListener,
    now: () => number = () => performance.now(),
    random: () => number = Math.random,
  ) {
    this.#server = server
    this.#listener = listener
    this.#now = now
    this.#random = random
  }

  /** `closed` lets calls pass, `open` refuses them, `half-open` lets one of them try. */
  get state(): 'closed' | 'open' | 'half-open' {
    if (this.#notBefore === undefined) return 'closed'
    return this.#probe || this.retryAfterMs === 0 ? 'half-open' : 'open'
  }

  get retryAfterMs(): number {
    return this.#notBefore === undefined ? 0 : Math.max(0, this.#notBefore - this.#now())
  }

  /** Why calls are refused. */
  get problem(): string {
    return `${this.#failures} calls in a row failed, the last one because ${this.#why}`
  }

  /** Refuse a call while the server is left alone. */
  check(call: Call): void {
    if (this.#notBefore === undefined) return
    if (this.retryAfterMs > 0 || (this.#probe && this.#probe !== call)) throw this.#refusal()
    this.#probe = call
  }

  /** The server answered. */
  answered(): void {
    this.#failures = 0
    this.#probe = undefined
    if (this.#notBefore === undefined) return
    this.#notBefore = undefined
    this.#pauses = 0
    this.#listener.onClosed()
  }

  /** A call that might have tried the server did not come to it. */
  released(call: Call): void {
    if (this.#probe === call) this.#probe = undefined
  }

  /** A call failed; `lost` is its connection, if that is gone. */
  failed(error: unknown, call: Call, lost?: object): void {
    const cause = causeIn(error, call)
    const isProbe = this.#probe === call
    if (isProbe) this.#probe = undefined
    if (cause === 'none') return
    if (cause === 'answer') return this.answered()
    if (lost && lost === this.#lost) return
    this.#lost = lost
    this.#failures += 1
    this.#why = cause
    if (isProbe || (this.#notBefore === undefined && this.#failures >= MOST_FAILURES)) this.#open()
  }

  #open(): void {
    const pause = Math.min(FIRST_MS * 2 ** this.#pauses, LONGEST_MS)
    // A part of it is random, so that many gateways do not come back together.
    const ms = pause * (0.75 + this.#random() / 4)
    this.#pauses += 1
    this.#notBefore = this.#now() + ms
    this.#listener.onOpened(this.#failures, this.#why, ms)
  }

  #refusal(): Error {
    return unavailable(this.#server, this.problem, this.retryAfterMs || PROBE_MS)
  }
}

/** What a failure says of its server: nothing, that it answers, or why it does not. */
function causeIn(error: unknown, { cancellation }: Call): string {
  const { reason } = cancellation
  if (reason && !isTimeout(reason)) return 'none'
  if (reason || isTimeout(error)) return 'it did not answer in time'
  if (error instanceof RpcError && error.kind !== 'upstream-unavailable') return 'answer'
  return 'it could not be reached, or its connection broke'
}

const isTimeout = (error: unknown): boolean => error instanceof RpcError && error.kind === 'timeout'
