// Frames of a stream may still be on their way when it ends.
const MOST_REMEMBERED = 100

/** The ids of streams that are over, or that were never open; the sender hears of each of these once. */
export class UnknownStreams {
  readonly #known = new Set<string>()

  /** What comes for it from now on is no surprise. */
  remember(...ids: readonly string[]): void {
    for (const id of ids) this.#known.add(id)
    for (const id of this.#known) {
      if (this.#known.size <= MOST_REMEMBERED) return
      this.#known.delete(id)
    }
  }

  /** Is this the first that is heard of it? */
  isNew(id: string): boolean {
    if (this.#known.has(id)) return false
    this.remember(id)
    return true
  }
}
