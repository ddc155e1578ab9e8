import type { FileHandle } from 'node:fs/promises'
import { SNIFFED, encodingOf, piecewise } from '../../support/files/encoding.ts'
import type { Encoding } from '../../support/files/encoding.ts'

/** Which lines of a text to take. */
export interface Wanted {
  /** The first line, counted from 1. */
  readonly first: number
  readonly count: number
  /** The last so many lines instead. */
  readonly tail?: number | undefined
  /** Characters of a line that are kept. */
  readonly longest: number
  /** Bytes of JSON that the lines may take. */
  readonly bytes: number
  /** Count the lines before a tail, which takes reading all of them. */
  readonly numbered: boolean
  readonly signal: AbortSignal
}

/** Lines of a text, each with its end. */
export interface Lines {
  readonly lines: readonly string[]
  /** The number of the first one; 0 if it was not counted. */
  readonly first: number
  /** The number of the next line, if there is one. */
  readonly next: number | undefined
  /** The numbers of lines that were cut. */
  readonly cut: readonly number[]
  /** How the text is stored, if not in UTF-8. */
  readonly encoding?: Encoding
}

const CHUNK = 64 * 1024
const NEWLINE = 10
const MOST_BYTES_OF_A_CHARACTER = 4

/** Read some lines without reading what comes after them; undefined if the bytes are no text. */
export async function readLines(file: FileHandle, size: number, wanted: Wanted): Promise<Lines | undefined> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(SNIFFED), 0, SNIFFED, 0)
  const encoding = encodingOf(buffer.subarray(0, bytesRead), size <= SNIFFED)
  if (encoding === undefined) return undefined
  const found = encoding === 'utf-8' ? await readUtf8(file, size, wanted) : undefined
  // What is odd far behind the beginning makes a text no UTF-8 either.
  return found ?? (await readOther(file, encoding === 'utf-8' ? 'windows-1252' : encoding, wanted))
}

/** A text in another encoding: it is read from the beginning, also to find its last lines. */
async function readOther(file: FileHandle, encoding: Encoding, wanted: Wanted): Promise<Lines | undefined> {
  const { tail, signal } = wanted
  if (tail === undefined) return inEncoding(await collected(translated(file, encoding, signal), wanted), encoding)
  let [count, isOpen] = [0, false]
  for await (const chunk of translated(file, encoding, signal)) {
    for (let i = chunk.indexOf(NEWLINE); i >= 0; i = chunk.indexOf(NEWLINE, i + 1)) count++
    if (chunk.length > 0) isOpen = chunk.at(-1) !== NEWLINE
  }
  const part = { ...wanted, first: Math.max(1, count + (isOpen ? 1 : 0) - tail + 1), count: tail }
  return inEncoding(await collected(translated(file, encoding, signal), part), encoding)
}

const inEncoding = (lines: Lines | undefined, encoding: Encoding): Lines | undefined => lines && { ...lines, encoding }

/** The bytes of a text as UTF-8, whatever they are in the file. */
async function* translated(file: FileHandle, encoding: Encoding, signal: AbortSignal): AsyncGenerator<Buffer> {
  const take = piecewise(encoding)
  for await (const chunk of chunks(file, 0, signal)) yield Buffer.from(take(chunk))
  yield Buffer.from(take())
}

async function readUtf8(file: FileHandle, size: number, wanted: Wanted): Promise<Lines | undefined> {
  if (wanted.tail === undefined) return linesFrom(file, 0, wanted)
  const at = await startOfTail(file, size, wanted.tail, wanted.signal)
  const first = wanted.numbered ? 1 + (await newlines(file, at, wanted.signal)) : 0
  const found = await linesFrom(file, at, { ...wanted, first: 1, count: wanted.tail })
  const shift = (line: number): number => (first === 0 ? line : line + first - 1)
  return found && { ...found, first, next: found.next && shift(found.next), cut: found.cut.map(shift) }
}

