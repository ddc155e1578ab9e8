import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { measureFile } from './file.ts'
import type { Target } from './file.ts'
import type { FileMetrics } from './metrics.ts'
import type { Answer } from './worker.ts'

/** Measures batches of files. */
export interface Pool {
  /** How many batches it works on at once. */
  readonly size: number
  run(batch: readonly Target[], signal: AbortSignal): Promise<readonly FileMetrics[]>
}

const MOST_THREADS = 8
const IDLE_MS = 10_000
// All that a file leaves behind is of no use to the next: swept often, the same work takes a fifth less memory.
const NURSERY_MB = 6

/** Threads, by default with the script beside the build; the sources have none, and there the work is done here. */
export const createPool = (script?: URL): Pool =>
  script === undefined && import.meta.url.endsWith('.ts')
    ? here
    : new ThreadPool(script ?? new URL('./toolkit-worker.js', import.meta.url))

/** In this thread, a file at a time. */
const here: Pool = {
  size: 1,
  async run(batch, signal) {
    const measured: FileMetrics[] = []
    for (const target of batch) {
      await setImmediate()
      signal.throwIfAborted()
      measured.push(await measureFile(target))
    }
    return measured
  },
}

/** As many threads as there are processors, made when they are needed and ended when they are idle. */
class ThreadPool {
  readonly size: number = Math.min(MOST_THREADS, availableParallelism())
  readonly #script: URL
  /** Each with the clock that ends it. */
  readonly #idle = new Map<Worker, NodeJS.Timeout>()
  readonly #waiting: ((thread: Worker) => void)[] = []
  #alive = 0

  constructor(script: URL) {
    this.#script = script
  }

  async run(batch: readonly Target[], signal: AbortSignal): Promise<readonly FileMetrics[]> {
    const thread = await this.#thread(signal)
    if (signal.aborted) {
      this.#release(thread)
      throw reasonOf(signal)
    }
    const answer = await ask(thread, batch, signal)
    this.#release(thread)
    if ('error' in answer) throw new Error(answer.error)
    return answer.measured
  }

  #thread(signal: AbortSignal): Promise<Worker> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const mine = (thread: Worker): void => {
        signal.removeEventListener('abort', out)
        resolve(thread)
      }
      const out = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(mine), 1)
        reject(reasonOf(signal))
      }
      signal.addEventListener('abort', out, { once: true })
      this.#waiting.push(mine)
      this.#serve()
    })
  }

  #serve(): void {
    const [mine] = this.#waiting
    const thread = mine && (this.#take() ?? (this.#alive < this.size ? this.#open() : undefined))
    if (!thread) return
    this.#waiting.shift()
    mine(thread)
  }

  #take(): Worker | undefined {
    const [first] = this.#idle
    if (!first) return undefined
    clearTimeout(first[1])
    this.#idle.delete(first[0])
    return first[0]
  }

  #open(): Worker {
    const thread = new Worker(this.#script, { resourceLimits: { maxYoungGenerationSizeMb: NURSERY_MB } })
    this.#alive += 1
    thread.once('exit', () => {
      this.#alive -= 1
      this.#idle.delete(thread)
      this.#serve()
    })
    return thread
  }

  #release(thread: Worker): void {
    const end = setTimeout(() => void thread.terminate(), IDLE_MS).unref()
    this.#idle.set(thread, end)
    this.#serve()
  }
}

/** One batch in one thread, which is ended if the batch is no longer wanted: a parser cannot be asked to stop. */
function ask(thread: Worker, batch: readonly Target[], signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      signal.removeEventListener('abort', abort)
      thread.off('message', hear).off('error', fail).off('exit', gone).unref()
    }
    const hear = (answer: Answer): void => {
      done()
      resolve(answer)
    }
    const fail = (error: unknown): void => {
      done()
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    const gone = (): void => fail(new Error('The analysis ended unexpectedly'))
    const abort = (): void => {
      fail(reasonOf(signal))
      void thread.terminate()
    }
    signal.addEventListener('abort', abort, { once: true })
    thread.on('message', hear).on('error', fail).on('exit', gone).ref()
    thread.postMessage(batch, [])
  })
}

const reasonOf = ({ reason }: AbortSignal): Error => (reason instanceof Error ? reason : new Error('Cancelled'))
