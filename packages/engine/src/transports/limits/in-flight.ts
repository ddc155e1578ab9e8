/** How much is going on, for those who must let it finish. */
export class InFlight {
  #count = 0
  #waiting: (() => void)[] = []

  begin(): void {
    this.#count += 1
  }

  end(): void {
    this.#count -= 1
    if (this.#count === 0) for (const wake of this.#waiting.splice(0)) wake()
  }

  /** Resolves when nothing is going on any more. */
  async none(): Promise<void> {
    while (this.#count > 0) await new Promise<void>(resolve => void this.#waiting.push(resolve))
  }
}
