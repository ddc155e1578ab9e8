import { fault } from '../../jsonrpc/errors.ts'
import type { ParkedCall, Parking, Ticket } from '../../client/remote.ts'
import { unref } from '../../support/unref.ts'
import { isObject } from '../../jsonrpc/message.ts'

/** How many calls may wait, and for how long. */
export interface ParkingOptions {
  /** How long a call waits for its client to come back; 0, the default, means without limit. */
  readonly ttlMs?: number | undefined
  /** How many may wait in all, and of one client. Default: 1000, and half of that. */
  readonly most?: number
  /** Stands at the beginning of tickets, so that other processes know where the call waits. */
  readonly processId?: string | undefined
}

interface Parked {
  readonly call: ParkedCall
  /** When its client was asked last. */
  since: number
  timer: NodeJS.Timeout | undefined
  isSettled: boolean
}

const KEPT_MS = 60_000
const MOST_KEPT = 100
// A question may stay unanswered for so long, even if others wait for the server.
const GRACE_MS = 10_000

/** Calls that asked, until their client brings the answers. */
export class ParkedCalls implements Parking {
  readonly #parked = new Map<string, Parked>()
  readonly #kept = new Set<string>()
  readonly #ttlMs: number
  readonly #most: number
  readonly #processId: string

  constructor({ ttlMs = 0, most = 1000, processId = '' }: ParkingOptions = {}) {
    this.#ttlMs = ttlMs
    this.#most = Math.max(1, most)
    this.#processId = processId
  }

  /** Calls whose outcome is not known yet. */
  get waiting(): number {
    return this.#parked.size - this.#kept.size
  }

  park(call: ParkedCall): string {
    const own = this.#waitingOf(clientOf(call)).length
    const share = Math.max(1, Math.floor(this.#most / 2))
    if (own >= share || this.waiting >= this.#most) {
      const most = own >= share ? `${share} of this client` : `${this.#most}`
      throw fault('busy', `Too many calls wait for answers (${most}). Answer some of them first.`, {
        retryAfterMs: 1000,
      })
    }
    const ticket = `${this.#processId === '' ? '' : `${this.#processId}.`}${randomText()}`
    this.#parked.set(ticket, { call, since: Date.now(), timer: this.#expiring(ticket, this.#ttlMs), isSettled: false })
    return ticket
  }

  find(ticket: string): ParkedCall | undefined {
    const parked = this.#parked.get(ticket)
    if (!parked) return undefined
    parked.since = Date.now()
    this.#restart(ticket, parked)
    return parked.call
  }

  /** Its outcome stays for a while, for a client whose last answer was lost. */
  settle(ticket: string): void {
    const parked = this.#parked.get(ticket)
    if (!parked || parked.isSettled) return
    parked.isSettled = true
    this.#restart(ticket, parked)
    this.#kept.add(ticket)
    const [oldest] = this.#kept
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#remove(oldest)
  }

  /** Give up the question that has waited longest among those of the client with the most, if it has waited long enough. */
  makeRoom(): void {
    const byClient = new Map<string, Parked[]>()
    for (const one of this.#parked.values()) {
      if (one.isSettled || one.call.isAwaited) continue
      const client = clientOf(one.call)
      byClient.set(client, [...(byClient.get(client) ?? []), one])
    }
    const [most] = [...byClient.values()].sort((a, b) => b.length - a.length)
    const oldest = most?.reduce((a, b) => (a.since <= b.since ? a : b))
    if (!oldest || Date.now() - oldest.since < GRACE_MS) return
    const words = 'The question was cancelled: others waited for the server, and it was not answered in time'
    oldest.call.giveUp(fault('busy', words, undefined, { hint: 'Send the request again without requestState.' }))
  }

  close(): void {
    for (const ticket of this.#parked.keys()) this.#remove(ticket)
  }

  #waitingOf(client: string): readonly Parked[] {
    return [...this.#parked.values()].filter(({ call, isSettled }) => !isSettled && clientOf(call) === client)
  }

  #restart(ticket: string, parked: Parked): void {
    clearTimeout(parked.timer)
    parked.timer = this.#expiring(ticket, parked.isSettled ? KEPT_MS : this.#ttlMs)
  }

  #expiring(ticket: string, ms: number): NodeJS.Timeout | undefined {
    return ms > 0 ? unref(setTimeout(() => this.#expire(ticket), ms)) : undefined
  }

  /** A client that waits has come back, however long the server takes. */
  #expire(ticket: string): void {
    const parked = this.#parked.get(ticket)
    if (parked?.call.isAwaited) this.#restart(ticket, parked)
    else this.#remove(ticket)
  }

  #remove(ticket: string): void {
    const parked = this.#parked.get(ticket)
    if (!parked) return
    clearTimeout(parked.timer)
    this.#parked.delete(ticket)
    this.#kept.delete(ticket)
    if (!parked.call.isOver) parked.call.giveUp(fault('internal', 'The client did not come back with its answer'))
  }
}

const clientOf = ({ link }: ParkedCall): string => link?.client ?? ''

/** The process in which a call waits, where there are several. */
export const processIdOf = (ticket: string): string => ticket.slice(0, Math.max(0, ticket.indexOf('.')))

/** The ticket that a call brings back from its last round, if it has one. */
export const ticketIn = (state: unknown): Ticket | undefined =>
  isObject(state) && typeof state.ticket === 'string' ? (state as unknown as Ticket) : undefined

/** Also where `crypto.randomUUID` is missing, as in a page that came without TLS. */
function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(18))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
