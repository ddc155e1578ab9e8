import { inThisThread } from '../../support/threads/thread.ts'
import { Threads } from '../../support/threads/thread-pool.ts'
import type { Limits } from '../../support/threads/thread-pool.ts'
import type { Target } from './parse/file.ts'
import type { Finding, FoundFiles } from './files.ts'
import type { FileMetrics } from './measure/metrics.ts'

/** Finds files, and measures batches of them. */
export interface Pool {
  /** How many batches it works on at once. */
  readonly size: number
  find(wanted: Finding, limits: Limits): Promise<FoundFiles>
  run(batch: readonly Target[], limits: Limits): Promise<readonly FileMetrics[]>
}

// All that a file leaves behind is of no use to the next: swept often, the same work takes a fifth less memory.
const NURSERY_MB = 6

/** Threads, by default with the script beside the build; the sources have none, and there the work is done here. */
export function createPool(script?: URL): Pool {
  const threads =
    script === undefined && import.meta.url.endsWith('.ts')
      ? inThisThread(async () => (await import('./jobs.ts')).JOBS)
      : new Threads(script ?? new URL('./toolkit-worker.js', import.meta.url), { nurseryMb: NURSERY_MB })
  return {
    size: threads.size,
    find: (wanted, limits) => threads.run('find', wanted, limits),
    run: (batch, limits) => threads.run('measure', batch, limits),
  }
}
