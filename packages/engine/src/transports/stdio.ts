import type { Readable, Writable } from 'node:stream'
import type { Link } from '../call.ts'
import { Cancelled } from '../jsonrpc/cancellation.ts'
import { fault } from '../jsonrpc/errors.ts'
import { close, newSession, shutDown } from '../protocol/session.ts'
import { unreadable } from '../reply.ts'
import type { Server } from '../server.ts'
import { answerText, serialize } from './answer.ts'
import { Lines } from './lines.ts'
import type { Refused } from './lines.ts'
import { Outlet } from './outlet.ts'

/** What can be chosen about serving a pipe. */
export interface StdioOptions {
  readonly input?: Readable
  readonly output?: Writable
  /** The longest line taken, in bytes. Default: 10 MB. */
  readonly maxLine?: number
  /** `strict` (the default) refuses what comes before the handshake is complete. */
  readonly lifecycle?: 'strict' | 'lenient'
  /** Let a tool's name be called as a method. */
  readonly direct?: boolean
  /** How long work in flight may take to finish at the end. Default: 30 s. */
  readonly drainMs?: number
  /** Ends the service: nothing new is taken, what is in flight finishes. */
  readonly signal?: AbortSignal
}

// After so many lines the answers get their turn, so that a blocked output is noticed.
const LINES_PER_TURN = 32
// What requests in flight may hold before reading pauses.
const HELD_CHARACTERS = 64 * 1024 * 1024

/** Serve one peer over a pair of byte streams, a message a line, until the input ends or the signal says so. */
export async function serveStdio(server: Server, options: StdioOptions = {}): Promise<void> {
  const { input = process.stdin, output = process.stdout, maxLine = 10 * 1024 * 1024, drainMs = 30_000 } = options
  const write = output.write
  const restore = output === process.stdout ? protectStdout() : undefined
  const pipe = new Pipe(server, options, { input, output, write, lines: new Lines(maxLine), maxLine })
  try {
    await pipe.ended(options.signal)
    await pipe.drain(drainMs)
  } finally {
    restore?.()
  }
}

interface Streams {
  readonly input: Readable
  readonly output: Writable
  readonly write: Writable['write']
  readonly lines: Lines
  readonly maxLine: number
}

class Pipe {
  readonly #server: Server
  readonly #input: Readable
  readonly #lines: Lines
  readonly #maxLine: number
  readonly #outlet: Outlet
  readonly #link: Link
  readonly #ending = new AbortController()
  readonly #inFlight = new Set<Promise<void>>()
  #held = 0
  #pumping = false
  #end: () => void = () => {}

  constructor(server: Server, { lifecycle, direct = false }: StdioOptions, streams: Streams) {
    const { input, output, write, lines, maxLine } = streams
    this.#server = server
    this.#input = input
    this.#lines = lines
    this.#maxLine = maxLine
    this.#outlet = new Outlet(
      output,
      write,
      () => this.#pump(),
      () => this.#broken(),
    )
    const send: Link['send'] = message => this.#outlet.line(JSON.stringify(message))
    const session = newSession(crypto.randomUUID(), send)
    const strict = lifecycle !== 'lenient'
    this.#link = { transport: 'stdio', session, calls: new Map(), strict, direct, signal: this.#ending.signal, send }
  }

  /** Serves until the input ends, the output breaks, or the signal aborts. */
  ended(signal: AbortSignal | undefined): Promise<void> {
    return new Promise(resolve => {
      this.#end = resolve
      this.#input.on('data', (chunk: Buffer) => {
        this.#lines.feed(chunk)
        this.#pump()
      })
      this.#input.once('error', () => resolve())
      this.#input.once('end', () => {
        this.#lines.end()
        this.#pump()
        // Nobody is left to answer our questions; their handlers hear so and finish.
        if (this.#link.session) this.#link.session.peer.close(fault('internal', 'The client closed its side'))
        resolve()
      })
      if (signal?.aborted) resolve()
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  /** Lets what is in flight finish, cuts off what does not, and flushes. */
  async drain(ms: number): Promise<void> {
    const { session } = this.#link
    if (session) shutDown(session)
    this.#ending.abort()
    const late = new Promise<'late'>(resolve => void setTimeout(resolve, ms, 'late').unref())
    while (this.#inFlight.size > 0) {
      if ((await Promise.race([Promise.all(this.#inFlight), late])) === 'late') break
    }
    for (const cancellation of this.#link.calls.values())
      cancellation.cancel(new Cancelled('The server is shutting down'))
    if (session) close(session)
    await Promise.race([this.#outlet.end(), late])
    this.#input.removeAllListeners('data').pause()
  }

  /** Takes lines while there is room for their answers; the rest waits in the buffer and in the pipe. */
  #pump(): void {
    if (this.#pumping) return
    for (let taken = 0; this.#hasRoom(); taken++) {
      if (taken === LINES_PER_TURN) return this.#pumpSoon()
      const line = this.#lines.next()
      if (line === undefined) return void this.#input.resume()
      if (typeof line === 'string') this.#take(line)
      else this.#refuse(line)
    }
    this.#input.pause()
  }

  #pumpSoon(): void {
    this.#pumping = true
    this.#input.pause()
    process.nextTick(() => {
      this.#pumping = false
      this.#pump()
    })
  }

  #hasRoom(): boolean {
    // While a question of ours is open its answer must get through, whatever else is held.
    return !this.#outlet.full && (this.#held <= HELD_CHARACTERS || this.#link.session?.peer.isWaiting === true)
  }

  #take(line: string): void {
    this.#held += line.length
    const work = answerText(this.#server, line, this.#link).then(answer => {
      if (answer !== undefined) this.#outlet.line(answer)
      const wasHeld = this.#held > HELD_CHARACTERS
      this.#held -= line.length
      this.#inFlight.delete(work)
      if (wasHeld) this.#pump()
    })
    this.#inFlight.add(work)
  }

  #refuse({ refused }: Refused): void {
    const why =
      refused === 'too-long'
        ? fault('invalid-request', `Invalid Request: a line may be at most ${this.#maxLine} bytes long`, {
            maxBytes: this.#maxLine,
          })
        : fault('parse', 'Parse error', { detail: 'The line is not valid UTF-8' })
    this.#outlet.line(serialize(unreadable(undefined, why, this.#link), this.#server))
  }

  #broken(): void {
    for (const cancellation of this.#link.calls.values()) cancellation.cancel(new Cancelled('The client is gone'))
    this.#end()
  }
}

/** From here on stdout carries the protocol only: a stray `console.log` goes to stderr. */
function protectStdout(): () => void {
  const own = process.stdout.write
  process.stdout.write = process.stderr.write.bind(process.stderr)
  return () => {
    process.stdout.write = own
  }
}
