import { Threads } from '../../support/threads/thread-pool.ts'
import type { ThreadPool } from '../../support/threads/thread-pool.ts'

// A server answers first and tidies then.
const AFTER_MS = 1000
const LONGEST_MS = 10_000

/** Remove below each root what killed processes left, soon and in a thread: nobody waits for it, and it keeps no process alive. */
export function sweepSoon(threads: ThreadPool, roots: readonly string[]): void {
  if (!(threads instanceof Threads)) return
  setTimeout(() => {
    for (const root of roots) threads.run('sweep', root, { deadlineMs: LONGEST_MS }).catch(() => {})
  }, AFTER_MS).unref()
}
