/** How much is going on, for those who must let it finish. */
export class InFlight {
  #count = 0
  #wake: (() => void) | undefined

  begin(): void {
    this.#count += 1
  }

  end(): void {
    this.#count -= 1
    if (this.#count === 0) this.#wake?.()
  }

  /** Resolves when nothing is going on any more. */
  async none(): Promise<void> {
    while (this.#count > 0) await new Promise<void>(resolve => (this.#wake = resolve))
  }
}
