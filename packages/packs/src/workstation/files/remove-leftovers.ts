import { removeIfStale } from '../../support/files/temporary.ts'
import { walk } from '../../support/files/walk.ts'
import { Threads } from '../../support/threads/thread-pool.ts'
import type { ThreadPool } from '../../support/threads/thread-pool.ts'

// The server answers its first requests before it tidies up.
const AFTER_MS = 1000
const DEADLINE_MS = 10_000
// A root that is a whole disk is not worth more.
const LONGEST_MS = 3000

/** Remove temporary files that killed processes left below a root, as far as time allows. */
export function removeLeftovers(root: string): number {
  const until = performance.now() + LONGEST_MS
  let removed = 0
  walk([{ path: '' }], {
    root,
    ignored: 'all',
    visit: () => (performance.now() < until ? 'on' : 'end'),
    temporary: (name, directory) => {
      if (removeIfStale(name, directory.at(name))) removed++
    },
  })
  return removed
}

/** The same below each root, soon and in a thread, without keeping the process alive. */
export function removeLeftoversSoon(threads: ThreadPool, roots: readonly string[]): void {
  if (!(threads instanceof Threads)) return
  setTimeout(() => {
    for (const root of roots) threads.run('removeLeftovers', root, { deadlineMs: DEADLINE_MS }).catch(() => {})
  }, AFTER_MS).unref()
}
