/** The last few of something, for those who come later. */
export class Ring<T> {
  readonly #most: number
  #items: T[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** Oldest first. */
  get items(): readonly T[] {
    return this.#items.length > this.#most ? this.#items.slice(-this.#most) : this.#items
  }

  push(...items: readonly T[]): void {
    for (const item of items) this.#items.push(item)
    // Cut now and then, since cutting at every push would copy the whole each time.
    if (this.#items.length > 1.25 * this.#most) this.#items = this.#items.slice(-this.#most)
  }
}
