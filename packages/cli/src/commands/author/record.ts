import { appendFileSync, chmodSync, existsSync, writeFileSync } from 'node:fs'
import type { Id, Message } from '@causeway/engine'
import { Lines, isObject } from '@causeway/engine/internal'
import type { Args } from '../../config/args.ts'
import { readConfig } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { withCredentials } from '../../login/open-credentials.ts'
import { unusable } from '../../remote/connect.ts'
import { commandTarget, urlTarget } from '../../remote/target.ts'
import type { RemoteTarget } from '../../remote/target.ts'
import { complain, printExact } from '../../terminal/print.ts'
import { Normaliser } from '../../transcript/normaliser.ts'
import { isMessage, problemOf, valueIn } from '../../transcript/messages.ts'
import { MOST_BYTES, fileText, isHead } from '../../transcript/transcript.ts'
import type { Entry } from '../../transcript/transcript.ts'
import { WireConnection } from '../../transcript/wire-connection.ts'

// As long as the longest message that a server of ours takes by default.
const LONGEST_LINE = 10 * 1024 * 1024
// What waits for the client to read it, or for the server to answer it, in bytes: the one at which it is held up, and the most.
const ENOUGH_HELD = 1024 * 1024
const MOST_HELD = 64 * 1024 * 1024
const LOST = -32000
const INVALID_REQUEST = -32600
// After a client is gone, how long answers that are on their way may take.
const LAST_MS = 1_000

/** Stand between a client on standard input and output and a server, and keep what both say. */
export async function record(args: Args): Promise<number> {
  const out = args.given.get('out')?.at(-1)
  if (out === undefined) throw new UsageError(`--out FILE says where to keep it. Usage: ${args.command.usage}`)
  return withCredentials(readConfig(args), async credentials => {
    const url = args.given.get('url')?.at(-1)
    if ((url === undefined) === (args.positionals.length === 0))
      throw new UsageError(`Name a command after --, or --url URL. Usage: ${args.command.usage}`)
    const remote = url === undefined ? commandTarget(args.positionals, args) : urlTarget(url, args, credentials)
    return relay(remote, new Recording(out, remote.shown))
  })
}

/** A transcript that is being written, a message at a time, so that whatever ends the process leaves what was said. */
class Recording {
  readonly #file: string
  readonly #normaliser = new Normaliser()
  #bytes = 0

  constructor(file: string, server: string) {
    this.#file = file
    if (existsSync(file) && !isTranscript(file))
      throw new UsageError(`${file} exists and is no transcript. Choose another file.`, 1)
    const head = new Normaliser().entry({ from: 'client', message: { server } as unknown as Message }).message
    try {
      writeFileSync(file, `${JSON.stringify({ transcript: 1, ...head })}\n`, { mode: 0o600 })
      // One that is replaced keeps its mode.
      chmodSync(file, 0o600)
    } catch (error) {
      throw new UsageError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`, 5)
    }
  }

  keep(from: Entry['from'], message: Message): void {
    if (this.#bytes > MOST_BYTES) return
    if (!isMessage(message))
      return complain(`causeway: a message of the ${from} was not recorded: ${problemOf(message)}`)
    const line = `${JSON.stringify(this.#normaliser.entry({ from, message }))}\n`
    this.#bytes += line.length
    if (this.#bytes > MOST_BYTES) return complain(`causeway: ${this.#file} is full; what follows is not recorded`)
    try {
      appendFileSync(this.#file, line)
    } catch (error) {
      this.#bytes = Number.POSITIVE_INFINITY
      complain(`causeway: ${this.#file} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

function isTranscript(file: string): boolean {
  try {
    return isHead(valueIn(fileText(file).split('\n', 1)[0] ?? ''))
  } catch {
    return false
  }
}

/** Pass on what both sides say until one of them leaves. */
async function relay(remote: RemoteTarget, recording: Recording): Promise<number> {
  const { stdin, stdout } = process
  const waiting = new Map<Id, number>()
  let size = 0
  const holdUp = backPressure()
  const settle = (id: Id): void => {
    size -= waiting.get(id) ?? 0
    if (waiting.delete(id) && size < MOST_HELD && stdin.isPaused()) stdin.resume()
  }
  let end = (_why?: Error): void => {}
  const ended = new Promise<Error | undefined>(resolve => (end = resolve))
  const toClient = (message: Message): void => {
    recording.keep('server', message)
    if ('id' in message && !('method' in message)) settle(message.id as Id)
    void printExact(JSON.stringify(message))
    if (stdout.writableLength > MOST_HELD) return end(new Error('the client does not read what the server says'))
    holdUp(connection)
  }
  const connection = new WireConnection(remote.target, {
    onMessage: toClient,
    onLost: (id, why) => toClient({ jsonrpc: '2.0', id, error: { code: LOST, message: why.message } }),
    onClose: end,
  })
  try {
    await connection.open()
  } catch (error) {
    throw unusable(remote, error)
  }
  const fromClient = (message: Message): void => {
    recording.keep('client', message)
    if ('id' in message && 'method' in message && !waiting.has(message.id)) {
      const { length } = JSON.stringify(message)
      waiting.set(message.id, length)
      size += length
      // A server that does not answer is sent no more for now.
      if (size > MOST_HELD) stdin.pause()
    }
    connection.send(message)
  }
  readMessages(fromClient, () => void finish(waiting).then(() => end()))
  const why = await ended
  await connection.close()
  if (why) complain(`causeway: ${remote.shown} ended: ${why.message}`)
  return why ? 1 : 0
}

/** Holds up the server while the client does not read. */
function backPressure(): (connection: WireConnection) => void {
  const { stdout } = process
  let isHeld = false
  return connection => {
    // What was read already may still be told meanwhile, which waits for the same.
    if (isHeld || stdout.writableLength < ENOUGH_HELD || !connection.hold(true)) return
    isHeld = true
    stdout.once('drain', () => {
      isHeld = false
      connection.hold(false)
    })
  }
}

/** What was asked may still be answered. */
async function finish(waiting: ReadonlyMap<Id, number>): Promise<void> {
  const late = performance.now() + LAST_MS
  while (waiting.size > 0 && performance.now() < late) await new Promise(resolve => void setTimeout(resolve, 10))
}

function readMessages(onMessage: (message: Message) => void, onEnd: () => void): void {
  const lines = new Lines(LONGEST_LINE)
  const take = (): void => {
    for (let line = lines.next(); line !== undefined; line = lines.next()) {
      const read = typeof line === 'string' ? messageIn(line) : refused(undefined, 'it is too long, or no text')
      if (read) onMessage(read)
    }
  }
  process.stdin.on('data', (chunk: Buffer) => {
    lines.feed(chunk)
    take()
  })
  process.stdin.once('end', () => {
    lines.end()
    take()
    onEnd()
  })
}

function messageIn(line: string): Message | undefined {
  let value: unknown
  try {
    value = valueIn(line)
  } catch (error) {
    return refused(undefined, (error as Error).message)
  }
  const problem = problemOf(value)
  return problem === undefined ? (value as Message) : refused(value, problem)
}

/** What is no message is not passed on; a client that waits for an answer gets one. */
function refused(value: unknown, problem: string): undefined {
  const message = `This message was not passed on: ${problem}`
  complain(`causeway: ${message}`)
  const id = isObject(value) && value.method !== undefined ? value.id : undefined
  if (typeof id === 'string' || Number.isSafeInteger(id))
    void printExact(JSON.stringify({ jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message } }))
}
