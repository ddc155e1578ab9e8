import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import { HeldBytes } from '../limits/byte-budget.ts'
import type { ByteBudget } from '../limits/byte-budget.ts'

// What may wait to be read by the client before nothing more is read from it.
const HIGH_WATER_MARK = 1024 * 1024
// A piece of input may hold many frames: so many are begun before it is seen how much their answers are.
const AT_ONCE = 32
// What a socket may hold without asking: a little more than one piece of input.
const FREE = 128 * 1024
// The head of a control frame from a client, with its mask.
const CONTROL_HEAD = 6

/** What becomes of the frames. */
export interface FrameHandlers {
  onText(text: string): Promise<void> | undefined
  onBytes(frame: Buffer): void
}

/** Frames of one WebSocket: taken while there is room for their answers, and all it holds is counted. */
export class SocketPump {
  /** Did it answer the last ping? */
  isAlive = true
  readonly #ws: WebSocket
  readonly #handlers: FrameHandlers
  readonly #held: HeldBytes
  #frames: (string | Buffer)[] = []
  #begun = 0
  #isCut = false
  /** Bytes of a message whose end has not come. */
  #unfinished = 0
  /** Bytes of control frames in the piece of input that is being read. */
  #control = 0
  /** Characters of frames that wait, or whose answer has not been sent. */
  #open = 0
  /** Bytes of streams that wait until their tools read them. */
  #streamed = 0

  constructor(ws: WebSocket, socket: Duplex, budget: ByteBudget, handlers: FrameHandlers) {
    this.#ws = ws
    this.#handlers = handlers
    this.#held = new HeldBytes(budget, FREE)
    ws.on('message', (data: RawData, isBinary: boolean) => {
      this.#unfinished = 0
      this.#take(isBinary ? bytesOf(data) : bytesOf(data).toString('utf8'))
    })
    ws.on('ping', (data: Buffer) => {
      this.#control += data.length + CONTROL_HEAD
      ws.pong(data, false, () => this.#run())
      this.#run()
    })
    ws.on('pong', (data: Buffer) => {
      this.isAlive = true
      this.#control += data.length + CONTROL_HEAD
    })
    ws.on('close', () => this.#cut())
    // After the socket's own listener, so that what a piece of input completed is known.
    socket.on('data', (chunk: Buffer) => {
      this.#unfinished = Math.max(0, this.#unfinished + chunk.length - this.#control)
      this.#control = 0
      this.#count()
    })
  }

  send(text: string): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return
    this.#ws.send(text, () => this.#run())
    this.#count()
    if (this.#isBlocked) this.#ws.pause()
  }

  /** Send bytes; resolves when the connection has taken them, rejects where it is gone. */
  sendBytes(frame: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ws.send(frame, error => {
        this.#run()
        // In a turn of its own: a reader that keeps up would leave none for others.
        if (error) reject(error)
        else setImmediate(resolve)
      })
      this.#count()
    })
  }

  /** Streams hold so many bytes more, or less: while they hold too many, nothing more is read. */
  hold(difference: number): void {
    const wasFull = this.isFull
    this.#streamed += difference
    if (wasFull && !this.isFull) this.#run()
    else this.#count()
    if (this.isFull) this.#ws.pause()
  }

  /** Do tools read their streams more slowly than they come? Then pongs are not read either. */
  get isFull(): boolean {
    return this.#streamed > HIGH_WATER_MARK
  }

  get #isBlocked(): boolean {
    return this.#ws.bufferedAmount > HIGH_WATER_MARK
  }

  #take(frame: string | Buffer): void {
    this.#frames.push(frame)
    this.#open += frame.length
    this.#count()
    this.#run()
  }

  /** Begin what waits, if there is room; else nothing more is read until there is. */
  #run(): void {
    while (this.#frames.length > 0 && !this.#isBlocked && !this.isFull) {
      if (this.#begun === AT_ONCE) {
        this.#begun += 1
        setImmediate(() => this.#nextTurn())
      }
      if (this.#begun > AT_ONCE) break
      this.#begun += 1
      this.#begin(this.#frames.shift() ?? '')
    }
    this.#count()
    if (this.#frames.length > 0 || this.#isBlocked || this.isFull) this.#ws.pause()
    else if (this.#ws.isPaused) this.#ws.resume()
  }

  #begin(frame: string | Buffer): void {
    const done = (): void => {
      this.#open -= frame.length
      this.#count()
    }
    if (typeof frame !== 'string') {
      done()
      return this.#handlers.onBytes(frame)
    }
    const work = this.#handlers.onText(frame)
    if (work) void work.then(done)
    else done()
  }

  /** A socket that would hold more than there is room for, over all connections, is cut off. */
  #count(): void {
    if (this.#isCut || this.#held.set(this.#unfinished + this.#open + this.#streamed + this.#ws.bufferedAmount)) return
    this.#cut()
    this.#ws.terminate()
  }

  /** What it held is free for others at once. */
  #cut(): void {
    this.#isCut = true
    this.#frames = []
    this.#held.release()
  }

  #nextTurn(): void {
    this.#begun = 0
    this.#run()
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}
