import { textOf } from './utf8.ts'

const NEWLINE = 0x0a
const EMPTY = Buffer.alloc(0)
// A UTF-16 unit is at most three bytes of UTF-8.
const MOST_PER_UNIT = 3

/** A line that cannot be taken, and why; the next one can. */
export interface Refused {
  readonly refused: 'too-long' | 'not-utf8'
}

const TOO_LONG: Refused = { refused: 'too-long' }
const NOT_UTF8: Refused = { refused: 'not-utf8' }

/** Bytes in, lines out; a line over the limit is refused as soon as it is, and never held whole. */
export class Lines {
  readonly #limit: number
  /** The bytes of a line whose end has not come. */
  #partial: Buffer = EMPTY
  #partialBytes = 0
  #skipping = false
  #fresh = true
  /** Lines that came in whole: text with a newline between them, read up to `#at`. */
  #text = ''
  #at = 0
  #ready: (string | Refused)[] = []
  #taken = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  feed(chunk: Buffer): void {
    const rest = this.#skipping ? this.#afterSkipped(chunk) : chunk
    // Most chunks end where a line does, and need not be cut.
    const end = rest[rest.length - 1] === NEWLINE ? rest.length : rest.lastIndexOf(NEWLINE) + 1
    const whole = end === rest.length ? rest : rest.subarray(0, end)
    if (end > 0) this.#accept(this.#partialBytes > 0 ? Buffer.concat([this.#released(), whole]) : whole)
    if (end < rest.length) this.#hold(rest.subarray(end))
  }

  /** No more bytes will come: what is left is the last line. */
  end(): void {
    if (this.#partialBytes > 0) this.#accept(Buffer.concat([this.#released(), Buffer.from('\n')]))
  }

  /** The next line that is not blank, or why it was refused; undefined until more bytes come. */
  next(): string | Refused | undefined {
    for (;;) {
      const end = this.#text.indexOf('\n', this.#at)
      if (end < 0) {
        const ready = this.#nextReady()
        if (typeof ready !== 'string') return ready
        this.#text = ready
        this.#at = 0
        continue
      }
      const line = this.#text.slice(this.#at, end)
      this.#at = end + 1
      if (this.#isLong(line)) return TOO_LONG
      if (!isBlank(line)) return line
    }
  }

  /** Counted rather than shifted, which takes time with the square of a long queue. */
  #nextReady(): string | Refused | undefined {
    if (this.#taken < this.#ready.length) return this.#ready[this.#taken++]
    this.#ready = []
    this.#taken = 0
    return undefined
  }

  /** Room grows by doubling: a line may come byte by byte. */
  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return
    const size = this.#partialBytes + bytes.length
    if (size > this.#limit) {
      this.#released()
      this.#skipping = true
      this.#fresh = false
      this.#ready.push(TOO_LONG)
      return
    }
    if (size > this.#partial.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, Math.min(this.#partial.length * 2, this.#limit)))
      this.#partial.copy(larger, 0, 0, this.#partialBytes)
      this.#partial = larger
    }
    bytes.copy(this.#partial, this.#partialBytes)
    this.#partialBytes = size
  }

  #released(): Buffer {
    const bytes = this.#partial.subarray(0, this.#partialBytes)
    this.#partial = EMPTY
    this.#partialBytes = 0
    return bytes
  }

  #afterSkipped(chunk: Buffer): Buffer {
    const end = chunk.indexOf(NEWLINE)
    if (end < 0) return chunk.subarray(chunk.length)
    this.#skipping = false
    return chunk.subarray(end + 1)
  }

  #accept(bytes: Buffer): void {
    const hasMark = this.#fresh && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    this.#fresh = false
    const plain = hasMark ? bytes.subarray(3) : bytes
    const text = textOf(plain)
    if (text === undefined) this.#acceptEach(plain)
    else this.#ready.push(text)
  }

  /** Only the lines that are not UTF-8 are refused, not their neighbours. */
  #acceptEach(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      const end = bytes.indexOf(NEWLINE, at) + 1
      const line = bytes.subarray(at, end)
      this.#ready.push(textOf(line) ?? (line.length > this.#limit + 1 ? TOO_LONG : NOT_UTF8))
      at = end
    }
  }

  #isLong(line: string): boolean {
    if (line.length * MOST_PER_UNIT <= this.#limit) return false
    return line.length > this.#limit || Buffer.byteLength(line) > this.#limit
  }
}

// What JSON takes for white space, and nothing else.
const isBlank = (line: string): boolean => (line.charCodeAt(0) <= 0x20 ? /^[ \t\r]*$/.test(line) : line === '')
