/** Bytes that may be held at once, by all together: what one gives back another can take. */
export class Budget {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** False, and nothing taken, where not so much is left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  give(bytes: number): void {
    this.#left += bytes
  }
}
