// A stream id, and the number of the frame.
const ID_BYTES = 16
const HEAD_BYTES = ID_BYTES + 8
const GUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const GROUPS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/
const NO_ID = '0'.repeat(2 * ID_BYTES)

/** A binary frame, taken apart. */
export interface ByteFrame {
  /** The id of the stream, as `frameIdOf` has it. */
  readonly id: string
  /** Its number. */
  readonly index: number
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

/** The GUID that a frame names; turning its groups round twice is turning them back. */
export const streamIdOf = (frameId: string): string => guid(frameIdOf(guid(frameId)))

const guid = (hex: string): string => hex.replace(GROUPS, '$1-$2-$3-$4-$5')

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
  const index = Number(frame.readBigInt64LE(ID_BYTES))
  return { id: frame.toString('hex', 0, ID_BYTES), index, payload: frame.subarray(HEAD_BYTES) }
}