/** The bytes of a file from some place on, up to another. */
async function* chunks(file: FileHandle, from: number, signal: AbortSignal, to = Infinity): AsyncGenerator<Buffer> {
  for (let at = from; at < to;) {
    signal.throwIfAborted()
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, Math.min(CHUNK, to - at), at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

const linesFrom = (file: FileHandle, from: number, wanted: Wanted): Promise<Lines | undefined> =>
  collected(chunks(file, from, wanted.signal), wanted)

async function collected(bytes: AsyncIterable<Buffer>, wanted: Wanted): Promise<Lines | undefined> {
  const collector = new LineCollector(wanted)
  for await (const chunk of bytes) {
    if (collector.push(chunk)) break
  }
  return collector.result()
}

/** Keeps the lines that are wanted of bytes that come in pieces. */
class LineCollector {
  readonly #wanted: Wanted
  readonly #lines: string[] = []
  readonly #cut: number[] = []
  #pieces: Buffer[] = []
  /** Bytes of the line that is being read: all of them, and those that are kept. */
  #length = 0
  #held = 0
  #line = 1
  #size = 2
  #next: number | undefined
  #isText = true

  constructor(wanted: Wanted) {
    this.#wanted = wanted
  }

  /** Take more bytes; true: no more are needed. */
  push(chunk: Buffer): boolean {
    for (let from = 0; from < chunk.length && this.#isText;) {
      if (this.#line >= this.#wanted.first + this.#wanted.count) this.#next = this.#line
      if (this.#next !== undefined) return true
      const newline = chunk.indexOf(NEWLINE, from)
      const end = newline < 0 ? chunk.length : newline + 1
      if (this.#line >= this.#wanted.first) this.#hold(chunk.subarray(from, end))
      if (newline >= 0) this.#end(true)
      from = end
    }
    return !this.#isText || this.#next !== undefined
  }

  result(): Lines | undefined {
    if (this.#length > 0 && this.#next === undefined) this.#end(false)
    const { first } = this.#wanted
    return this.#isText ? { lines: this.#lines, first, next: this.#next, cut: this.#cut } : undefined
  }

  #hold(bytes: Buffer): void {
    // Room for the longest line there may be, and its end.
    const room = (this.#wanted.longest + 2) * MOST_BYTES_OF_A_CHARACTER - this.#held
    this.#length += bytes.length
    if (room <= 0) return
    const part = bytes.subarray(0, room)
    this.#pieces.push(part)
    this.#held += part.length
  }

  #end(hasNewline: boolean): void {
    if (this.#line >= this.#wanted.first) this.#take(hasNewline)
    this.#pieces = []
    this.#length = 0
    this.#held = 0
    this.#line++
  }

  #take(hasNewline: boolean): void {
    const bytes = Buffer.concat(this.#pieces, this.#held)
    const isWhole = this.#held === this.#length
    const text = decoded(isWhole ? bytes : bytes.subarray(0, wholeEnd(bytes)))
    if (text === undefined) {
      this.#isText = false
      return
    }
    const { longest, bytes: most } = this.#wanted
    const isCut = !isWhole || text.trimEnd().length > longest
    const line = isCut ? `${shortened(text, longest)}…${hasNewline ? '\n' : ''}` : text
    this.#size += Buffer.byteLength(JSON.stringify(line)) - 2
    if (this.#size > most && this.#lines.length > 0) {
      this.#next = this.#line
      return
    }
    if (isCut) this.#cut.push(this.#line)
    this.#lines.push(line)
  }
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Not in the middle of a pair that makes one character. */
const shortened = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/** Where the last whole character ends. */
function wholeEnd(bytes: Buffer): number {
  let start = bytes.length - 1
  while (start > 0 && start > bytes.length - MOST_BYTES_OF_A_CHARACTER && (bytes[start]! & 0xc0) === 0x80) start--
  return Math.max(0, start)
}

/** Where the last lines begin: read backwards, so that it takes no longer for a large file. */
async function startOfTail(file: FileHandle, size: number, count: number, signal: AbortSignal): Promise<number> {
  // A newline at the very end ends the last line, and begins no other.
  let [left, end] = [count, size]
  for (let isLast = true; end > 0; isLast = false) {
    signal.throwIfAborted()
    const start = Math.max(0, end - CHUNK)
    const { bytesRead, buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
    const bytes = buffer.subarray(0, bytesRead)
    for (let i = bytes.length - (isLast ? 2 : 1); i >= 0; i--) {
      if (bytes[i] === NEWLINE && --left === 0) return start + i + 1
    }
    end = start
  }
  return 0
}

async function newlines(file: FileHandle, to: number, signal: AbortSignal): Promise<number> {
  let count = 0
  for await (const chunk of chunks(file, 0, signal, to)) {
    for (let i = chunk.indexOf(NEWLINE); i >= 0; i = chunk.indexOf(NEWLINE, i + 1)) count++
  }
  return count
}
