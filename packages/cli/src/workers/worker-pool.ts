import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '@causeway/engine'
import type { Guardian } from '@causeway/engine/process'
import { metricsText, sumOfMetrics } from '@causeway/engine/metrics'
import type { MetricsSnapshot } from '@causeway/engine/metrics'
import { onceMemory } from '@causeway/engine/stores'
import { Acceptor } from './acceptor.ts'
import { WorkerProcess } from './worker-process.ts'
import type { Ended } from './worker-process.ts'
import type { FromWorker, Question } from './messages.ts'
import { RateLedger } from './rate-ledger.ts'

/** What workers are started with. */
export interface WorkerPoolOptions {
  readonly script: string
  readonly args: readonly string[]
  readonly folder: string
  readonly guardian: Pick<Guardian, 'watch' | 'release'>
  readonly log: Log
  /** A worker that says nothing for so long is stuck, and is ended. Default: a minute. */
  readonly stuckMs?: number
}

// A worker that ends sooner than this after its start is not replaced at once.
const SETTLED_MS = 10_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000
// Give up after so many failed starts in a row while no worker serves.
const MOST_FAILURES = 5
const STUCK_MS = 60_000
// What a worker may take to say what it has counted.
const SNAPSHOT_MS = 1000
// Longer than a worker lets calls finish.
const STOP_MS = 40_000
const MOST_VALUES = 500_000

/** The workers: as many as are wanted, each one that ends by itself replaced. */
export class WorkerPool {
  readonly acceptor: Acceptor
  /** Resolves to why, when no worker can be started any more. */
  readonly gaveUp: Promise<string>
  readonly #options: WorkerPoolOptions
  readonly #workers = new Set<WorkerProcess>()
  readonly #ledger = new RateLedger()
  // What all workers know together of proofs (DPoP) that were used.
  readonly #values = onceMemory({ maxValues: MOST_VALUES })
  readonly #secret = randomBytes(32).toString('base64url')
  #past: MetricsSnapshot | undefined
  #giveUp: (why: string) => void = () => {}
  #url = ''
  #size = 0
  #made = 0
  #failures = 0
  #replaced = 0
  #stopping = false
  readonly #watch: NodeJS.Timeout

