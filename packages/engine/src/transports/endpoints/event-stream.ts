import type { Events } from '../http/exchange.ts'
import { unref } from '../../support/unref.ts'

/** What an event carries in addition to its data. */
export interface EventFields {
  readonly id?: string
  readonly event?: string
  readonly retry?: number
}

/** One server-sent event; the data must be a single line. */
export function formatEvent(data: string, { id, event, retry }: EventFields = {}): string {
  const head = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`
  return `${head}${retry === undefined ? '' : `retry: ${retry}\n`}data: ${data}\n\n`
}

const KEEP_ALIVE = ': keep-alive\n\n'

/** Keeps proxies from closing quiet streams: one timer for all of them. */
export class KeepAlive {
  readonly #open = new Set<Events>()
  readonly #timer: NodeJS.Timeout

  constructor(everyMs: number) {
    this.#timer = setInterval(() => this.beat(), everyMs)
    unref(this.#timer)
  }

  /** Streams that are open now. */
  get size(): number {
    return this.#open.size
  }

  add(events: Events): Events {
    this.#open.add(events)
    events.onClose(() => this.#open.delete(events))
    return events
  }

  beat(): void {
    for (const events of this.#open) events.write(KEEP_ALIVE)
  }

  /** End every stream that is still open. */
  end(): void {
    clearInterval(this.#timer)
    for (const events of this.#open) events.end()
  }
}
