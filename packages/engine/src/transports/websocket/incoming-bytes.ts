// What a piece costs in addition to its bytes, so that many small ones count.
const PIECE_OVERHEAD = 128

/** How the bytes of a stream are waited for. */
export interface IncomingOptions {
  /** How long its reader waits for the next piece. */
  readonly idleMs: number
  /** Called when nothing came for so long. */
  onIdle(): void
  /** Called when it holds more or less than before. */
  onHeld(difference: number): void
}

/** The bytes that come in on one stream, held until they are read. */
export class IncomingBytes implements AsyncIterable<Uint8Array> {
  readonly #options: IncomingOptions
  #pieces: Buffer[] = []
  #held = 0
  #isEnded = false
  #failure: Error | undefined
  #wake: (() => void) | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(options: IncomingOptions) {
    this.#options = options
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  push(piece: Buffer): void {
    if (this.#failure) return
    this.#pieces.push(piece)
    this.#hold(piece.length + PIECE_OVERHEAD)
    this.#go()
  }

  end(): void {
    this.#isEnded = true
    this.#go()
  }

  /** Nothing more is given out, and what was held is free at once. */
  fail(error: Error): void {
    this.#failure ??= error
    this.#pieces = []
    this.#hold(-this.#held)
    this.#go()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const piece = this.#pieces.shift()
      if (piece) {
        this.#hold(-piece.length - PIECE_OVERHEAD)
        yield piece
      } else if (this.#failure) throw this.#failure
      else if (this.#isEnded) return
      else await this.#more()
    }
  }

  /** The clock runs only while a reader waits, so that a slow reader is not taken for a silent sender. */
  #more(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
      this.#idle = setTimeout(() => this.#options.onIdle(), this.#options.idleMs)
    })
  }

  #go(): void {
    clearTimeout(this.#idle)
    this.#wake?.()
    this.#wake = undefined
  }

  #hold(difference: number): void {
    this.#held += difference
    if (difference !== 0) this.#options.onHeld(difference)
  }
}
