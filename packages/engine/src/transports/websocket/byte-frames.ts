// A stream id, and the number of the frame.
const ID_BYTES = 16
const HEAD_BYTES = ID_BYTES + 8
const GUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const NO_ID = '0'.repeat(2 * ID_BYTES)

/** A binary frame, taken apart. */
export interface ByteFrame {
  /** The id of the stream, as `frameIdOf` has it. */
  readonly id: string
  readonly payload: Buffer
}

/** A stream id as it stands in frames, in hex: the first three groups of a GUID little-endian; zeros for any other id. */
export function frameIdOf(id: string): string {
  if (!GUID.test(id)) return NO_ID
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  bytes.subarray(0, 4).reverse()
  bytes.subarray(4, 6).reverse()
  bytes.subarray(6, 8).reverse()
  return bytes.toString('hex')
}

/** A binary frame: the id of its stream, its number in 8 bytes little-endian, and the payload. */
export function writeFrame(frameId: string, index: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + payload.length)
  frame.write(frameId, 'hex')
  frame.writeBigInt64LE(BigInt(index), ID_BYTES)
  frame.set(payload, HEAD_BYTES)
  return frame
}

/** Takes a binary frame apart; undefined for one that is too short to be one. */
export function readFrame(frame: Buffer): ByteFrame | undefined {
  if (frame.length < HEAD_BYTES) return undefined
  return { id: frame.toString('hex', 0, ID_BYTES), payload: frame.subarray(HEAD_BYTES) }
}
