import { setMaxListeners } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Link } from '../../call.ts'
import { Calls } from '../../jsonrpc/calls.ts'
import { fault } from '../../jsonrpc/errors.ts'
import { close, newSession, shutDown } from '../../protocol/session.ts'
import { unreadable } from '../../errors/error-response.ts'
import type { Server } from '../../server.ts'
import { guardStderr } from '../../log/stderr.ts'
import { serialize } from '../serve/serve-message.ts'
import { parseText, serveValue } from '../serve/serve-value.ts'
import { InFlight } from '../limits/in-flight.ts'
import { Lines } from './lines.ts'
import type { Refused } from './lines.ts'
import { LineWriter } from './line-writer.ts'

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
  guardStderr()
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
  readonly #writer: LineWriter
  readonly #link: Link
  readonly #ending = new AbortController()
  readonly #inFlight = new InFlight()
  readonly #emptied: Promise<void>
  #held = 0
  #taken = 0
  #pumping = false
  #atEnd = false
  #end: () => void = () => {}
  #empty: () => void = () => {}

  constructor(server: Server, { lifecycle, direct = false }: StdioOptions, streams: Streams) {
    const { input, output, write, lines, maxLine } = streams
    this.#server = server
    this.#input = input
    this.#lines = lines
    this.#maxLine = maxLine
    this.#emptied = new Promise(resolve => (this.#empty = resolve))
    this.#writer = new LineWriter(
      output,
      write,
      () => this.#pump(),
      () => this.#broken(),
    )
    // Every request that listens for changes also listens for the end.
    setMaxListeners(0, this.#ending.signal)
    const send: Link['send'] = message => this.#writer.line(JSON.stringify(message))
    const session = newSession(crypto.randomUUID(), send)
    const strict = lifecycle !== 'lenient'
    this.#link = { transport: 'stdio', session, calls: new Calls(), strict, direct, signal: this.#ending.signal, send }
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
        this.#atEnd = true
        this.#pump()
        resolve()
      })
      if (signal?.aborted) resolve()
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  /** Lets what is in flight finish, cuts off what does not, and flushes. */
  async drain(ms: number): Promise<void> {
    const { session } = this.#link
    let clock: NodeJS.Timeout | undefined
    const late = new Promise<'late'>(resolve => (clock = setTimeout(resolve, ms, 'late')))
    // What came before the end is still served, though it may have to wait for room.
    if (this.#atEnd) await Promise.race([this.#emptied, late])
    if (session) shutDown(session)
    this.#ending.abort()
    await Promise.race([this.#inFlight.none(), late])
    this.#link.calls.cancelAll('The server is shutting down')
    if (session) close(session)
    await Promise.race([this.#writer.end(), late])
    clearTimeout(clock)
    this.#input.removeAllListeners('data').pause()
  }

  /** Takes lines while there is room for their answers; the rest waits in the buffer and in the pipe. */
  #pump(): void {
    if (this.#pumping) return
    while (this.#hasRoom()) {
      if (this.#taken === LINES_PER_TURN) return this.#pumpSoon()
      const line = this.#lines.next()
      if (line === undefined) return this.#atEnd ? this.#finish() : void this.#input.resume()
      this.#taken += 1
      if (typeof line !== 'string') this.#refuse(line)
      else {
        const answer = serveValue(this.#server, parseText(line), this.#link)
        if (answer instanceof Promise) this.#putLater(answer, line.length)
        else this.#put(answer)
      }
    }
    this.#input.pause()
  }

  /** In a microtask, since ticks would run before the answers do, and a ready input is read in ticks. */
  #pumpSoon(): void {
    this.#pumping = true
    this.#input.pause()
    queueMicrotask(() => {
      this.#pumping = false
      this.#taken = 0
      this.#pump()
    })
  }

  /** The client is gone and cannot answer our questions; their handlers get an error. */
  #finish(): void {
    this.#link.session?.peer.close(fault('internal', 'The client closed its side'))
    this.#empty()
  }

  #hasRoom(): boolean {
    // While a question of ours is open its answer must get through, whatever else is held.
    return !this.#writer.full && (this.#held <= HELD_CHARACTERS || this.#link.session?.peer.isWaiting === true)
  }

  /** Until its answer is written, a request holds its characters. */
  #putLater(answer: Promise<string | undefined>, characters: number): void {
    this.#held += characters
    this.#inFlight.begin()
    void answer.then(text => {
      this.#put(text)
      const wasHeld = this.#held > HELD_CHARACTERS
      this.#held -= characters
      this.#inFlight.end()
      if (wasHeld) this.#pump()
    })
  }

  #put(answer: string | undefined): void {
    if (answer !== undefined) this.#writer.line(answer)
  }

  #refuse({ refused }: Refused): void {
    const error =
      refused === 'too-long'
        ? fault('invalid-request', `Invalid Request: a line may be at most ${this.#maxLine} bytes long`, {
            maxBytes: this.#maxLine,
          })
        : fault('parse', 'Parse error', { detail: 'The line is not valid UTF-8' })
    this.#writer.line(serialize(unreadable({ id: undefined, error }, this.#link, this.#server), this.#server))
  }

  #broken(): void {
    this.#link.calls.cancelAll('The client is gone')
    this.#empty()
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
