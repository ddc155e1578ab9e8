import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { StdioTransport } from './stdio-transport.ts'
import type { ClientTransport } from './transport.ts'

/** A program that serves on its standard input and output. */
export interface Command {
  readonly command: string
  readonly args?: readonly string[]
  /** The whole environment it gets; default: PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** What becomes of what it writes to standard error. Default: it is written to ours. */
  readonly stderr?: 'inherit' | 'ignore'
  /** The largest message taken, in bytes. Default: 10 MB. */
  readonly maxMessage?: number
}

const PATIENCE_MS = 2000

/** Start a program, and speak to it over its standard input and output; closing the transport ends it. */
export function childTransport({
  command,
  args = [],
  env = plainEnvironment(),
  cwd,
  stderr = 'inherit',
  maxMessage,
}: Command): ClientTransport {
  const child = spawn(command, [...args], {
    env,
    stdio: ['pipe', 'pipe', stderr],
    ...(cwd !== undefined && { cwd }),
  })
  // Told by the end of its streams.
  child.on('error', () => child.stdout.destroy())
  return new StdioTransport({
    input: child.stdout,
    output: child.stdin,
    end: () => ended(child),
    ...(maxMessage !== undefined && { maxMessage }),
  })
}

/** What a program needs to find others, and nothing it could leak. */
export function plainEnvironment(): Record<string, string> {
  const names = process.platform === 'win32' ? ['PATH', 'Path', 'USERPROFILE', 'SYSTEMROOT', 'TEMP'] : ['PATH', 'HOME']
  return Object.fromEntries(names.flatMap(name => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
}

/** Its input has ended; if that is not enough, it gets a signal, and is then killed. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  await new Promise<void>(resolve => {
    const term = setTimeout(() => child.kill('SIGTERM'), PATIENCE_MS)
    const kill = setTimeout(() => child.kill('SIGKILL'), 2 * PATIENCE_MS)
    child.once('exit', () => {
      clearTimeout(term)
      clearTimeout(kill)
      resolve()
    })
  })
}
