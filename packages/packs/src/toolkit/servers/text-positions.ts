/** A place as the protocol says it: from 0, in units of UTF-16. */
export interface Position {
  readonly line: number
  readonly character: number
}

/** From one place to another. */
export interface Range {
  readonly start: Position
  readonly end: Position
}

/** Where lines begin in a text, and which place is which. */
export class TextPositions {
  readonly text: string
  readonly #starts: number[] = [0]

  constructor(text: string) {
    this.text = text
    for (const { index, 0: sign } of text.matchAll(/\r\n|\n|\r/g)) this.#starts.push(index + sign.length)
  }

  positionAt(at: number): Position {
    let low = 0
    let high = this.#starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return { line: low, character: at - (this.#starts[low] ?? 0) }
  }

  /** Undefined for a place that the text does not have. */
  offsetAt({ line, character }: Position): number | undefined {
    const start = this.#starts[line]
    if (start === undefined) return undefined
    const end = this.#starts[line + 1] ?? this.text.length
    return start + character <= end ? start + character : undefined
  }

  /** A line without its end, from 0. */
  line(line: number): string {
    return this.text.slice(this.#starts[line] ?? 0, this.#starts[line + 1] ?? this.text.length).replace(/[\r\n]+$/, '')
  }
}
