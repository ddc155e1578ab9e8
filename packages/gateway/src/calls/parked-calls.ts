import { randomBytes } from 'node:crypto'
import { fault } from '@causeway/engine'

const TTL_MS = 600_000
const KEPT_MS = 60_000
const MOST_PER_CLIENT = 32
const MOST = 1000

/** A call that waits for its client to come back. */
export interface Parkable {
  readonly client: string
  /** Did its outcome come in the meantime? */
  readonly isOver: boolean
  /** Does its client wait for what comes next? */
  readonly isAwaited: boolean
  /** Nobody came back. */
  expire(): void
}

interface Place<T> {
  readonly call: T
  timer: NodeJS.Timeout
  /** Is its outcome known, so that it no longer waits? */
  settled: boolean
}

/** The node that a ticket names, where there are several. */
export const nodeOf = (ticket: string): string => ticket.slice(0, Math.max(0, ticket.indexOf('.')))

/** Calls that asked, until their client brings the answers. */
export class Parked<T extends Parkable> {
  readonly #places = new Map<string, Place<T>>()
  readonly #perClient = new Map<string, number>()
  readonly #kept = new Set<string>()
  readonly #ttlMs: number
  readonly #node: string
  #waiting = 0

  /** Whoever does not come back within that time is not waited for any longer; tickets name the node, where there are several. */
  constructor(ttlMs: number = TTL_MS, node = '') {
    this.#ttlMs = ttlMs
    this.#node = node
  }

  get size(): number {
    return this.#places.size
  }

  /** A ticket to find the call by; one client, and all together, can leave only so many. */
  park(call: T): string {
    const own = this.#perClient.get(call.client) ?? 0
    if (own >= MOST_PER_CLIENT || this.#waiting >= MOST) {
      const most = own >= MOST_PER_CLIENT ? `${MOST_PER_CLIENT} of this client` : `${MOST}`
      throw fault('busy', `Too many calls wait for answers (${most}). Answer some of them first.`, {
        retryAfterMs: 1000,
      })
    }
    const random = randomBytes(18).toString('base64url')
    const ticket = this.#node === '' ? random : `${this.#node}.${random}`
    this.#count(call.client, 1)
    this.#waiting += 1
    this.#places.set(ticket, { call, timer: this.#clock(ticket, this.#ttlMs), settled: false })
    return ticket
  }

  find(ticket: string): T | undefined {
    const place = this.#places.get(ticket)
    if (!place) return undefined
    clearTimeout(place.timer)
    place.timer = this.#clock(ticket, place.settled ? KEPT_MS : this.#ttlMs)
    return place.call
  }

  /** Its outcome stays for a while, for a client whose last answer was lost. */
  settle(ticket: string): void {
    const place = this.#places.get(ticket)
    if (!place || place.settled) return
    clearTimeout(place.timer)
    place.timer = this.#clock(ticket, KEPT_MS)
    place.settled = true
    this.#waiting -= 1
    this.#count(place.call.client, -1)
    this.#kept.add(ticket)
    const [oldest] = this.#kept
    if (this.#kept.size > MOST && oldest !== undefined) this.#leave(oldest)
  }

  close(): void {
    for (const ticket of this.#places.keys()) this.#leave(ticket)
  }

  #clock(ticket: string, ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#expire(ticket), ms).unref()
  }

  /** A client that waits has come back, however long the server takes. */
  #expire(ticket: string): void {
    const place = this.#places.get(ticket)
    if (place?.call.isAwaited) place.timer = this.#clock(ticket, this.#ttlMs)
    else this.#leave(ticket)
  }

  #leave(ticket: string): void {
    const place = this.#places.get(ticket)
    if (!place) return
    clearTimeout(place.timer)
    this.#places.delete(ticket)
    this.#kept.delete(ticket)
    if (!place.settled) {
      this.#waiting -= 1
      this.#count(place.call.client, -1)
    }
    if (!place.call.isOver) place.call.expire()
  }

  #count(client: string, by: 1 | -1): void {
    const own = (this.#perClient.get(client) ?? 0) + by
    if (own > 0) this.#perClient.set(client, own)
    else this.#perClient.delete(client)
  }
}
