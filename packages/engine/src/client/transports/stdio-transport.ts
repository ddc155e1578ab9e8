import type { Readable, Writable } from 'node:stream'
import type { Message, Request } from '../../jsonrpc/message.ts'
import { Lines } from '../../transports/stdio/lines.ts'
import { Pending } from './pending.ts'
import { ConnectionLost, IGNORING } from './transport.ts'
import type { RequestSink, ClientTransport, TransportListener } from './transport.ts'

/** What can be chosen about a pair of byte streams. */
export interface StdioTransportOptions {
  /** What the server writes. */
  readonly input: Readable
  /** What the server reads. */
  readonly output: Writable
  /** The longest message taken, in bytes. Default: 10 MB. */
  readonly maxMessage?: number
  /** Called once, to end whatever the streams belong to. */
  readonly end?: () => Promise<void>
}

// What may wait to be read by the server before requests are refused.
const MOST_WAITING = 64 * 1024 * 1024
const UNREAD = 'The server does not read what it is sent'
const LINES_PER_TURN = 256
// So many requests in flight leave at once each: the server works while we still put things away.
const FEW = 4

/** A server on the other end of two byte streams, a message a line. */
export class StdioTransport implements ClientTransport {
  readonly bound = false
  listener: TransportListener = IGNORING
  readonly #input: Readable
  readonly #output: Writable
  readonly #lines: Lines
  readonly #end: () => Promise<void>
  readonly #pending = new Pending()
  #text = ''
  #isHeld = false
  #over: Error | undefined

  constructor({ input, output, maxMessage = 10 * 1024 * 1024, end = async () => {} }: StdioTransportOptions) {
    this.#input = input
    this.#output = output
    this.#lines = new Lines(maxMessage)
    this.#end = end
  }

  async open(): Promise<void> {
    const over = (): void => this.#onLost(new ConnectionLost('The server closed its output'))
    this.#input.on('data', (chunk: Buffer) => {
      this.#lines.feed(chunk)
      this.#pump()
    })
    this.#input.once('end', over).once('close', over)
    this.#input.once('error', error => this.#onLost(new ConnectionLost(error.message)))
    this.#output.on('error', () => this.#onLost(new ConnectionLost('The server closed its input')))
    if (this.#input.readableEnded || this.#input.destroyed) over()
  }

  request(request: Request, sink: RequestSink): void {
    if (this.#over) return sink.onLost(this.#over, false)
    if (this.#isFull) return sink.onLost(new Error(UNREAD), false)
    this.#pending.add(request.id, sink)
    this.#write(JSON.stringify(request))
  }

  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return
    this.#isHeld = isHeld
    if (!isHeld) this.#pump()
  }

  cancel({ id }: Request): void {
    this.#pending.delete(id)
  }

  send(message: Message): void {
    if (this.#over) return
    if (this.#isFull) this.listener.onInvalid?.(`a message could not be sent: ${UNREAD}`)
    else this.#write(JSON.stringify(message))
  }

  get #isFull(): boolean {
    return this.#output.writableLength + this.#text.length > MOST_WAITING
  }

  async close(): Promise<void> {
    this.#flush()
    this.#onLost(new ConnectionLost('The connection was closed'), false)
    this.#output.end()
    await this.#end()
  }

  /** While there is much to do, what is written in one turn leaves together. */
  #write(line: string): void {
    if (this.#text !== '') this.#text += `${line}\n`
    else if (this.#pending.size > FEW) {
      this.#text = `${line}\n`
      setImmediate(() => this.#flush())
    } else if (this.#output.writable) this.#output.write(`${line}\n`)
  }

  #flush(): void {
    const text = this.#text
    this.#text = ''
    if (text !== '' && this.#output.writable) this.#output.write(text)
  }

  /** So many at a time, so that a server that floods its output does not hold up others. */
  #pump(): void {
    for (let taken = 0; taken < LINES_PER_TURN; taken++) {
      if (this.#isHeld) return void this.#input.pause()
      const line = this.#lines.next()
      if (line === undefined) return void this.#input.resume()
      if (typeof line === 'string') this.#pending.takeText(line, this.listener)
      else {
        this.listener.onInvalid?.(
          line.refused === 'too-long' ? 'a message that is too long' : 'a line that is not UTF-8',
        )
        this.#pending.untaken()
      }
    }
    this.#input.pause()
    setImmediate(() => this.#pump())
  }

  #onLost(why: Error, notifyListener = true): void {
    if (this.#over) return
    this.#over = why
    this.#pending.lose(why, true)
    if (notifyListener) this.listener.onClose(why)
  }
}
