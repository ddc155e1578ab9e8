/** A body up to here is always taken, so that large ones, sent slowly, do not lock out other clients. */
export const SMALL: number = 64 * 1024

/** Bytes that may be held at once, in and out, by all connections together: what one gives back another can take. */
export class ByteBudget {
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

/** What one connection holds of the budget. A little is free, so that large holders never keep small ones out. */
export class HeldBytes {
  readonly #budget: ByteBudget
  readonly #free: number
  #taken = 0

  constructor(budget: ByteBudget, free: number) {
    this.#budget = budget
    this.#free = free
  }

  /** It holds so much from now on; false, and nothing changes, where the budget has not so much left. */
  set(bytes: number): boolean {
    const more = Math.max(0, bytes - this.#free) - this.#taken
    if (more > 0 && !this.#budget.take(more)) return false
    if (more < 0) this.#budget.give(-more)
    this.#taken += more
    return true
  }

  release(): void {
    this.#budget.give(this.#taken)
    this.#taken = 0
  }
}