  constructor(options: WorkerPoolOptions, maxConnections: number) {
    this.#options = options
    this.#watch = setInterval(() => this.#look(), (options.stuckMs ?? STUCK_MS) / 12).unref()
    this.acceptor = new Acceptor(() => this.#ready, maxConnections, options.log)
    this.gaveUp = new Promise(resolve => (this.#giveUp = resolve))
  }

  /** Start so many: the first alone, so that what stands in the way is said once. Gives what it would print, or how it ended. */
  async start(size: number, url: string): Promise<string | Ended> {
    this.#size = size
    this.#url = url
    const [first, ended] = await this.#launch()
    if (ended) return ended
    await Promise.all(Array.from({ length: size - 1 }, () => this.#replace()))
    return first.banner
  }

  /** New workers first; when they serve, the old ones finish what they have. False, and nothing changed, where they cannot start. */
  async reload(size: number): Promise<boolean> {
    const old = [...this.#workers]
    const before = this.#size
    this.#size = size
    const launched = []
    for (let i = 0; i < size; i++) {
      const [worker, ended] = await this.#launch()
      if (ended || this.#stopping) {
        this.#size = before
        for (const { 0: made } of launched) this.#retire(made)
        return false
      }
      launched.push([worker] as const)
    }
    for (const worker of old) this.#retire(worker)
    // Where one was replaced meanwhile there is one too many.
    for (const extra of this.#ready.slice(size)) this.#retire(extra)
    return true
  }

  /** Let every worker read the configuration again, with the clients that it has. */
  reloadInPlace(): void {
    for (const worker of this.#workers) worker.send({ type: 'reload' })
  }

  /** Let every worker finish and end; those that do not are ended. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.acceptor.close()
    for (const worker of this.#workers) worker.send({ type: 'stop' })
    clearInterval(this.#watch)
    const late = setTimeout(() => this.kill(), STOP_MS)
    await Promise.all([...this.#workers].map(({ gone }) => gone))
    clearTimeout(late)
  }

  /** End every worker at once. */
  kill(): void {
    this.#stopping = true
    for (const worker of this.#workers) worker.kill()
  }

  get #ready(): WorkerProcess[] {
    return [...this.#workers].filter(({ state }) => state === 'ready')
  }

  /** Ask each worker what it has counted, so that little is lost with it; one that does not answer is stuck. */
  #look(): void {
    const { log, stuckMs = STUCK_MS } = this.#options
    for (const worker of this.#workers) {
      if (worker.state === 'starting') continue
      const silentMs = performance.now() - worker.lastMessageAt
      if (silentMs < stuckMs) {
        worker.send({ type: 'snapshot' })
        continue
      }
      log('error', 'a worker does not answer and is ended', { worker: worker.name, pid: worker.pid, silentMs })
      worker.kill()
    }
  }

  async #launch(): Promise<readonly [WorkerProcess, Ended | undefined]> {
    const { script, args, folder, guardian } = this.#options
    const name = `w${++this.#made}`
    const worker: WorkerProcess = new WorkerProcess({
      script,
      args,
      start: {
        type: 'start',
        name,
        slot: this.#freeSlot(),
        folder,
        secret: this.#secret,
        url: this.#url,
        workers: this.#size,
      },
      onMessage: (from, message) => this.#onMessage(from, message),
      ended: (gone, how) => this.#ended(gone, how),
    })
    this.#workers.add(worker)
    guardian.watch(worker.pid)
    return [worker, await worker.started]
  }

  #freeSlot(): number {
    const taken = new Set([...this.#workers].map(({ slot }) => slot))
    let slot = 1
    while (taken.has(slot)) slot += 1
    return slot
  }

  #retire(worker: WorkerProcess): void {
    if (worker.state === 'ended') return
    worker.state = 'retiring'
    worker.send({ type: 'retire' })
  }

  #onMessage(worker: WorkerProcess, message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        this.#tellPeers()
        // Signals may have come while it started.
        if (this.#stopping) worker.send({ type: 'stop' })
        return this.acceptor.flush()
      case 'taken':
        return this.acceptor.taken(worker, message.id)
      case 'closed':
        return this.acceptor.closed(worker, message.count)
      case 'snapshot':
        return
      case 'feed':
        return this.#toFeeds(worker, message)
      case 'give':
        for (const [key, tokens] of message.tokens) this.#ledger.give(key, tokens)
        return
      case 'ask':
        // A worker that gets no value knows that it could not be kept.
        void this.#answer(message.question)
          .catch(() => undefined)
          .then(value => worker.send({ type: 'answer', id: message.id, value }))
        return
    }
  }

  /** What one worker says to the consoles of the others, or of one of them. */
  #toFeeds(from: WorkerProcess, { message, to }: Extract<FromWorker, { type: 'feed' }>): void {
    const others = [...this.#workers].filter(other => other !== from && (to === undefined || to === other.name))
    for (const other of others) other.send({ type: 'feed', worker: from.name, message })
  }

  async #answer(question: Question): Promise<unknown> {
    if (question.about === 'tokens') return this.#ledger.take(question)
    if (question.about === 'metrics') return this.#metrics()
    return this.#values.once(question.key, question.value, question.ttlMs)
  }

  #tellPeers(): void {
    const names = [...this.#workers].filter(({ state }) => state !== 'starting').map(({ name }) => name)
    for (const worker of this.#workers) worker.send({ type: 'peers', names })
  }

  #ended(worker: WorkerProcess, how: Ended): void {
    const { state, name, pid, startedAt, snapshot } = worker
    this.#workers.delete(worker)
    this.#options.guardian.release(pid)
    this.acceptor.removeTaker(worker)
    // What it counted stays counted, what it had open is no more.
    if (snapshot) this.#past = sumOfMetrics([...(this.#past ? [this.#past] : []), closedDown(snapshot)])
    this.#tellPeers()
    if (this.#stopping || state !== 'ready') return
    this.#replaced += 1
    this.#options.log('error', 'a worker ended by itself; another takes its place', { worker: name, pid, ...how })
    this.#failures = performance.now() - startedAt < SETTLED_MS ? this.#failures + 1 : 0
    void this.#replace()
  }

  /** Start one, again and again if need be, with a longer pause each time. */
  async #replace(): Promise<void> {
    for (;;) {
      if (this.#failures > 0) await wait(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1)))
      if (this.#stopping) return
      const [worker, ended] = await this.#launch()
      if (!ended || this.#stopping) return
      this.#failures += 1
      this.#options.log('error', 'a worker could not start', { worker: worker.name, ...ended })
      if (this.#failures >= MOST_FAILURES && this.#ready.length === 0)
        return this.#giveUp(
          `no worker can start: ${this.#failures} in a row ended at once, the last with ${words(ended)}`,
        )
    }
  }

  async #metrics(): Promise<string> {
    const asked = [...this.#workers].filter(({ state }) => state === 'ready' || state === 'retiring')
    const late = wait(SNAPSHOT_MS, undefined, { ref: false })
    await Promise.race([late, Promise.all(asked.map(worker => worker.count()))])
    // One that ended meanwhile is in the past by now.
    const known = asked.flatMap(({ snapshot, state }) => (state === 'ended' ? [] : (snapshot ?? [])))
    const sum = sumOfMetrics([...(this.#past ? [this.#past] : []), ...known])
    const memory = sum.memory + process.memoryUsage.rss()
    const counts = { running: this.#ready.length, replaced: this.#replaced, refusedConnections: this.acceptor.refused }
    return metricsText({ ...sum, memory }, counts)
  }
}

const closedDown = (snapshot: MetricsSnapshot): MetricsSnapshot => ({
  ...snapshot,
  open: { sessions: 0, streams: 0, sockets: 0 },
  waiting: 0,
  loopDelay: { p50: 0, p99: 0, max: 0 },
  upstreams: (snapshot.upstreams ?? []).map(one => Object.assign({}, one, { failing: 0, states: {} })),
  running: 0,
  memory: 0,
})

const words = ({ code, signal }: Ended): string => (signal === null ? `exit code ${code}` : signal)
