import { createServer } from 'node:net'
import type { Server as Listener, Socket } from 'node:net'
import { once } from 'node:events'
import { serveStdio } from '@causeway/engine'
import type { Log } from '@causeway/engine'
import { follow, onHangup } from '../commands/serve.ts'
import type { Args } from '../config/args.ts'
import { readConfig } from '../config/config.ts'
import type { Config } from '../config/config.ts'
import { UsageError } from '../config/usage-error.ts'
import { duration } from '../config/values.ts'
import { assembly, logOf } from '../serve/assemble.ts'
import type { Assembly } from '../serve/assemble.ts'
import { rootWarnings } from '../terminal/banner.ts'
import { surviveRejections } from '../terminal/stray-rejections.ts'
import { VERSION } from '../version.ts'
import { greetingOf } from './greeting.ts'
import type { Greeting, Welcome } from './greeting.ts'
import { rotateLog } from './log-rotation.ts'
import type { DaemonPlace } from './place.ts'

const GREETING_MS = 10_000
const MOST_CLIENTS = 256

/** Serve the clients that attach, until a signal, a request to stop, or until no client was attached for a while. */
export async function runDaemon(args: Args, place: DaemonPlace, bound: () => void): Promise<void> {
  const idle = duration(args.given.get('idle')?.at(-1) ?? '10m', 'idle')
  const daemon = new Daemon({ idle, words: process.argv.slice(3) })
  await daemon.listen(place)
  bound()
  const rotation = rotateLog(place.log)
  try {
    const config = readConfig(args)
    const log = logOf(config)
    surviveRejections(log, config.toolsDir)
    const assembled = await assembly(config, { oneUser: true })
    // Without packs nothing is done in the roots.
    for (const warning of config.packs.length > 0 ? rootWarnings(config) : []) log('warn', warning)
    const hangup = onHangup(log)
    if (config.configFile !== undefined) hangup.push(() => assembled.reloader.reload())
    else if (assembled.gateway) hangup.push(() => assembled.gateway?.reload())
    const end = follow(assembled, config)
    log('info', 'the daemon serves', { version: VERSION, pid: process.pid })
    await daemon.serve(assembled, config, log)
    await end()
    log('info', 'stopped')
  } catch (error) {
    await daemon.fail(error)
    throw error
  } finally {
    clearInterval(rotation)
  }
}

interface Serving {
  readonly assembled: Assembly
  readonly config: Config
  readonly log: Log
}

/** A socket, and the clients that are attached to it. */
class Daemon {
  readonly #listener: Listener
  readonly #idle: number | undefined
  readonly #words: readonly string[]
  readonly #stopping = new AbortController()
  readonly #clients = new Set<Promise<void>>()
  readonly #serving: Promise<Serving>
  #started: (serving: Serving) => void = () => {}
  #failed: (error: unknown) => void = () => {}
  #clock: NodeJS.Timeout | undefined

  constructor({ idle, words }: { readonly idle: number | undefined; readonly words: readonly string[] }) {
    this.#idle = idle
    this.#words = words
    this.#listener = createServer({ allowHalfOpen: true }, socket => void this.#accept(socket))
    this.#listener.maxConnections = MOST_CLIENTS
    this.#serving = new Promise((resolve, reject) => {
      this.#started = resolve
      this.#failed = reject
    })
    this.#serving.catch(() => {})
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#stop())
  }

  async listen({ socket }: DaemonPlace): Promise<void> {
    const mask = process.umask(0o177)
    try {
      this.#listener.listen(socket)
      await once(this.#listener, 'listening')
    } finally {
      process.umask(mask)
    }
    this.#wait()
  }

  /** Resolves when it is to end, and the calls of its clients have finished. */
  async serve(assembled: Assembly, config: Config, log: Log): Promise<void> {
    this.#started({ assembled, config, log })
    const { signal } = this.#stopping
    if (!signal.aborted) await once(signal, 'abort')
    await Promise.all(this.#clients)
  }

  /** Who waits to be attached hears why that cannot be. */
  async fail(error: unknown): Promise<void> {
    this.#failed(error)
    this.#stop()
    await Promise.all(this.#clients)
  }

  /** No client can attach from now on: the next one starts another daemon. */
  #stop(): void {
    clearTimeout(this.#clock)
    if (this.#listener.listening) this.#listener.close()
    this.#stopping.abort()
  }

  #wait(): void {
    clearTimeout(this.#clock)
    if (this.#clients.size > 0) return
    // A daemon that was replaced has nothing to wait for.
    if (!this.#listener.listening) return this.#stopping.abort()
    if (this.#idle !== undefined) this.#clock = setTimeout(() => this.#stop(), this.#idle)
  }

  #accept(socket: Socket): Promise<void> {
    const client = this.#talk(socket)
      .catch(() => {})
      .finally(() => {
        socket.destroy()
        this.#clients.delete(client)
        this.#wait()
      })
    clearTimeout(this.#clock)
    this.#clients.add(client)
    return client
  }

  async #talk(socket: Socket): Promise<void> {
    socket.on('error', () => {})
    const late = setTimeout(() => socket.destroy(), GREETING_MS)
    const greeting = await greetingOf(socket)
    clearTimeout(late)
    if (!greeting) return
    if (greeting.want === 'attach') await this.#attach(socket, greeting)
    else if (greeting.want === 'stop') {
      answer(socket, { is: 'stopping', pid: process.pid })
      await ended(socket)
      this.#stop()
    } else {
      answer(socket, this.#status())
      await ended(socket)
    }
  }

  async #attach(socket: Socket, { version }: Greeting): Promise<void> {
    if (version !== VERSION) {
      // The socket makes way for a daemon of that version; who is attached here stays.
      this.#listener.close()
      answer(socket, { is: 'retiring', version: VERSION })
      return ended(socket)
    }
    let serving: Serving
    try {
      serving = await this.#serving
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      answer(socket, { is: 'failed', message, exit: error instanceof UsageError ? error.exit : 1 })
      return ended(socket)
    }
    const { assembled, config, log } = serving
    if (this.#stopping.signal.aborted) return
    socket.write(`${JSON.stringify({ is: 'attached', pid: process.pid } satisfies Welcome)}\n`)
    log('info', 'a client is attached', { clients: this.#clients.size })
    const served = serveStdio(assembled.server, {
      input: socket,
      output: socket,
      maxLine: config.maxRequest,
      ...(config.lifecycle && { lifecycle: config.lifecycle }),
      direct: config.preset.direct ?? false,
      signal: this.#stopping.signal,
    })
    // It was paused behind the greeting.
    socket.resume()
    await served
    socket.end()
    await ended(socket)
    log('info', 'a client has left', { clients: this.#clients.size - 1 })
  }

  #status(): Welcome {
    const clients = this.#clients.size - 1
    const seconds = Math.round(process.uptime())
    const folder = process.cwd()
    return { is: 'running', pid: process.pid, version: VERSION, clients, flags: this.#words, folder, seconds }
  }
}

const answer = (socket: Socket, welcome: Welcome): void => void socket.end(`${JSON.stringify(welcome)}\n`)

const LAST_WORDS_MS = 5000

/** Resolves when what was written has left and the other side is gone, or does not go. */
function ended(socket: Socket): Promise<void> {
  return new Promise(resolve => {
    if (socket.closed) return resolve()
    const late = setTimeout(resolve, LAST_WORDS_MS)
    socket.once('close', () => {
      clearTimeout(late)
      resolve()
    })
    socket.resume()
  })
}
