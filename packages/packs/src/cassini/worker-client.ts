import { Worker } from 'node:worker_threads'
import type { QueryService, Outcome, Question } from './query-service.ts'

/** What a thread is told when it starts. */
export interface ThreadData {
  readonly data: string | undefined
  /** Not zero: the query that runs is no longer wanted. */
  readonly stop: SharedArrayBuffer
}

/** Takes questions to a database and brings back how they ended, in the order in which they were asked. */
export interface WorkerClient {
  ask(question: Question, signal?: AbortSignal): Promise<Outcome>
}

interface Job {
  readonly question: Question
  readonly signal: AbortSignal | undefined
  resolve(outcome: Outcome): void
  reject(reason: unknown): void
}

/** A client to a service in a thread of its own, so that a long query keeps nobody else waiting. */
export class WorkerThreadClient implements WorkerClient {
  readonly #module: URL
  readonly #data: string | undefined
  readonly #waiting: Job[] = []
  readonly #stop = new Int32Array(new SharedArrayBuffer(4))
  #worker: Worker | undefined
  #running: Job | undefined

  constructor(module: URL, data: string | undefined) {
    this.#module = module
    this.#data = data
  }

  ask(question: Question, signal?: AbortSignal): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const job: Job = { question, signal, resolve, reject }
      signal?.addEventListener('abort', () => this.#abandon(job), { once: true })
      this.#waiting.push(job)
      this.#next()
    })
  }

  /** Nobody waits for it any more: out of the queue, or out of the database. */
  #abandon(job: Job): void {
    job.reject(job.signal?.reason)
    const at = this.#waiting.indexOf(job)
    if (at >= 0) this.#waiting.splice(at, 1)
    if (this.#running === job) Atomics.store(this.#stop, 0, 1)
  }

  #next(): void {
    if (this.#running) return
    const job = this.#waiting.shift()
    // An idle thread does not keep the process alive, a busy one does.
    if (!job) {
      this.#worker?.unref()
      return
    }
    this.#running = job
    Atomics.store(this.#stop, 0, 0)
    this.#worker ??= this.#start()
    this.#worker.ref()
    this.#worker.postMessage(job.question, [])
  }

  #start(): Worker {
    const workerData: ThreadData = { data: this.#data, stop: this.#stop.buffer }
    // Its standard output is kept apart: on ours there may be messages of the protocol. Flags meant for us are not its.
    const worker = new Worker(this.#module, { workerData, stdout: true, execArgv: [] })
    worker.on('message', (outcome: Outcome) => this.#finish(outcome))
    worker.on('error', error => this.#lose(worker, error.stack ?? error.message))
    worker.on('exit', code => this.#lose(worker, `The database thread ended with ${code}`))
    return worker
  }

  #lose(worker: Worker, why: string): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#finish({ accident: why })
  }

  #finish(outcome: Outcome): void {
    const job = this.#running
    this.#running = undefined
    job?.resolve(outcome)
    this.#next()
  }
}

/** A client to a service in this very thread. */
export const inThreadClient = (service: QueryService): WorkerClient => ({ ask: question => service.ask(question) })
