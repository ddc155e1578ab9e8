import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { fault } from '@causeway/engine'

/** What a thread is asked to do, and what it answers; see thread.ts for its side. */
export interface Job {
  readonly job: string
  readonly input: unknown
}
/** What a thread says first: its modules are loaded. */
export const LOADED = 'loaded'
/** How a job ended. */
export type JobOutcome = { readonly value: unknown } | { readonly error: string; readonly known: boolean }

/** How long a job may take, and for whom it is. */
export interface Limits {
  /** Whose job it is: clients that have nothing running go first. */
  readonly client?: string | undefined
  /** Ends the thread, whatever it is doing. */
  readonly signal?: AbortSignal | undefined
  readonly deadlineMs?: number | undefined
}

/** Runs jobs in threads. */
export interface ThreadPool {
  /** How many it runs at once. */
  readonly size: number
  run<T>(job: string, input: unknown, limits?: Limits): Promise<T>
}

/** How the threads are made. */
export interface ThreadOptions {
  /** Megabytes for what a job leaves behind at once; small means swept often. */
  readonly nurseryMb?: number
  /** Megabytes of memory that a thread may take; beyond them its job fails, and nothing else. */
  readonly memoryMb?: number
  readonly most?: number
  /** How long a thread may be idle before it is ended; default: ten seconds. */
  readonly idleMs?: number
  /** What each thread is given when it starts. */
  readonly data?: unknown
  /** Ends a job that is no longer wanted without ending its thread, which keeps what it has loaded. */
  readonly gently?: {
    /** Before a job begins. */
    readonly begin: () => void
    /** It is to stop; until it does, its thread takes no other. */
    readonly stop: () => void
  }
}

const MOST_THREADS = 8
const IDLE_MS = 10_000
// Far longer than it takes to load a thread's modules.
const LOAD_MS = 30_000
const MEMORY_MB = 1024

interface Waiting {
  readonly client: string
  readonly begin: (thread: Worker) => void
}

/**
 * As many threads as there are processors, made when they are needed and ended when they are idle. A client that has
 * nothing running gets one although others keep all of these, up to as many again.
 */
export class Threads implements ThreadPool {
  readonly size: number
  readonly #script: URL
  readonly #options: ThreadOptions
  /** Each with the clock that ends it. */
  readonly #idle = new Map<Worker, NodeJS.Timeout | undefined>()
  readonly #waiting: Waiting[] = []
  /** Those whose modules are not loaded yet. */
  readonly #loading = new Set<Worker>()
  /** How many jobs of each client run. */
  readonly #running = new Map<string, number>()
  #alive = 0

  constructor(script: URL, options: ThreadOptions = {}) {
    this.#script = script
    this.#options = options
    this.size = Math.min(options.most ?? MOST_THREADS, availableParallelism())
  }

