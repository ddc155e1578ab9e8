import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { StdioTransport, plainEnvironment } from '@causeway/engine/client'
import type { ClientTransport } from '@causeway/engine/client'
import { MARK, noteDescendants, reap, signalGroup } from '@causeway/engine/process'
import type { Guardian } from '@causeway/engine/process'
import type { StdioTarget } from '../config/upstream-config.ts'
import type { StderrLog } from './stderr-log.ts'

const TERM_AFTER_MS = 2000
const KILL_AFTER_MS = 3500

/** How a server's process is run. */
export interface ChildOptions {
  readonly guardian: Guardian
  readonly log: StderrLog
  readonly maxMessage: number
}

/** Start a server in a process group of its own; closing the transport ends all of it. */
export function startChild(target: StdioTarget, { guardian, log, maxMessage }: ChildOptions): ClientTransport {
  const isWindows = process.platform === 'win32'
  const mark = randomUUID()
  guardian.mark(mark)
  log.started()
  const child = spawn(target.command, [...target.args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: !isWindows,
    env: { ...plainEnvironment(), ...target.env, [MARK]: mark },
    ...(target.cwd !== undefined && { cwd: target.cwd }),
  })
  const { pid } = child
  if (pid !== undefined && !isWindows) guardian.watch(-pid)
  child.stderr.on('data', (chunk: Buffer) => log.write(chunk)).on('error', () => {})
  child.on('error', error => {
    child.stdout.destroy(error)
  })
  child.on('exit', (code, signal) => {
    if (code !== 0) log.line(`[causeway] ended with ${signal ?? `code ${code}`}`)
    // What it started and left behind goes with it.
    if (pid !== undefined && !isWindows) void gone(guardian, pid, mark)
  })
  return new StdioTransport({ input: child.stdout, output: child.stdin, maxMessage, end: () => ended(child) })
}

async function gone(guardian: Guardian, pid: number, mark: string): Promise<void> {
  await reap({ pid, mark })
  guardian.release(-pid)
  guardian.unmark(mark)
}

/** Its input has ended; if that is not enough, its group gets SIGTERM, and then SIGKILL. */
async function ended(child: ChildProcessWithoutNullStreams): Promise<void> {
  const { pid } = child
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  noteDescendants(pid)
  await new Promise<void>(resolve => {
    const tell = (signal: NodeJS.Signals): void => signalGroup({ pid }, signal)
    const term = setTimeout(() => tell('SIGTERM'), TERM_AFTER_MS)
    const kill = setTimeout(() => tell('SIGKILL'), KILL_AFTER_MS)
    child.once('exit', () => {
      clearTimeout(term)
      clearTimeout(kill)
      resolve()
    })
  })
}
