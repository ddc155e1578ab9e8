import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { isObject } from '@causeway/engine/internal'
import { UsageError } from '../config/usage-error.ts'

/** The first line that a client of the daemon sends. */
export type Greeting = { readonly want: 'attach' | 'status' | 'stop'; readonly version: string }

/** The line that the daemon answers with, once it serves. */
export type Welcome =
  | { readonly is: 'attached'; readonly pid: number }
  /** It is another version: it takes no clients any more, and ends with those that it has. */
  | { readonly is: 'retiring'; readonly version: string }
  | { readonly is: 'failed'; readonly message: string; readonly exit: number }
  | { readonly is: 'stopping'; readonly pid: number }
  | ({ readonly is: 'running' } & DaemonStatus)

/** What a daemon says of itself. */
export interface DaemonStatus {
  readonly pid: number
  readonly version: string
  readonly clients: number
  readonly flags: readonly string[]
  readonly folder: string
  readonly seconds: number
}

const LONGEST_LINE = 64 * 1024

/** A connection to a socket; undefined if no process listens there. */
export function connectTo(socket: string): Promise<Socket | undefined> {
  return new Promise((done, failed) => {
    const connection = connect({ path: socket, allowHalfOpen: true })
    connection.once('connect', () => done(connection.removeAllListeners('error')))
    connection.once('error', (error: NodeJS.ErrnoException) => {
      const isGone = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '')
      if (isGone) done(undefined)
      else failed(error)
    })
  })
}

/** The first line of a connection as JSON; undefined if it ends before, or says something else. What follows stays unread. */
export function firstLine(connection: Socket): Promise<unknown> {
  return new Promise(done => {
    let text = Buffer.alloc(0)
    const finish = (value: unknown): void => {
      connection.off('data', take).off('end', gone).off('close', gone).off('error', gone)
      connection.pause()
      done(value)
    }
    const gone = (): void => finish(undefined)
    const take = (chunk: Buffer): void => {
      text = Buffer.concat([text, chunk])
      const end = text.indexOf(10)
      if (end < 0) return text.length > LONGEST_LINE ? gone() : undefined
      finish(parsed(text.subarray(0, end).toString('utf8')))
      if (end + 1 < text.length) connection.unshift(text.subarray(end + 1))
    }
    connection.on('data', take).on('end', gone).on('close', gone).on('error', gone)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Who attaches waits until the daemon serves, and so until its servers have started.
const ATTACHED_MS = 120_000
const ANSWERED_MS = 10_000

/** What a daemon answers to a greeting; undefined if it ends without an answer. One that does not answer in time is an error. */
export async function greet(
  connection: Socket,
  greeting: Greeting,
  ms: number = greeting.want === 'attach' ? ATTACHED_MS : ANSWERED_MS,
): Promise<Welcome | undefined> {
  let isLate = false
  const clock = setTimeout(() => {
    isLate = true
    connection.destroy()
  }, ms)
  connection.on('error', () => {})
  connection.write(`${JSON.stringify(greeting)}\n`)
  const answer = await firstLine(connection)
  clearTimeout(clock)
  if (isLate)
    throw new UsageError(`The daemon has not answered within ${ms / 1000} s. If it is stopped, end its process.`, 1)
  return isObject(answer) && typeof answer.is === 'string' ? (answer as unknown as Welcome) : undefined
}

/** The greeting of a client; undefined if it is none. */
export async function greetingOf(connection: Socket): Promise<Greeting | undefined> {
  const line = await firstLine(connection)
  if (!isObject(line) || typeof line.version !== 'string') return undefined
  const { want, version } = line
  return want === 'attach' || want === 'status' || want === 'stop' ? { want, version } : undefined
}
