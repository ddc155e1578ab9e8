import { wholeEnd, wholeStart } from '../../support/processes/spool.ts'

/** A part of an output, and where the next one begins. */
export interface Part {
  readonly text: string
  /** Where it begins, in bytes from the beginning of the output. */
  readonly from: number
  readonly next: number
}

/** Keeps the last so many bytes of an output, and knows where in the whole of it they stand. */
export class OutputRing {
  readonly #most: number
  #chunks: Buffer[] = []
  #kept = 0
  #total = 0

  constructor(most: number) {
    this.#most = most
  }

  /** How many bytes there were in all. */
  get total(): number {
    return this.#total
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length
    this.#kept += chunk.length
    // A copy: the chunk may be a part of a larger buffer that would be kept alive.
    this.#chunks.push(Buffer.from(chunk))
    while (this.#kept > this.#most) this.#drop(this.#kept - this.#most)
    if (this.#chunks.length > 1000) this.#chunks = [Buffer.concat(this.#chunks)]
  }

  #drop(bytes: number): void {
    const [first] = this.#chunks
    if (!first) return
    if (first.length <= bytes) this.#chunks.shift()
    else this.#chunks[0] = Buffer.from(first.subarray(bytes))
    this.#kept -= Math.min(bytes, first.length)
  }

  /** What stands at an offset, or as much of it as is still there; a negative one counts from the end. */
  read(offset: number, limit: number, isOver: boolean): Part {
    const start = this.#total - this.#kept
    const wanted = offset < 0 ? this.#total + offset : offset
    const at = Math.min(Math.max(wanted, start), this.#total)
    const bytes = Buffer.concat(this.#chunks).subarray(at - start, at - start + limit)
    // In the middle of the output a character may be cut; the next part has it whole.
    const skipped = at === wanted && offset >= 0 ? 0 : wholeStart(bytes)
    const isLast = at + bytes.length === this.#total
    // A limit smaller than a character must not stand still; an unfinished one at the end may still be finished.
    const end = isLast && isOver ? bytes.length : wholeEnd(bytes) || (isLast ? 0 : bytes.length)
    return { text: bytes.subarray(skipped, end).toString(), from: at + skipped, next: at + end }
  }
}
