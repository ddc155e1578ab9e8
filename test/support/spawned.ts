import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The top folder of the repository. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url))
/** The command, as it is in the repository. */
export const BINARY: string = `${ROOT}packages/cli/bin/causeway.js`

/** A message as it came out of a process. */
export interface Said {
  readonly jsonrpc: '2.0'
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Where and how a command runs. */
export interface Surroundings {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** A script to run instead of the command. */
  readonly script?: string
  /** What a shell sets before it becomes the command, such as `ulimit -n 60`. */
  readonly limits?: string
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process of ours, spoken to through its pipes. */
export class Spawned {
  readonly process: ChildProcessWithoutNullStreams
  /** Resolves when the process is gone and its pipes are empty. */
  readonly ended: Promise<Ending>
  stderr = ''
  /** Lines of stdout, as they came. */
  readonly lines: string[] = []
  /** Pieces of a line whose end has not come. */
  #pieces: string[] = []
  readonly #arrivals = new EventEmitter().setMaxListeners(0)

  constructor(args: readonly string[], { cwd = ROOT, env = {}, script = BINARY, limits }: Surroundings = {}) {
    const command = [process.execPath, script, ...args]
    const [program = '', ...rest] =
      limits === undefined ? command : ['sh', '-c', `${limits}; exec "$0" "$@"`, ...command]
    this.process = spawn(program, rest, { cwd, env: { ...cleanEnv(), ...env } })
    this.process.stdin.on('error', () => {})
    this.process.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text))
    this.process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
      this.#arrivals.emit('more')
    })
    this.ended = new Promise(resolve => {
      this.process.once('close', (code, signal) => {
        this.#arrivals.emit('more')
        resolve({ code, signal })
      })
    })
  }

  #take(text: string): void {
    const [first = '', ...others] = text.split('\n')
    this.#pieces.push(first)
    if (others.length === 0) return
    this.lines.push(this.rest, ...others.slice(0, -1))
    this.#pieces = others.slice(-1)
    this.#arrivals.emit('more')
  }

  /** What came after the last newline: nothing, if all is well. */
  get rest(): string {
    return this.#pieces.join('')
  }

  /** Everything said on stdout, a message or a batch a line. */
  get said(): (Said | Said[])[] {
    return this.lines.map(line => JSON.parse(line) as Said | Said[])
  }

  write(text: string | Uint8Array): void {
    this.process.stdin.write(text)
  }

  send(...messages: readonly object[]): void {
    this.write(messages.map(message => `${JSON.stringify(message)}\n`).join(''))
  }

  /** Looks again whenever something came, until there is something to see. */
  async until<T>(look: () => T | undefined): Promise<T> {
    for (;;) {
      const seen = look()
      if (seen !== undefined) return seen
      if (this.process.exitCode !== null || this.process.signalCode !== null) {
        throw new Error(`The process ended first. It said:\n${this.lines.join('\n')}\n${this.stderr}`)
      }
      await once(this.#arrivals, 'more')
    }
  }

  /** The answer under that id, once it is there; lines are read only once. */
  answer(id: string | number): Promise<Said> {
    let at = 0
    const mark = `"id":${JSON.stringify(id)},`
    return this.until(() => {
      for (; at < this.lines.length; at++) {
        const line = this.lines[at] ?? ''
        const said = line.slice(0, mark.length + 20).includes(mark) ? (JSON.parse(line) as Said) : undefined
        if (said?.id === id && said.method === undefined) return said
      }
      return undefined
    })
  }

  request(id: string | number, method: string, params?: object): Promise<Said> {
    this.send({ jsonrpc: '2.0', id, method, ...(params && { params }) })
    return this.answer(id)
  }

  call(id: string | number, name: string, args: object = {}): Promise<Said> {
    return this.request(id, 'tools/call', { name, arguments: args })
  }

  async initialize(protocolVersion = '2025-11-25'): Promise<Said> {
    const clientInfo = { name: 'spawned', version: '1.0.0' }
    const answer = await this.request('hello', 'initialize', { protocolVersion, capabilities: {}, clientInfo })
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return answer
  }

  /** The client closes its side; resolves when the process is gone. */
  async end(): Promise<Ending> {
    this.process.stdin.end()
    return this.ended
  }

  /** The most memory the process ever had, in megabytes. */
  peak(): number {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8')
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
  }
}

/** What a command printed, and how it ended. */
export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Run the command to its end, with nothing to read. */
export async function run(args: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  const spawned = new Spawned(args, surroundings)
  const { code } = await spawned.end()
  const stdout = [...spawned.lines, spawned.rest].join('\n')
  return { code, stdout, stderr: spawned.stderr }
}

/** The environment without what would configure the command. */
const cleanEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CAUSEWAY_')))
