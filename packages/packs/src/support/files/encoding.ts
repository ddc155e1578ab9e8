import { isUtf8 } from 'node:buffer'

/** How a text is stored. Windows-1252 is ISO 8859-1 with signs where that has control characters. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** A text, and how it was stored; a mark of the byte order is its first character. */
export interface Decoded {
  readonly text: string
  readonly encoding: Encoding
}

/** So many bytes at the beginning say what a file is. */
export const SNIFFED: number = 8192
// Of texts in one byte per letter at most so much is not ASCII; what has more is no Latin script, or no text.
const MOST_HIGH = 0.5
// A letter of a Latin script has a zero in the same half of each pair; of other scripts there are too few to tell.
const LEAST_ZEROS = 0.4
// Of fewer pairs the zeros say nothing.
const FEWEST_PAIRS = 8

/** How a text is stored that begins with these bytes; undefined if they are no text. `isWhole` says that nothing follows. */
export function encodingOf(bytes: Uint8Array, isWhole: boolean = bytes.length < SNIFFED): Encoding | undefined {
  const head = bytes.subarray(0, SNIFFED)
  const wide = wideEncoding(head)
  if (wide) return wide
  if (head.includes(0)) return undefined
  if (isUtf8(isWhole ? bytes : withoutEnd(head))) return 'utf-8'
  return isLatin(head) ? 'windows-1252' : undefined
}

/** UTF-16 by its mark, or by where its zeros are. */
function wideEncoding(head: Uint8Array): Encoding | undefined {
  if (startsWith(head, [0xff, 0xfe])) return startsWith(head, [0xff, 0xfe, 0, 0]) ? undefined : 'utf-16le'
  if (startsWith(head, [0xfe, 0xff])) return 'utf-16be'
  const pairs = head.length >> 1
  if (pairs < FEWEST_PAIRS) return undefined
  const [even, odd] = [zerosIn(head, 0), zerosIn(head, 1)]
  const encoding = even === 0 ? 'utf-16le' : 'utf-16be'
  if (Math.min(even, odd) > 0 || Math.max(even, odd) <= pairs * LEAST_ZEROS) return undefined
  return hasControls(head, even === 0 ? 0 : 1) ? undefined : encoding
}

const startsWith = (head: Uint8Array, mark: readonly number[]): boolean => mark.every((byte, i) => head[i] === byte)

/** How many zeros are in one half of the pairs. */
function zerosIn(head: Uint8Array, from: number): number {
  let count = 0
  for (let i = from; i < head.length - (head.length & 1); i += 2) if (head[i] === 0) count++
  return count
}

/** Is there, in one half of the pairs, a control character that no text has? */
function hasControls(head: Uint8Array, from: number): boolean {
  for (let i = from; i < head.length; i += 2) if (isControl(head[i]!) && head[i ^ 1] === 0) return true
  return false
}

const isControl = (byte: number): boolean => (byte < 32 && !(byte >= 8 && byte <= 13) && byte !== 27) || byte === 127

function isLatin(head: Uint8Array): boolean {
  let high = 0
  for (const byte of head) {
    if (isControl(byte)) return false
    if (byte > 127) high++
  }
  return high <= head.length * MOST_HIGH
}

/** The last character may be cut in two. */
function withoutEnd(head: Uint8Array): Uint8Array {
  let end = head.length
  while (end > 0 && end > head.length - 4 && (head[end - 1]! & 0xc0) === 0x80) end--
  return head.subarray(0, end > 0 && head[end - 1]! >= 0xc0 ? end - 1 : head.length)
}

/** A whole text; undefined if the bytes are none. */
export function decode(bytes: Uint8Array): Decoded | undefined {
  const encoding = encodingOf(bytes, true)
  if (encoding === undefined) return undefined
  try {
    if (encoding === 'windows-1252') return { text: fromLatin(bytes), encoding }
    return { text: new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes), encoding }
  } catch {
    return undefined
  }
}

// What the decoder of Node makes of these bytes depends on its version.
const SIGNS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ'
const BYTE_OF: ReadonlyMap<string, number> = new Map([
  ...Array.from({ length: 96 }, (_, i): [string, number] => [String.fromCharCode(160 + i), 160 + i]),
  ...Array.from(SIGNS, (sign, i): [string, number] => [sign, 128 + i]),
])

const fromLatin = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replaceAll(/[\u0080-\u009F]/g, sign => SIGNS[sign.charCodeAt(0) - 128]!)

/** Decodes a text that comes in pieces, keeping the mark of the byte order; what fits nowhere becomes a sign that says so. */
export function piecewise(encoding: Encoding): (bytes?: Uint8Array) => string {
  if (encoding === 'windows-1252') return (bytes = new Uint8Array()) => fromLatin(bytes)
  const decoder = new TextDecoder(encoding, { ignoreBOM: true })
  return bytes => (bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode())
}

/** A text in the encoding that it had; an error names the first character that it has none for. */
export function encode({ text, encoding }: Decoded): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le')
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16()
  const bytes = Buffer.alloc(text.length)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const byte = code < 128 ? code : BYTE_OF.get(text[i]!)
    if (byte === undefined)
      throw new Error(
        `The file is stored in Latin-1 (windows-1252), which has no character '${String.fromCodePoint(text.codePointAt(i) ?? 0)}'. ` +
          'Leave it out, or write the whole file with write_file, which stores UTF-8.',
      )
    bytes[i] = byte
  }
  return bytes
}

const NAMES: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16, little-endian',
  'utf-16be': 'UTF-16, big-endian',
  'windows-1252': 'Latin-1 (windows-1252)',
}

/** What an encoding is called. */
export const nameOf = (encoding: Encoding): string => NAMES[encoding]
