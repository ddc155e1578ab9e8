import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { ClientOptions } from 'ws'
import type { Params } from '@causeway/engine'
import { hello, tell } from './http-client.ts'
import type { ReceivedMessage } from './peer.ts'

/** The headers of a handshake that ws would make. */
export const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
} as const

/** The client's end of a WebSocket. */
export class WsClient {
  readonly ws: WebSocket
  /** Every text frame so far. */
  readonly frames: string[] = []
  /** Every binary frame so far. */
  readonly bytes: Buffer[] = []
  /** Resolves with the code when the socket is closed. */
  readonly closed: Promise<number>
  /** Answers questions of the server's. */
  answer: ((asked: ReceivedMessage) => unknown) | undefined
  readonly #waiting = new Set<() => void>()
  #over = false

  constructor(url: string, protocols: string | string[] = 'mcp', options: ClientOptions = {}) {
    this.ws = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, protocols, options)
    this.ws.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.#take(data)
      else this.#onText(data.toString())
    })
    this.ws.on('error', () => {})
    this.closed = new Promise(resolve => {
      this.ws.once('close', code => {
        this.#over = true
        for (const look of this.#waiting) look()
        resolve(code)
      })
    })
  }

  /** A socket that is open. */
  static async open(url: string, protocols?: string | string[], options?: ClientOptions): Promise<WsClient> {
    const client = new WsClient(url, protocols, options)
    await once(client.ws, 'open')
    return client
  }

  /** Every message so far, those of batches too. */
  get received(): ReceivedMessage[] {
    return this.frames.flatMap(frame => JSON.parse(frame) as ReceivedMessage | ReceivedMessage[])
  }

  send(...messages: readonly unknown[]): void {
    for (const message of messages) this.ws.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  async initialize(version?: string, capabilities?: Params): Promise<ReceivedMessage> {
    this.send(hello(version, capabilities))
    const answer = await this.answered('hello')
    this.send(tell('notifications/initialized'))
    return answer
  }

  /** The first message that fits; rejects if the socket closes without one. */
  async until(fits: (message: ReceivedMessage) => boolean): Promise<ReceivedMessage> {
    const find = (): ReceivedMessage | undefined => this.received.find(fits)
    await this.reads(() => find() !== undefined)
    return find() as ReceivedMessage
  }

  /** The answer to that id. */
  answered(id: ReceivedMessage['id']): Promise<ReceivedMessage> {
    return this.until(message => message.method === undefined && message.id === id)
  }

  /** Resolves once that is so; rejects if the socket closes before. */
  reads(isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!isSo() && !this.#over) return
        this.#waiting.delete(look)
        if (isSo()) resolve()
        else reject(new Error(`The socket closed before that; it said: ${this.frames.join('\n').slice(0, 2000)}`))
      }
      this.#waiting.add(look)
      look()
    })
  }

  async close(): Promise<void> {
    this.ws.close()
    await this.closed
  }

  #take(frame: Buffer): void {
    this.bytes.push(frame)
    for (const look of this.#waiting) look()
  }

  #onText(text: string): void {
    this.frames.push(text)
    const value = JSON.parse(text) as ReceivedMessage | ReceivedMessage[]
    for (const message of [value].flat()) {
      if (message.method !== undefined && message.id !== undefined && this.answer) {
        this.send({ jsonrpc: '2.0', id: message.id, result: this.answer(message) })
      }
    }
    for (const look of this.#waiting) look()
  }
}
