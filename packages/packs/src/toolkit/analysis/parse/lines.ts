/** Which line a place in a text is on. */
export class Lines {
  readonly #starts: number[] = [0]
  readonly count: number

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1)
    this.count = this.#starts.length - (text === '' || text.endsWith('\n') ? 1 : 0)
  }

  /** From 1. */
  at(place: number): number {
    let low = 0
    let high = this.#starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#starts[middle]! <= place) low = middle
      else high = middle
    }
    return low + 1
  }
}
