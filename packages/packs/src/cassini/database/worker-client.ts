import { Threads } from '../../support/threads/thread-pool.ts'
import type { QueryService, Outcome, Question } from './query-service.ts'

/** What a thread is started with. */
export interface ThreadData {
  readonly data: string | undefined
  /** Not zero: the query that runs is no longer wanted. */
  readonly stop: SharedArrayBuffer
}

/** Takes questions to a database and brings back how they ended, in the order in which they were asked. */
export interface WorkerClient {
  ask(question: Question, signal?: AbortSignal): Promise<Outcome>
}

/** A client to a service in a thread of its own, so that a long query does not block others. */
export class WorkerThreadClient implements WorkerClient {
  readonly #threads: Threads

  constructor(module: URL, data: string | undefined) {
    const stop = new Int32Array(new SharedArrayBuffer(4))
    const tell = (value: number): void => void Atomics.store(stop, 0, value)
    const workerData: ThreadData = { data, stop: stop.buffer }
    // The thread stays, since what it has loaded took a while: a cancelled query is ended within the database.
    const gently = { begin: () => tell(0), stop: () => tell(1) }
    this.#threads = new Threads(module, { most: 1, idleMs: Infinity, data: workerData, gently })
  }

  async ask(question: Question, signal?: AbortSignal): Promise<Outcome> {
    try {
      return await this.#threads.run<Outcome>('ask', question, { signal })
    } catch (error) {
      signal?.throwIfAborted()
      return { accident: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
  }
}

/** A client to a service in this very thread. */
export const inThreadClient = (service: QueryService): WorkerClient => ({ ask: question => service.ask(question) })
