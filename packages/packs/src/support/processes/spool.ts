const SMALLEST = 4096

/** Keeps what is pushed, up to so many bytes of JSON; of more than that, the beginning and the end. */
export class Spool {
  readonly #limit: number
  readonly #half: number
  #head = Buffer.alloc(0)
  #headSize = 0
  #tail: Buffer | undefined
  #tailSize = 0

  constructor(limit: number) {
    this.#limit = limit
    this.#half = Math.max(1, Math.floor(limit / 2))
  }

  push(chunk: Buffer): void {
    const room = this.#half - this.#headSize
    if (room > 0) this.#toHead(chunk.subarray(0, room))
    if (chunk.length > room) this.#toTail(chunk.subarray(Math.max(0, room)))
  }

  /** Everything, or the beginning and the end with a note of what is missing. */
  text(bytes: number = this.#limit): string {
    const tail = this.#end()
    return fitted(this.#head.subarray(0, this.#headSize), tail, this.#tailSize - tail.length, bytes)
  }

  #toHead(bytes: Buffer): void {
    const size = this.#headSize + bytes.length
    if (size > this.#head.length) {
      const larger = Buffer.alloc(Math.min(this.#half, Math.max(SMALLEST, size * 2)))
      this.#head.copy(larger, 0, 0, this.#headSize)
      this.#head = larger
    }
    bytes.copy(this.#head, this.#headSize)
    this.#headSize = size
  }

  /** A ring: what comes writes over what is oldest. */
  #toTail(bytes: Buffer): void {
    const half = this.#half
    const tail = (this.#tail ??= Buffer.alloc(half))
    const last = bytes.subarray(Math.max(0, bytes.length - half))
    const at = (this.#tailSize + bytes.length - last.length) % half
    const fits = last.copy(tail, at)
    last.copy(tail, 0, fits)
    this.#tailSize += bytes.length
  }

  #end(): Buffer {
    const tail = this.#tail ?? Buffer.alloc(0)
    if (this.#tailSize <= this.#half) return tail.subarray(0, this.#tailSize)
    const at = this.#tailSize % this.#half
    return Buffer.concat([tail.subarray(at), tail.subarray(0, at)])
  }
}

/** The text, or so much of its beginning and end as fits into so many bytes of JSON. */
export function clip(text: string, bytes: number): string {
  // No character takes more than six bytes.
  if (text.length * 6 + 2 <= bytes) return text
  const all = Buffer.from(text)
  const half = all.length >> 1
  return fitted(all.subarray(0, half), all.subarray(half), 0, bytes)
}

function fitted(head: Buffer, tail: Buffer, dropped: number, most: number): string {
  let [text, first, last, missing] = [whole(head, tail, dropped), head, tail, dropped]
  for (let size = sizeOf(text); size > most && first.length + last.length > 0; size = sizeOf(text)) {
    // A little less than the proportion says, since the note takes room too.
    const share = Math.min(0.99, (most / size) * 0.95)
    const [before, after] = [first.length + last.length, Math.floor(Math.max(0, last.length * share))]
    first = first.subarray(0, Math.floor(first.length * share))
    last = last.subarray(last.length - after)
    missing += before - first.length - last.length
    text = whole(first, last, missing)
  }
  return text
}

const sizeOf = (text: string): number => Buffer.byteLength(JSON.stringify(text))

function whole(head: Buffer, tail: Buffer, dropped: number): string {
  if (dropped === 0) return Buffer.concat([head, tail]).toString()
  const note = `\n\n[… ${dropped} bytes left out; this is the beginning and the end …]\n\n`
  return head.subarray(0, wholeEnd(head)).toString() + note + tail.subarray(wholeStart(tail)).toString()
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Where the last whole character ends. */
export function wholeEnd(bytes: Buffer): number {
  let start = bytes.length - 1
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start--
  const lead = bytes[start] ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return start + length > bytes.length ? Math.max(0, start) : bytes.length
}

/** Where the first whole character begins. */
export function wholeStart(bytes: Buffer): number {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start++
  return start
}
