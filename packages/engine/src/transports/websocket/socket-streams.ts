import type { ByteSink, ByteStream, Link, StreamInfo, StreamSummary } from '../../call.ts'
import { Calls } from '../../jsonrpc/calls.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { cut, isObject } from '../../jsonrpc/message.ts'
import type { Params, Request, Response } from '../../jsonrpc/message.ts'
import type { Server } from '../../server.ts'
import { frameIdOf, readFrame, streamIdOf, writeFrame } from './byte-frames.ts'
import { IncomingBytes } from './incoming-bytes.ts'
import { isStreamMessage, streamMessage } from './stream-messages.ts'
import type { StreamError, StreamMessage } from './stream-messages.ts'
import { UnknownStreams } from './unknown-streams.ts'

/** How much the streams of one socket may be. */
export interface StreamLimits {
  /** Streams of bytes open at once on one WebSocket. Default: 16. */
  readonly maxStreamsPerSocket?: number
  /** How long a tool waits for the next bytes of a stream. Default: 30 s. */
  readonly streamIdleMs?: number
}

/** The socket, as its streams see it. */
export interface StreamSocket {
  readonly server: Server
  readonly link: Link
  send(text: string): void
  /** Resolves when the connection has taken the bytes. */
  sendBytes(frame: Buffer): Promise<void>
  /** Its streams hold so many bytes more, or less. */
  hold(difference: number): void
  close(code: number, reason: string): void
}

interface OpenStream {
  readonly id: string
  readonly frameId: string
  readonly isBinary: boolean
  /** The socket is not closed after it. */
  readonly keepOpen: boolean
  readonly incoming: IncomingBytes
  readonly calls: Calls
  /** How many frames came. */
  received: number
  hasBegun: boolean
  isOver: boolean
  summary: StreamSummary | undefined
}

const MOST = 16
const IDLE_MS = 30_000
const LONGEST_ID = 200
const LARGEST_PIECE = 64 * 1024
const NORMAL = 1000
const TOOL_ERROR = 1011
// What the receiver of a stream finds wrong.
const STREAM_FAULT = -32000
const INVALID_PARAMS = -32602
const INTERNAL = -32603

/** The streams of one WebSocket: control messages and frames in, tools run, control messages and frames out. */
export class SocketStreams {
  readonly #socket: StreamSocket
  readonly #most: number
  readonly #idleMs: number
  readonly #open = new Map<string, OpenStream>()
  readonly #unknown = new UnknownStreams()
  #started = 0
  #hasFailed = false

  constructor(socket: StreamSocket, { maxStreamsPerSocket = MOST, streamIdleMs = IDLE_MS }: StreamLimits) {
    this.#socket = socket
    this.#most = maxStreamsPerSocket
    this.#idleMs = streamIdleMs
  }

  get size(): number {
    return this.#open.size
  }

  /** False for what is no message of a stream; a promise while the tool that it started runs. */
  take(value: unknown): Promise<void> | boolean {
    const { server } = this.#socket
    if (isDirectStart(value, server))
      return this.#start(String(value.id), { method: value.method, arguments: value.params })
    if (!isStreamMessage(value)) return false
    if (value.type === 'start') return this.#start(value.id, isObject(value.meta) ? value.meta : {})
    const stream = this.#open.get(value.id)
    if (stream) this.#control(stream, value)
    else this.#refuseUnknown(cut(value.id, LONGEST_ID))
    return true
  }

  /** A binary frame; one that belongs to no stream is answered with an error. */
  takeBytes(frame: Buffer): void {
    const found = readFrame(frame)
    if (!found)
      return this.#refuseUnknown('', 'A binary frame begins with the id of its stream and its number, 24 bytes')
    const stream = this.#streamOf(found.id)
    if (!stream) return this.#refuseUnknown(streamIdOf(found.id))
    if (!stream.isBinary)
      return this.#fail(stream, 'A binary frame came on a text stream. Start it with "binary": true')
    this.#push(stream, found.payload, found.index)
  }

  /** The socket is closed. */
  end(): void {
    for (const stream of this.#open.values()) this.#stop(stream, 'The client closed its socket')
  }

  /** Frames of the only stream that there ever was need not name it rightly: some clients write ids in another order. */
  #streamOf(frameId: string): OpenStream | undefined {
    for (const stream of this.#open.values()) if (stream.frameId === frameId || this.#started === 1) return stream
    return undefined
  }

  #control(stream: OpenStream, { type, data, index }: StreamMessage): void {
    if (type === 'done') stream.incoming.end()
    else if (type === 'cancel') this.#fail(stream, 'Stream cancelled', false)
    else if (type === 'error') this.#stop(stream, 'The client cancelled the stream')
    else if (stream.isBinary) this.#fail(stream, 'A text chunk came on a binary stream. Send binary frames')
    else this.#push(stream, Buffer.from(typeof data === 'string' ? data : (JSON.stringify(data) ?? '')), index)
  }

