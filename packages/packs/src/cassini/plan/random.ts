/** Numbers that look random and are the same on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A whole number from 0 to `below` - 1. */
  next(below: number): number {
    let x = this.#state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x
    return (x >>> 0) % below
  }

  /** One of a list. */
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    return list[this.next(list.length)] as T
  }

  /** The list in another order, in place. */
  shuffle(list: { length: number; [index: number]: number }): void {
    for (let i = list.length - 1; i > 0; i--) {
      const j = this.next(i + 1)
      const held = list[i] as number
      list[i] = list[j] as number
      list[j] = held
    }
  }
}
