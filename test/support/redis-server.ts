import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A Redis of the test's own, on a port of its own, that keeps nothing on disk. */
export class RedisServer {
  readonly port: number
  readonly #arguments: readonly string[]
  readonly #folder = mkdtempSync(join(tmpdir(), 'causeway-redis-'))
  #child: ChildProcess | undefined

  constructor(port: number, options: readonly string[]) {
    this.port = port
    this.#arguments = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...options]
  }

  static async start(options: readonly string[] = []): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options)
    await server.start()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}/0`
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Begin, empty, on the same port as before. */
  async start(): Promise<void> {
    const child = spawn('redis-server', [...this.#arguments, '--dir', this.#folder], { stdio: 'ignore' })
    this.#child = child
    while (!(await answers(this.port))) {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  /** End it at once, with all it had. */
  async kill(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  /** Let it stand still: connections stay, nothing is answered. */
  freeze(): void {
    this.#child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child?.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

/** Does Redis answer there? An error, such as a demand for a password, is an answer too. */
function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    const done = (is: boolean): void => {
      socket.destroy()
      resolve(is)
    }
    socket
      .once('data', () => done(true))
      .once('error', () => done(false))
      .once('close', () => done(false))
  })
}