  #push(stream: OpenStream, piece: Buffer, index: unknown): void {
    if (stream.isOver) return
    const expected = stream.received++
    if (stream.incoming.isEnded) this.#fail(stream, 'Data came after done')
    else if (index !== undefined && index !== expected)
      this.#fail(stream, `A frame has the number ${cut(JSON.stringify(index), 20)}, but ${expected} comes next`)
    else stream.incoming.push(piece)
  }

  #refuseUnknown(id: string, message = 'There is no such stream: begin one with a message of the type "start"'): void {
    if (!this.#unknown.isNew(id)) return
    this.#socket.send(streamMessage(id, { type: 'error', error: { code: STREAM_FAULT, message } }))
  }

  #start(id: string, meta: Params): Promise<void> | boolean {
    const refusal = this.#refusalOf(id, meta)
    if (refusal) {
      this.#socket.send(streamMessage(cut(id, LONGEST_ID), { type: 'error', error: refusal }))
      return true
    }
    const stream = this.#opened(id, meta)
    const { server, link } = this.#socket
    const params = { name: meta.method, arguments: meta.arguments ?? {}, _meta: { stream: meta } }
    const request: Request = { jsonrpc: '2.0', id, method: 'tools/call', params }
    const answer = server.handle(request, { ...link, calls: stream.calls, stream: this.#bytesOf(stream) })
    if (answer instanceof Promise) return answer.then(response => this.#finish(stream, response))
    this.#finish(stream, answer)
    return true
  }

  #refusalOf(id: string, { method }: Params): StreamError | undefined {
    if (typeof method !== 'string') {
      return { code: INVALID_PARAMS, message: 'Invalid params: "meta.method" must be the name of a tool that streams' }
    }
    if (id.length > LONGEST_ID) {
      return { code: INVALID_PARAMS, message: `Invalid params: "id" may have ${LONGEST_ID} characters at most` }
    }
    if (this.#open.has(id)) return { code: STREAM_FAULT, message: `The stream '${id}' is open already. Use a new id` }
    if (this.#open.size < this.#most) return undefined
    return { code: STREAM_FAULT, message: `Too many streams: at most ${this.#most} are open at once on one socket` }
  }

  #opened(id: string, { binary, keepOpen }: Params): OpenStream {
    const stream: OpenStream = {
      id,
      frameId: frameIdOf(id),
      isBinary: binary !== false,
      keepOpen: keepOpen === true,
      incoming: new IncomingBytes({
        idleMs: this.#idleMs,
        onIdle: () => this.#fail(stream, `Stream timeout: nothing came for ${this.#idleMs / 1000} s`),
        onHeld: difference => this.#socket.hold(difference),
      }),
      calls: new Calls(),
      received: 0,
      hasBegun: false,
      isOver: false,
      summary: undefined,
    }
    this.#open.set(id, stream)
    this.#started += 1
    return stream
  }

  #bytesOf(stream: OpenStream): ByteStream {
    return {
      incoming: stream.incoming,
      begin: () => void (stream.hasBegun = true),
      open: info => this.#sink(stream, info),
      finish: summary => void (stream.summary = summary),
    }
  }

  #sink(stream: OpenStream, { mime = 'application/octet-stream', ...info }: StreamInfo): ByteSink {
    const id = crypto.randomUUID()
    const frameId = frameIdOf(id)
    let index = 0
    const checkOpen = (): void => {
      if (stream.isOver) throw new RpcError(STREAM_FAULT, 'The stream is over')
    }
    checkOpen()
    this.#socket.send(streamMessage(id, { type: 'start', meta: { ...info, mime, binary: true } }))
    return {
      write: async bytes => {
        for (let at = 0; at < bytes.length; at += LARGEST_PIECE) {
          checkOpen()
          await this.#socket.sendBytes(writeFrame(frameId, index++, bytes.subarray(at, at + LARGEST_PIECE)))
        }
      },
      end: summary => {
        checkOpen()
        this.#socket.send(streamMessage(id, { type: 'done', summary }))
      },
    }
  }

  /** Say what is wrong with a stream, and give it up. */
  #fail(stream: OpenStream, message: string, isFailure = true): void {
    if (stream.isOver) return
    this.#say(stream, { code: STREAM_FAULT, message })
    if (isFailure) this.#hasFailed = true
    this.#stop(stream, message)
  }

  /** No more messages are sent for it, and its tool is notified. */
  #stop(stream: OpenStream, why: string): void {
    stream.isOver = true
    stream.incoming.fail(new RpcError(STREAM_FAULT, why))
    stream.calls.cancelAll(why)
  }

  #finish(stream: OpenStream, response: Response | undefined): void {
    const error = response && errorIn(response)
    if (!stream.isOver && error) {
      this.#say(stream, error)
      if (stream.hasBegun) this.#hasFailed = true
    } else if (!stream.isOver && stream.summary) {
      this.#socket.send(streamMessage(stream.id, { type: 'done', summary: stream.summary }))
    }
    this.#stop(stream, 'The stream is over')
    this.#open.delete(stream.id)
    this.#unknown.remember(stream.id, streamIdOf(stream.frameId))
    if (stream.hasBegun && !stream.keepOpen) this.#closeIfLast()
  }

  /** As clients of this protocol expect; but not while other streams or calls are going on. */
  #closeIfLast(): void {
    if (this.#open.size > 0 || this.#socket.link.calls.size > 0) return
    if (this.#hasFailed) this.#socket.close(TOOL_ERROR, 'Tool error')
    else this.#socket.close(NORMAL, 'Tool complete')
  }

  #say({ id }: OpenStream, error: StreamError): void {
    this.#socket.send(streamMessage(id, { type: 'error', error }))
  }
}

/** A request by the name of a tool that streams starts a stream under its id. */
function isDirectStart(
  value: unknown,
  server: Server,
): value is { id: string | number; method: string; params?: unknown } {
  if (!isObject(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string') return false
  return (typeof value.id === 'string' || typeof value.id === 'number') && server.streams(value.method)
}

/** What went wrong, where a tool's failure is a result that a model reads, too. */
function errorIn(response: Response): StreamError | undefined {
  if ('error' in response) return response.error
  const { result } = response
  if (!isObject(result) || result.isError !== true) return undefined
  const [block] = Array.isArray(result.content) ? (result.content as unknown[]) : []
  return { code: INTERNAL, message: isObject(block) && typeof block.text === 'string' ? block.text : 'The tool failed' }
}
