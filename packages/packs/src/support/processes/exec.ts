import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { fault } from '@causeway/engine'
import { within } from '@causeway/engine/internal'
import { Guardian, MARK, forget, reap, remember, signalGroup } from '@causeway/engine/process'
import type { Group } from '@causeway/engine/process'
import { codeOf } from '../files/errno.ts'
import { quote } from '../quote.ts'
import { Spool } from './spool.ts'

/** A program to run, without a shell, in a process group of its own. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Its whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** What it reads; default: nothing. */
  readonly input?: string | undefined
  /** Ends it, and everything it started. */
  readonly signal?: AbortSignal | undefined
  /** Longest it may run. */
  readonly timeoutMs?: number | undefined
  /** When its time is up, return what it wrote so far, instead of an error. */
  readonly partial?: boolean
  /** Bytes of JSON kept of each output stream; of more, the beginning and the end. Default: 1 MB. */
  readonly keep?: number | undefined
  /** The most memory it may have, as address space (Linux); beyond that its allocations fail. Default: no limit. */
  readonly memoryBytes?: number | undefined
  /** May start what outlives it: then that is looked for, and ended, beyond the process group too. */
  readonly wild?: boolean
  /** Takes what it writes as it comes. */
  readonly onBytes?: ((bytes: Buffer, stream: 'stdout' | 'stderr') => void) | undefined
  /** Hears whole lines as they come. */
  readonly onLines?: ((lines: readonly string[], stream: 'stdout' | 'stderr') => void) | undefined
}

/** What became of it. */
export interface Outcome {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Was it stopped since its time was up? */
  readonly late: boolean
  readonly stdout: string
  readonly stderr: string
  /** The same, of a stream, in fewer bytes of JSON. */
  cut(stream: 'stdout' | 'stderr', bytes: number): string
}

type Child = ChildProcessByStdio<Writable | null, Readable, Readable>

const KEEP = 1024 * 1024
// From the polite signal to the other one.
const GRACE_MS = 1000
// What a pipe may still hold when its writers are gone is read at once; longer means someone escaped with it.
const FLUSH_MS = 1000
const LONGEST_LINE = 64 * 1024

// Ends commands that may start what outlives them, should this process be killed.
const guardian = new Guardian({ graceSeconds: 0 })

/** Run a program to its end; when this settles, nothing it started in its group is left. */
export async function run(command: Command): Promise<Outcome> {
  const { program, args, env, signal, keep = KEEP, wild = false } = command
  signal?.throwIfAborted()
  if ([program, ...args].some(word => word.includes('\0'))) throw new Error('A command cannot contain NUL')
  const spools = { stdout: new Spool(keep), stderr: new Spool(keep) }
  const cut: Outcome['cut'] = (stream, bytes) => spools[stream].text(bytes)
  const mark = wild ? crypto.randomUUID() : undefined
  if (mark !== undefined) guardian.mark(mark)
  try {
    const child = start(command, mark === undefined ? env : { ...env, [MARK]: mark })
    if (!hasStreams(child)) throw await reasonOf(child, command)
    collect(child, 'stdout', spools.stdout, command)
    collect(child, 'stderr', spools.stderr, command)
    const { code, ended, late } = await lifetime(child, command, mark)
    return { code, signal: ended, late, stdout: cut('stdout', keep), stderr: cut('stderr', keep), cut }
  } finally {
    if (mark !== undefined) guardian.unmark(mark)
    // Nothing of ours runs between commands.
    if (guardian.isIdle) void guardian.close()
  }
}

function start(command: Command, env: Readonly<Record<string, string>>): Child {
  const { cwd, input } = command
  const [program, ...args] = withinMemory(command)
  const detached = process.platform !== 'win32'
  try {
    const plain = { cwd, env, detached, windowsHide: true } as const
    if (input === undefined) return spawn(program, args, { ...plain, stdio: ['ignore', 'pipe', 'pipe'] })
    const child = spawn(program, args, { ...plain, stdio: ['pipe', 'pipe', 'pipe'] })
    // One that ends before it has read all says so by its exit code.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
    return child
  } catch (error) {
    throw error instanceof Error ? notStarted(error, command) : error
  }
}

