import type { Writable } from 'node:stream'

// What may wait to be written before reading has to pause.
const ENOUGH = 1024 * 1024
// What is longer than this leaves in pieces, so that a slow reader holds up no more than that.
const LARGE = 64 * 1024
const PIECE = 8 * 1024

/** Writes lines to a pipe: what is written in one turn leaves together, and a full pipe is noticed. */
export class LineWriter {
  readonly #stream: Writable
  readonly #write: (text: string) => void
  readonly #onRoom: () => void
  #text = ''
  /** What is leaving, in pieces. */
  #rest = ''
  #scheduled = false
  #broken = false
  #wake: () => void = () => {}

  /** `write` is the stream's own, taken before anyone replaced it. */
  constructor(stream: Writable, write: Writable['write'], onRoom: () => void, onBreak: () => void) {
    this.#stream = stream
    this.#onRoom = onRoom
    // Not the stream's own 'drain', which depends on a high-water mark that may be above ours.
    const left = (error?: Error | null): void => {
      if (!error) this.#left()
    }
    this.#write = text => void write.call(stream, text, 'utf8', left)
    const gone = (): void => {
      this.#broken = true
      this.#wake()
      onBreak()
    }
    stream.on('error', gone).on('close', gone)
  }

  /** Should nothing more be read until what is here has left? */
  get full(): boolean {
    return this.#text.length + this.#rest.length + this.#stream.writableLength > ENOUGH
  }

  line(text: string): void {
    this.#text += `${text}\n`
    if (this.#scheduled) return
    this.#scheduled = true
    process.nextTick(() => this.flush())
  }

  flush(): void {
    this.#scheduled = false
    if (this.#rest === '') {
      this.#rest = this.#text
      this.#text = ''
    }
    this.#pour()
  }

  /** Resolves when everything has left, or never will. */
  async end(): Promise<void> {
    this.flush()
    const isOver = (): boolean => this.#broken || this.#stream.destroyed
    while (!isOver() && this.#text.length + this.#rest.length + this.#stream.writableLength > 0) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  #left(): void {
    this.flush()
    this.#wake()
    this.#onRoom()
  }

  #pour(): void {
    while (this.#rest !== '' && !this.#broken && this.#stream.writableLength < LARGE) {
      const piece = this.#rest.length <= LARGE ? this.#rest : this.#rest.slice(0, endOfPiece(this.#rest))
      this.#rest = this.#rest.slice(piece.length)
      this.#write(piece)
    }
  }
}

/** Never between the two halves of a character. */
const endOfPiece = (text: string): number => ((text.charCodeAt(PIECE - 1) & 0xfc00) === 0xd800 ? PIECE - 1 : PIECE)
