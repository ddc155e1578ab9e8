import { EventEmitter, once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { serveStdio } from '@causeway/engine'
import type { Params, Server, StdioOptions } from '@causeway/engine'
import { ask, hello, tell } from './http-client.ts'
import type { ReceivedMessage } from './peer.ts'

/** The reader's end of the output: keeps what comes, and can stop taking it. */
export class Reader {
  readonly stream: Writable
  text = ''
  #shut = false
  #waiting: (() => void) | undefined
  readonly #arrivals = new EventEmitter().setMaxListeners(0)

  constructor(options: { highWaterMark?: number } = {}) {
    this.stream = new Writable({
      ...options,
      decodeStrings: false,
      write: (chunk: string, _encoding, done) => {
        const take = (): void => {
          this.text += chunk
          this.#arrivals.emit('text')
          done()
        }
        if (this.#shut) this.#waiting = take
        else take()
      },
    })
  }

  /** Take nothing more. */
  shut(): void {
    this.#shut = true
  }

  /** Take what was held up, and all that follows. */
  open(): void {
    this.#shut = false
    this.#waiting?.()
    this.#waiting = undefined
  }

  /** Everything that came, a message a line. */
  get said(): ReceivedMessage[] {
    return this.text
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line) as ReceivedMessage)
  }

  /** The first message that fits, once it is there. */
  async until(fits: (said: ReceivedMessage) => boolean): Promise<ReceivedMessage> {
    for (;;) {
      const found = this.said.find(fits)
      if (found) return found
      await once(this.#arrivals, 'text')
    }
  }

  answer(id: ReceivedMessage['id']): Promise<ReceivedMessage> {
    return this.until(said => said.id === id && said.method === undefined)
  }
}

/** A server on a pair of streams in this process. */
export class Pipe {
  readonly input: PassThrough = new PassThrough()
  readonly reader: Reader
  readonly done: Promise<void>
  isDone = false

  constructor(server: Server, options: StdioOptions = {}, reader: Reader = new Reader()) {
    this.reader = reader
    this.done = serveStdio(server, { input: this.input, output: reader.stream, ...options })
    void this.done.then(() => (this.isDone = true))
  }

  /** Say something that may not even be a message. */
  write(text: string | Uint8Array): void {
    this.input.write(text)
  }

  send(...messages: readonly object[]): void {
    this.write(messages.map(message => `${JSON.stringify(message)}\n`).join(''))
  }

  request(id: string | number, method: string, params?: Params): Promise<ReceivedMessage> {
    this.send(ask(id, method, params))
    return this.reader.answer(id)
  }

  call(id: string | number, name: string, args: Params = {}): Promise<ReceivedMessage> {
    return this.request(id, 'tools/call', { name, arguments: args })
  }

  async initialize(protocolVersion = '2025-11-25', capabilities: Params = {}): Promise<ReceivedMessage> {
    this.send(hello(protocolVersion, capabilities))
    const answer = await this.reader.answer('hello')
    this.send(tell('notifications/initialized'))
    return answer
  }

  /** The client closes its side; resolves when the server is done. */
  async end(): Promise<void> {
    this.input.end()
    await this.done
  }
}

/** Let everything that can go on by itself go on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate()
}