// A shell sets the limit for itself and becomes the program.
function withinMemory({ program, args, memoryBytes }: Command): [string, ...string[]] {
  if (memoryBytes === undefined || process.platform !== 'linux') return [program, ...args]
  return ['/bin/sh', '-c', `ulimit -v ${Math.floor(memoryBytes / 1024)} && exec "$0" "$@"`, program, ...args]
}

const hasStreams = (child: Partial<Child>): boolean => child.stdout !== undefined && child.stderr !== undefined

/** Without descriptors to be had a child has no streams, and the reason comes as an event a moment later. */
const reasonOf = (child: Child, command: Command): Promise<Error> =>
  new Promise(resolve => void child.once('error', error => resolve(notStarted(error, command))))

interface Ended {
  readonly code: number | null
  readonly ended: NodeJS.Signals | null
}

async function lifetime(child: Child, command: Command, mark: string | undefined): Promise<Ended & { late: boolean }> {
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  const exited = new Promise<Ended>((resolve, reject) => {
    child.once('exit', (code, ended) => resolve({ code, ended }))
    child.once('error', error => reject(notStarted(error, command)))
  })
  if (child.pid === undefined) return { ...(await exited), late: false }
  const group: Group = { pid: child.pid, mark }
  remember(group)
  if (mark !== undefined) guardian.watch(-group.pid)
  const stopping = stopper(group, command)
  try {
    const end = await exited
    await reap(group)
    await within(closed, FLUSH_MS, () => undefined)
    return { ...end, late: stopping.check() }
  } finally {
    stopping.done()
    child.stdout.destroy()
    child.stderr.destroy()
    forget(group)
    guardian.release(-group.pid)
  }
}

/** Ends the group when the call is cancelled, or its time is up. */
function stopper(
  group: Group,
  { program, timeoutMs, signal, partial = false }: Command,
): { readonly check: () => boolean; readonly done: () => void } {
  let why: unknown
  let isLate = false
  let harder: NodeJS.Timeout | undefined
  const stop = (reason: unknown): void => {
    if (why !== undefined) return
    why = reason
    signalGroup(group, 'SIGTERM')
    harder = setTimeout(() => signalGroup(group, 'SIGKILL'), GRACE_MS)
  }
  const abort = (): void => stop(signal?.reason ?? new Error('Cancelled'))
  const late = (): void => {
    isLate = why === undefined
    const words = `${quote(program)} was stopped after ${(timeoutMs ?? 0) / 1000} s`
    stop(fault('timeout', words, { timeoutMs }, { hint: 'Ask for less, or raise the limit.' }))
  }
  const clock = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs)
  signal?.addEventListener('abort', abort, { once: true })
  return {
    check: () => {
      if (why !== undefined && !(partial && isLate)) throw why
      return isLate
    },
    done: () => {
      clearTimeout(clock)
      clearTimeout(harder)
      signal?.removeEventListener('abort', abort)
    },
  }
}

function notStarted(error: Error, { program }: Command): Error {
  const code = codeOf(error)
  if (code === 'ENOENT') return new Error(`Program ${quote(program)} was not found`, { cause: error })
  if (code === 'EACCES') return new Error(`Program ${quote(program)} cannot be executed`, { cause: error })
  if (code === 'EMFILE' || code === 'ENFILE' || code === 'EAGAIN') return busy(error, program, code)
  if (code === 'E2BIG') return new Error(`The arguments of ${quote(program)} are too long`, { cause: error })
  return new Error(`Program ${quote(program)} could not be started: ${code ?? error.message}`, { cause: error })
}

const busy = (error: Error, program: string, code: string): Error =>
  new Error(
    `Program ${quote(program)} could not be started: the system has no room for it now (${code}); try again later`,
    {
      cause: error,
    },
  )

function collect(child: Child, stream: 'stdout' | 'stderr', spool: Spool, { onBytes, onLines }: Command): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  child[stream].on('error', () => {})
  child[stream].on('data', (chunk: Buffer) => {
    spool.push(chunk)
    onBytes?.(chunk, stream)
    if (!onLines) return
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LONGEST_LINE) lines.push(rest.slice(0, LONGEST_LINE))
    if (rest.length > LONGEST_LINE) rest = ''
    if (lines.length > 0) onLines(lines, stream)
  })
  child[stream].on('end', () => {
    const last = rest + decoder.end()
    if (last !== '') onLines?.([last], stream)
  })
}
