import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { MetricsSnapshot } from '@causeway/engine/metrics'
import type { Taker } from './acceptor.ts'
import type { FromWorker, Start, ToWorker } from './messages.ts'

/** How a worker ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** How a worker is started. */
export interface WorkerProcessOptions {
  readonly script: string
  readonly args: readonly string[]
  readonly start: Start
  readonly onMessage: (worker: WorkerProcess, message: FromWorker) => void
  readonly ended: (worker: WorkerProcess, how: Ended) => void
}

const LAST_WORDS_MS = 50
// A worker that is not ready by then never will be.
const START_MS = 60_000

/** A worker, as the primary process sees it. */
export class WorkerProcess implements Taker {
  readonly name: string
  readonly slot: number
  readonly startedAt: number = performance.now()
  readonly handing: Map<number, Socket> = new Map()
  connections = 0
  state: 'starting' | 'ready' | 'retiring' | 'ended' = 'starting'
  /** What it had counted when it last said so. */
  snapshot: MetricsSnapshot | undefined
  /** When it last said something. */
  lastMessageAt: number = performance.now()
  /** What it would have printed. */
  banner = ''
  /** Resolves when it serves, or to how it ended before. */
  readonly started: Promise<Ended | undefined>
  readonly gone: Promise<void>
  readonly #child: ChildProcess
  #resolveStarted: (how: Ended | undefined) => void = () => {}
  #resolveGone: () => void = () => {}
  #counting: (() => void)[] = []

  constructor({ script, args, start, onMessage, ended }: WorkerProcessOptions) {
    this.name = start.name
    this.slot = start.slot
    this.started = new Promise(resolve => (this.#resolveStarted = resolve))
    this.gone = new Promise(resolve => (this.#resolveGone = resolve))
    // A group of its own: keys pressed in a terminal are for the primary process.
    this.#child = fork(script, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true })
    const late = setTimeout(() => this.kill(), START_MS)
    const end = (how: Ended): void => {
      ended(this, how)
      this.state = 'ended'
      this.#resolveStarted(how)
      this.#resolveGone()
    }
    this.#child.on('error', () => {
      // There was no room for another process: it never began, and will not say that it ended.
      if (this.#child.pid === undefined) end({ code: null, signal: null })
    })
    this.#child.on('message', (message: FromWorker) => {
      this.lastMessageAt = performance.now()
      if (message.type === 'ready') this.#ready(message.banner)
      if (message.type === 'snapshot') this.#counted(message.snapshot)
      onMessage(this, message)
    })
    void this.started.then(() => clearTimeout(late))
    const closed = new Promise<void>(resolve => void this.#child.once('disconnect', resolve))
    this.#child.once('exit', (code, signal) => {
      // What it said last is read first; a channel that broke in the middle of a message never says that it is closed.
      void Promise.race([closed, wait(LAST_WORDS_MS)]).then(() => end({ code, signal }))
    })
    this.send(start)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  /** Our end stays open until the worker has it, so that it is not lost with the worker. */
  hand(socket: Socket, id: number): void {
    if (!this.#child.connected) return
    this.#child.send({ type: 'connection', id } satisfies ToWorker, socket, { keepOpen: true }, () => {})
  }

  /** Ask what it has counted; resolves when it said so, or is gone. */
  count(): Promise<void> {
    this.send({ type: 'snapshot' })
    const said = new Promise<void>(resolve => void this.#counting.push(resolve))
    return Promise.race([said, this.gone])
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #counted(snapshot: MetricsSnapshot): void {
    this.snapshot = snapshot
    for (const said of this.#counting.splice(0)) said()
  }

  #ready(banner: string): void {
    this.banner = banner
    if (this.state === 'starting') this.state = 'ready'
    this.#resolveStarted(undefined)
  }
}
