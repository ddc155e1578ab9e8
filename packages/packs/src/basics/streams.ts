import { streamTool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'

const GREETING = Buffer.from('Hello from binary stream!')
const PIECE = 5

/** Counts the bytes that come in. */
export const binaryStreamsIn: Tool = streamTool(
  {
    name: 'system_binary_streams_in',
    title: 'Binary Stream In',
    description: 'Takes a binary stream over WebSocket and reports how many bytes and chunks came',
    stream: 'in',
    readOnly: true,
    openWorld: false,
  },
  async (_, __, incoming) => {
    let bytesReceived = 0
    let chunks = 0
    for await (const { length } of incoming) {
      bytesReceived += length
      chunks += 1
    }
    return { bytesReceived, chunks, message: 'Binary stream received' }
  },
)

/** Sends a greeting in pieces of five bytes. */
export const binaryStreamsOut: Tool = streamTool(
  {
    name: 'system_binary_streams_out',
    title: 'Binary Stream Out',
    description: 'Sends a greeting as a binary stream over WebSocket',
    stream: 'out',
    sends: { method: 'result.data' },
    readOnly: true,
    openWorld: false,
  },
  async function* () {
    for (let at = 0; at < GREETING.length; at += PIECE) yield GREETING.subarray(at, at + PIECE)
    return { totalBytes: GREETING.length, message: 'Binary stream sent' }
  },
)

/** Sends back every piece that comes in. */
export const binaryStreamsDuplex: Tool = streamTool(
  {
    name: 'system_binary_streams_duplex',
    title: 'Binary Stream Duplex',
    description: 'Echoes a binary stream over WebSocket, chunk by chunk',
    stream: 'duplex',
    sends: { method: 'result_echo' },
    readOnly: true,
    openWorld: false,
  },
  async function* (_, __, incoming) {
    let bytes = 0
    for await (const piece of incoming) {
      bytes += piece.length
      yield piece
    }
    return {
      sent: { echoed: true, bytesSent: bytes },
      received: { bytesReceived: bytes, bytesSent: bytes, message: 'Binary stream echoed' },
    }
  },
)
