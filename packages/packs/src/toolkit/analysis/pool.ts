import { inThisThread } from '../../support/threads/thread.ts'
import { Threads } from '../../support/threads/thread-pool.ts'
import type { Limits, ThreadPool } from '../../support/threads/thread-pool.ts'
import type { Target } from './parse/file.ts'
import type { Linking, Network } from '../linking/link.ts'
import type { Mentions } from '../linking/mentions.ts'
import type { Finding, FoundFiles } from './files.ts'
import type { FileMetrics } from './measure/metrics.ts'

/** Finds files, measures batches of them, and follows their links. */
export interface Pool {
  /** How many batches it works on at once. */
  readonly size: number
  find(wanted: Finding, limits: Limits): Promise<FoundFiles>
  run(batch: readonly Target[], limits: Limits): Promise<readonly FileMetrics[]>
  link(files: Linking, limits: Limits): Promise<Network>
  mentioned(names: Mentions, limits: Limits): Promise<readonly string[]>
}

// All that a file leaves behind is of no use to the next: swept often, the same work takes a fifth less memory.
const NURSERY_MB = 6

const pools = new Map<string, ThreadPool>()

/** Threads, by default with the script beside the build; the sources have none, and there the work is done here. */
export function createPool(script?: URL): Pool {
  const threads = threadsOf(script)
  return {
    size: threads.size,
    find: (wanted, limits) => threads.run('find', wanted, limits),
    run: (batch, limits) => threads.run('measure', batch, limits),
    link: (files, limits) => threads.run('link', files, limits),
    mentioned: (names, limits) => threads.run('mentioned', names, limits),
  }
}

/** Shared by all servers of a process. */
function threadsOf(script: URL | undefined): ThreadPool {
  if (script === undefined && import.meta.url.endsWith('.ts'))
    return inThisThread(async () => (await import('./jobs.ts')).JOBS)
  const { href } = script ?? new URL('./toolkit-worker.js', import.meta.url)
  const known = pools.get(href) ?? new Threads(new URL(href), { nurseryMb: NURSERY_MB })
  pools.set(href, known)
  return known
}