  async run<T>(job: string, input: unknown, { signal, deadlineMs, client = '' }: Limits = {}): Promise<T> {
    const thread = await this.#thread(signal, client)
    const leave = (): void => this.#count(client, -1)
    const free = (): void => {
      thread.off('exit', leave)
      leave()
      this.#release(thread)
    }
    // Before the one that looks for who is next.
    thread.prependOnceListener('exit', leave)
    if (signal?.aborted) {
      free()
      throw reasonOf(signal)
    }
    const limits = { signal, deadlineMs, gently: this.#options.gently, end: () => this.#end(thread) }
    const outcome = await ask(thread, { job, input }, limits, free)
    if ('value' in outcome) return outcome.value as T
    // What a job says on purpose is for the caller; anything else is an accident, masked and logged like any other.
    throw outcome.known ? new Error(outcome.error) : new TypeError(outcome.error)
  }

  #thread(signal: AbortSignal | undefined, client: string): Promise<Worker> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const begin = (thread: Worker): void => {
        signal?.removeEventListener('abort', out)
        resolve(thread)
      }
      const mine = { client, begin }
      const out = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(mine), 1)
        reject(reasonOf(signal))
      }
      signal?.addEventListener('abort', out, { once: true })
      this.#waiting.push(mine)
      this.#serve()
    })
  }

  #serve(): void {
    const next = this.#next()
    const running = next ? this.#runningOf(next) : 0
    if (!next || running >= this.size) return
    const thread = this.#take() ?? (this.#alive < this.#most(running) ? this.#open() : undefined)
    if (!thread) return
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#count(next.client, 1)
    next.begin(thread)
  }

  /** Who has waited longest of those who have the least running. */
  #next(): Waiting | undefined {
    let [best] = this.#waiting
    for (const waiting of this.#waiting) if (best && this.#runningOf(waiting) < this.#runningOf(best)) best = waiting
    return best
  }

  #runningOf({ client }: Waiting): number {
    return this.#running.get(client) ?? 0
  }

  /** How many threads there may be for a client that has so many. One that is stopped gently is told so alone. */
  #most(running: number): number {
    return running === 0 && !this.#options.gently ? this.size * 2 : this.size
  }

  #count(client: string, difference: number): void {
    const count = (this.#running.get(client) ?? 0) + difference
    if (count > 0) this.#running.set(client, count)
    else this.#running.delete(client)
  }

  #take(): Worker | undefined {
    const [first] = this.#idle
    if (!first) return undefined
    clearTimeout(first[1])
    this.#idle.delete(first[0])
    return first[0]
  }

  #open(): Worker {
    const { nurseryMb, memoryMb = MEMORY_MB, data } = this.#options
    const resourceLimits = {
      maxOldGenerationSizeMb: memoryMb,
      ...(nurseryMb !== undefined && { maxYoungGenerationSizeMb: nurseryMb }),
    }
    // Its standard output is kept apart: on ours there may be messages of the protocol. Flags meant for us are not its.
    const thread = new Worker(this.#script, { resourceLimits, workerData: data, stdout: true, execArgv: [] })
    this.#alive += 1
    this.#loading.add(thread)
    thread.once('message', () => this.#loading.delete(thread))
    thread.once('exit', () => {
      this.#alive -= 1
      this.#loading.delete(thread)
      clearTimeout(this.#idle.get(thread))
      this.#idle.delete(thread)
      this.#serve()
    })
    return thread
  }

  #release(thread: Worker): void {
    const { idleMs = IDLE_MS } = this.#options
    const end = idleMs === Infinity ? undefined : setTimeout(() => this.#retire(thread), idleMs).unref()
    this.#idle.set(thread, end)
    this.#serve()
  }

  /** What is being ended takes no job any more, though it has not ended yet. */
  #retire(thread: Worker): void {
    this.#idle.delete(thread)
    this.#end(thread)
  }

  /** A thread that is ended while it loads its modules leaves their files open, so that is waited for. */
  #end(thread: Worker): void {
    if (!this.#loading.has(thread)) return void thread.terminate()
    const late = setTimeout(() => void thread.terminate(), LOAD_MS).unref()
    thread.once('exit', () => clearTimeout(late))
    thread.once('message', () => void thread.terminate())
  }
}

interface Asking extends Limits {
  readonly gently: ThreadOptions['gently']
  /** Ends the thread. */
  readonly end: () => void
}

/** One job in one thread, which is ended, or stopped gently, if it is no longer wanted; `free` hears when it is done. */
function ask(
  thread: Worker,
  job: Job,
  { signal, deadlineMs, gently, end: endThread }: Asking,
  free: () => void,
): Promise<JobOutcome> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(clock)
      signal?.removeEventListener('abort', abort)
      thread.off('message', onMessage).off('error', fail).off('exit', gone).unref()
    }
    const onMessage = (outcome: JobOutcome | typeof LOADED): void => {
      if (outcome === LOADED) return
      done()
      free()
      resolve(outcome)
    }
    const fail = (error: unknown): void => {
      done()
      // The 'exit' that follows frees its place; until then an 'error' of its own must find a listener.
      thread.on('error', () => {})
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    const gone = (): void => fail(new TypeError(`The thread that ran '${job.job}' ended unexpectedly`))
    const end = (error: Error): void => {
      fail(error)
      endThread()
    }
    const abort = (): void => {
      if (!gently) return end(reasonOf(signal))
      gently.stop()
      reject(reasonOf(signal))
    }
    const clock = deadlineMs === undefined ? undefined : setTimeout(() => end(late(deadlineMs)), deadlineMs)
    signal?.addEventListener('abort', abort, { once: true })
    thread.on('message', onMessage).on('error', fail).on('exit', gone).ref()
    gently?.begin()
    thread.postMessage(job, [])
  })
}

const late = (ms: number): Error =>
  fault('timeout', `This took longer than ${ms / 1000} s and was stopped`, { timeoutMs: ms }, { hint: 'Ask for less.' })

const reasonOf = (signal: AbortSignal | undefined): Error =>
  signal?.reason instanceof Error ? signal.reason : new Error('Cancelled')
