import { parentPort } from 'node:worker_threads'
import { LOADED } from './thread-pool.ts'
import type { Job, JobOutcome, ThreadPool } from './thread-pool.ts'

/** What a thread can do, by name. */
export type Jobs = Readonly<Record<string, (input: never) => unknown>>

/** Make this thread do jobs, one after the other. */
export function serveJobs(jobs: Jobs): void {
  parentPort?.on('message', (job: Job) => {
    void outcomeOf(jobs, job).then(outcome => parentPort?.postMessage(outcome, []))
  })
  parentPort?.postMessage(LOADED, [])
}

/** A pool without threads: jobs run here and cannot be stopped. For sources, which a thread cannot load by itself. */
export const inThisThread = (load: () => Promise<Jobs>): ThreadPool => ({
  size: 1,
  async run<T>(job: string, input: unknown, { signal }: { signal?: AbortSignal | undefined } = {}) {
    await new Promise(resolve => void setImmediate(resolve))
    signal?.throwIfAborted()
    const outcome = await outcomeOf(await load(), { job, input })
    if ('value' in outcome) return outcome.value as T
    throw outcome.known ? new Error(outcome.error) : new TypeError(outcome.error)
  },
})

async function outcomeOf(jobs: Jobs, { job, input }: Job): Promise<JobOutcome> {
  try {
    const work = jobs[job] as ((given: unknown) => unknown) | undefined
    if (!work) throw new TypeError(`There is no job '${job}'`)
    return { value: await work(input) }
  } catch (error) {
    const known = error instanceof Error && !(error instanceof TypeError || error instanceof RangeError)
    return { error: error instanceof Error ? error.message : String(error), known }
  }
}
