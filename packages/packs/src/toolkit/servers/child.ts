import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { Guardian, MARK, forget, memoryOf, reap, remember } from '@causeway/engine/process'
import type { Group } from '@causeway/engine/process'

/** How a language server is started. */
export interface Starting {
  readonly words: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Memory that it may take with all that it starts (Linux). */
  readonly memoryBytes: number
}

/** A language server's process; nothing it started outlives it, nor us. */
export interface ServerProcess {
  readonly input: Writable
  readonly output: Readable
  /** Settles when it is gone; says why in words. */
  readonly over: Promise<string>
  end(why: string): Promise<string>
}

type Child = ChildProcessByStdio<Writable, Readable, null>

const LOOK_MS = 2000

const guardian = new Guardian({ graceSeconds: 0 })

/** Start a language server, in a process group of its own. */
export function startServer({ words, cwd, env, memoryBytes }: Starting): ServerProcess {
  const [program = '', ...args] = words
  const mark = crypto.randomUUID()
  guardian.mark(mark)
  const marked = { ...env, [MARK]: mark }
  const child: Child = spawn(program, args, { cwd, env: marked, detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
  const group: Group | undefined = child.pid === undefined ? undefined : { pid: child.pid, mark }
  if (group) remember(group)
  if (group) guardian.watch(-group.pid)
  let why: string | undefined
  const over = new Promise<string>(resolve => {
    child.once('error', error => resolve(`it could not be started: ${error.message}`))
    child.once('exit', (code, signal) => resolve(why ?? `it ended by itself (${signal ?? `exit code ${code}`})`))
  }).finally(() => {
    clearInterval(watch)
    child.stdin?.destroy()
    child.stdout?.destroy()
    if (group) forget(group)
    if (group) guardian.release(-group.pid)
    guardian.unmark(mark)
    if (guardian.isIdle) void guardian.close()
  })
  const end = async (reason: string): Promise<string> => {
    why ??= reason
    if (group) await reap(group)
    return over
  }
  const watch = setInterval(() => {
    if (group && memoryOf(group.pid) > memoryBytes) void end(`it took more than ${memoryBytes} bytes of memory`)
  }, LOOK_MS)
  watch.unref()
  quiet(child)
  return { input: child.stdin, output: child.stdout, over, end }
}

/** It keeps nobody waiting, and what is written to one that has ended is lost. */
function quiet(child: Child): void {
  child.unref()
  unref(child.stdin)
  unref(child.stdout)
  child.stdin?.on('error', () => {})
  child.stdout?.on('error', () => {})
}

/** Pipes are sockets, whatever their types say. */
function unref(stream: Writable | Readable | null): void {
  if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref()
}
