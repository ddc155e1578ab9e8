import type { Readable } from 'node:stream'
import type { DataCallback, Disposable, Message, MessageReader } from 'vscode-jsonrpc/node'

/** What a language server may send. */
export interface FrameLimits {
  /** Bytes of one message. */
  readonly messageBytes: number
  /** Bytes and messages between two requests of ours. */
  readonly bytes: number
  readonly messages: number
}

const LIMITS: FrameLimits = { messageBytes: 32 * 1024 * 1024, bytes: 256 * 1024 * 1024, messages: 50_000 }
const HEADER_BYTES = 4096
const LENGTH = /^content-length:[ \t]*(\d{1,10})[ \t]*$/im
// All other notifications are of no use to us, and would only fill the queue.
const HEARD = new Set(['textDocument/publishDiagnostics', '$/progress'])

/** A language server broke the rules of the wire. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** Reads the messages of a language server, and breaks off where it sends what is malformed or too much. */
export class BoundedReader implements MessageReader {
  readonly #input: Readable
  readonly #limits: FrameLimits
  readonly #errors = new Set<(error: Error) => void>()
  #chunks: Buffer[] = []
  #held = 0
  /** Length of the body that is being read; undefined in a header. */
  #wanted: number | undefined
  #bytes = 0
  #messages = 0
  #broken = false

  constructor(input: Readable, limits: Partial<FrameLimits> = {}) {
    this.#input = input
    this.#limits = { ...LIMITS, ...limits }
  }

  readonly onError = (listener: (error: Error) => void): Disposable => {
    this.#errors.add(listener)
    return { dispose: () => void this.#errors.delete(listener) }
  }

  readonly onClose = (listener: () => void): Disposable => {
    this.#input.once('close', listener)
    return { dispose: () => void this.#input.off('close', listener) }
  }

  readonly onPartialMessage = (): Disposable => ({ dispose: () => {} })

  /** A request begins: what the server may send is counted anew. */
  renew(): void {
    this.#bytes = 0
    this.#messages = 0
  }

  listen(take: DataCallback): Disposable {
    const onData = (chunk: Buffer): void => {
      if (this.#broken) return
      try {
        this.#push(chunk, take)
      } catch (error) {
        this.#break(error instanceof Error ? error : new FrameError(String(error)))
      }
    }
    this.#input.on('data', onData)
    return { dispose: () => void this.#input.off('data', onData) }
  }

  dispose(): void {
    this.#broken = true
    this.#chunks = []
    this.#errors.clear()
  }

  #break(error: Error): void {
    const listeners = [...this.#errors]
    this.dispose()
    for (const listener of listeners) listener(error)
  }

  #push(chunk: Buffer, take: DataCallback): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#limits.bytes) throw new FrameError(`it sent more than ${this.#limits.bytes} bytes`)
    this.#chunks.push(chunk)
    this.#held += chunk.length
    while (!this.#broken && this.#step(take));
  }

  /** Read one header or one body, if all of it is there. */
  #step(take: DataCallback): boolean {
    if (this.#wanted === undefined) return this.#header()
    if (this.#held < this.#wanted) return false
    const body = this.#take(this.#wanted)
    this.#wanted = undefined
    this.#messages += 1
    if (this.#messages > this.#limits.messages)
      throw new FrameError(`it sent more than ${this.#limits.messages} messages`)
    const message = parsed(body)
    if (isHeard(message)) take(message)
    return true
  }

  #header(): boolean {
    const start = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks)
    this.#chunks = start.length === 0 ? [] : [start]
    const end = start.subarray(0, HEADER_BYTES).indexOf('\r\n\r\n')
    if (end < 0 && start.length < HEADER_BYTES) return false
    const length = end < 0 ? undefined : LENGTH.exec(start.subarray(0, end).toString('latin1'))?.[1]
    if (length === undefined) throw new FrameError('it sent a header without Content-Length')
    if (Number(length) > this.#limits.messageBytes) throw new FrameError(`it sent a message of ${length} bytes`)
    this.#take(end + 4)
    this.#wanted = Number(length)
    return true
  }

  #take(length: number): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks)
    const rest = all.subarray(length)
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#held = rest.length
    return all.subarray(0, length)
  }
}

function parsed(body: Buffer): Message & { readonly method?: unknown; readonly id?: unknown } {
  try {
    const message: unknown = JSON.parse(body.toString())
    if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message as Message
  } catch {
    // Said below.
  }
  throw new FrameError('it sent a message that is no JSON object')
}

const isHeard = ({ method, id }: { readonly method?: unknown; readonly id?: unknown }): boolean =>
  id !== undefined || (typeof method === 'string' && HEARD.has(method))
