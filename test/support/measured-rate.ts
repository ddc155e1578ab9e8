const SLOT_MS = 100

/** How many calls pass a limit per second, from the first that is refused: until then they pass by the burst. */
export class MeasuredRate {
  readonly #ms: number
  readonly #passed: number[] = []
  readonly #refused: number[] = []

  constructor(ms: number) {
    this.#ms = ms
  }

  count(isPassed: boolean): void {
    ;(isPassed ? this.#passed : this.#refused).push(performance.now())
  }

  get isOver(): boolean {
    return performance.now() >= this.#from + this.#ms
  }

  get perSecond(): number {
    return this.#passed.filter(at => this.#isCounted(at)).length / (this.#ms / 1000)
  }

  /** The share of the time in which more was asked for than may pass. On a busy machine that is less than all. */
  get demand(): number {
    const slots = this.#refused.filter(at => this.#isCounted(at)).map(at => Math.floor((at - this.#from) / SLOT_MS))
    return new Set(slots).size / (this.#ms / SLOT_MS)
  }

  get #from(): number {
    return this.#refused[0] ?? Infinity
  }

  #isCounted(at: number): boolean {
    return at >= this.#from && at < this.#from + this.#ms
  }
}
