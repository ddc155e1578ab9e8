import type { Jobs } from '../../support/thread.ts'
import { measureFile } from './file.ts'
import type { Target } from './file.ts'
import { findFiles } from './files.ts'
import type { FileMetrics } from './metrics.ts'

/** What the analysis threads can do. */
export const JOBS: Jobs = { find: findFiles, measure }

async function measure(batch: readonly Target[]): Promise<FileMetrics[]> {
  const measured: FileMetrics[] = []
  for (const target of batch) measured.push(await measureFile(target))
  return measured
}
