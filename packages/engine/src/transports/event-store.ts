/** An event that a reader may still fetch; its text goes when there is no more room for it. */
export interface Kept {
  readonly number: number
  readonly size: number
  text: string | undefined
}

/** What is kept for readers that come back, over all sessions: the oldest makes room for the newest. */
export class EventStore {
  readonly #most: number
  readonly #events = new Set<Kept>()
  #characters = 0

  constructor(mostCharacters: number) {
    this.#most = mostCharacters
  }

  /** Characters that are kept now. */
  get size(): number {
    return this.#characters
  }

  keep(event: Kept): void {
    this.#events.add(event)
    this.#characters += event.size
    for (const oldest of this.#events) {
      if (this.#characters <= this.#most || oldest === event) return
      this.drop(oldest)
    }
  }

  drop(event: Kept): void {
    if (this.#events.delete(event)) this.#characters -= event.size
    event.text = undefined
  }
}
