import type { StoredEvent } from './store.ts'

// What one log may keep.
const MOST_EVENTS = 1000
const MOST_CHARACTERS = 1024 * 1024

interface EventLog {
  events: BufferedEvent[]
  characters: number
  expiresAt: number
}

interface BufferedEvent extends StoredEvent {
  readonly log: string
}

/** Events of all logs, in memory: the oldest makes room for the newest. */
export class MemoryEvents {
  readonly #most: number
  readonly #logs = new Map<string, EventLog>()
  /** Every event, in the order in which they came. */
  readonly #all = new Set<BufferedEvent>()
  #characters = 0

  constructor(mostCharacters: number) {
    this.#most = mostCharacters
  }

  /** Characters that are kept now. */
  get size(): number {
    return this.#characters
  }

  append(log: string, { number, text }: StoredEvent, expiresAt: number): void {
    const kept = { log, number, text }
    const own = this.#logs.get(log) ?? { events: [], characters: 0, expiresAt }
    this.#logs.set(log, own)
    own.expiresAt = expiresAt
    own.events.push(kept)
    own.characters += text.length
    this.#all.add(kept)
    this.#characters += text.length
    while (own.events.length > MOST_EVENTS || own.characters > MOST_CHARACTERS) {
      if (!this.#dropFirst(own, kept)) break
    }
    this.#makeRoom(kept)
  }

  read(log: string, after: number, now: number): readonly StoredEvent[] {
    const own = this.#logs.get(log)
    if (!own) return []
    if (own.expiresAt > now) return own.events.filter(({ number }) => number > after)
    this.drop(log)
    return []
  }

  /** Every event that is kept, in the order in which they came. */
  all(): Iterable<StoredEvent & { readonly log: string }> {
    return this.#all
  }

  has(log: string): boolean {
    return this.#logs.has(log)
  }

  drop(log: string): void {
    const own = this.#logs.get(log)
    if (!own) return
    this.#logs.delete(log)
    for (const event of own.events) this.#all.delete(event)
    this.#characters -= own.characters
  }

  /** Forget logs whose time is over. */
  expire(now: number): void {
    for (const [log, { expiresAt }] of this.#logs) if (expiresAt <= now) this.drop(log)
  }

  #makeRoom(newest: BufferedEvent): void {
    for (const oldest of this.#all) {
      if (this.#characters <= this.#most || oldest === newest) return
      const own = this.#logs.get(oldest.log)
      if (own) this.#dropFirst(own, newest)
    }
  }

  /** The newest of all stays, however large it is. */
  #dropFirst(own: EventLog, newest: BufferedEvent): boolean {
    const [first] = own.events
    if (!first || first === newest) return false
    own.events.shift()
    own.characters -= first.text.length
    this.#characters -= first.text.length
    this.#all.delete(first)
    return true
  }
}
