import { WsClient } from './ws-client.ts'

/** A control message of the streaming protocol. */
export interface Control {
  readonly type: 'start' | 'chunk' | 'done' | 'error' | 'cancel'
  readonly id: string
  readonly timestamp: string
  readonly meta?: Readonly<Record<string, unknown>>
  readonly summary?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A GUID as .NET writes it: the first three groups little-endian. Written by hand, so that it checks ours. */
export function guidBytes(guid: string): Buffer {
  const [a = '', b = '', c = '', d = '', e = ''] = guid.split('-')
  const swapped = [a, b, c].map(group => (group.match(/../g) ?? []).toReversed().join(''))
  return Buffer.from([...swapped, d, e].join(''), 'hex')
}

/** A binary frame. */
export function frameOf(id: string, index: number, payload: Uint8Array): Buffer {
  const number = Buffer.alloc(8)
  number.writeUInt32LE(index)
  return Buffer.concat([guidBytes(id), number, payload])
}

/** The client's end of a WebSocket on which bytes are streamed. */
export class StreamClient {
  readonly socket: WsClient
  readonly #indexes = new Map<string, number>()

  constructor(socket: WsClient) {
    this.socket = socket
  }

  static async open(url: string): Promise<StreamClient> {
    return new StreamClient(await WsClient.open(url))
  }

  get messages(): Control[] {
    return this.socket.frames.map(frame => JSON.parse(frame) as Control).filter(({ type }) => type !== undefined)
  }

  /** Starts a stream, and gives its id. */
  start(method: unknown, meta: object = {}, id: string = crypto.randomUUID()): string {
    this.control('start', id, { meta: { method, binary: true, ...meta } })
    return id
  }

  control(type: Control['type'], id: string, rest: object = {}): void {
    this.socket.send({ type, id, timestamp: new Date().toISOString(), ...rest })
  }

  /** Sends a binary frame; resolves when the connection has taken it. */
  send(id: string, payload: Uint8Array): Promise<void> {
    const index = this.#indexes.get(id) ?? 0
    this.#indexes.set(id, index + 1)
    return new Promise(resolve => this.socket.ws.send(frameOf(id, index, payload), () => resolve()))
  }

  /** The first control message that fits. */
  async until(fits: (message: Control) => boolean): Promise<Control> {
    await this.socket.reads(() => this.messages.some(fits))
    return this.messages.find(fits) as Control
  }

  /** The end of the stream of that id. */
  end(id: string): Promise<Control> {
    return this.until(message => message.id === id && (message.type === 'done' || message.type === 'error'))
  }

  /** The payloads of the frames of that stream, in order; a gap in their numbers throws. */
  payloads(id: string): Buffer[] {
    const own = this.socket.bytes.filter(frame => frame.subarray(0, 16).equals(guidBytes(id)))
    return own.map((frame, i) => {
      if (frame.readBigInt64LE(16) !== BigInt(i))
        throw new Error(`Frame ${i} has the number ${frame.readBigInt64LE(16)}`)
      return frame.subarray(24)
    })
  }
}
