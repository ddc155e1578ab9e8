import type { Writable } from 'node:stream'

// What may stand in line before the reader is told to wait.
const ENOUGH = 1024 * 1024

/** The way out of a pipe: what is written in one turn leaves as one piece, and a full pipe is seen. */
export class Outlet {
  readonly #stream: Writable
  readonly #write: (text: string, done: (error?: Error | null) => void) => void
  readonly #left: (error?: Error | null) => void
  #text = ''
  #scheduled = false
  #broken = false

  /** `write` is the stream's own, taken before anyone replaced it. */
  constructor(stream: Writable, write: Writable['write'], onRoom: () => void, onBreak: () => void) {
    this.#stream = stream
    this.#write = (text, done) => void write.call(stream, text, 'utf8', done)
    // Not the stream's own 'drain', which depends on a high-water mark that may be above ours.
    this.#left = error => {
      if (!error) onRoom()
    }
    const gone = (): void => {
      this.#broken = true
      onBreak()
    }
    stream.on('error', gone).on('close', gone)
  }

  /** Should nothing more be read until what is here has left? */
  get full(): boolean {
    return this.#text.length + this.#stream.writableLength > ENOUGH
  }

  line(text: string): void {
    this.#text += `${text}\n`
    if (this.#scheduled) return
    this.#scheduled = true
    process.nextTick(() => this.flush())
  }

  flush(): void {
    this.#scheduled = false
    if (this.#text === '' || this.#broken) return
    const text = this.#text
    this.#text = ''
    this.#write(text, this.#left)
  }

  /** Resolves when everything has left, or never will. */
  async end(): Promise<void> {
    this.flush()
    if (this.#broken || this.#stream.destroyed) return
    await new Promise<void>(resolve => {
      this.#stream.once('error', () => resolve())
      this.#write('', () => resolve())
    })
  }
}
