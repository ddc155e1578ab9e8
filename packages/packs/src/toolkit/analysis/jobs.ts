import type { Jobs } from '../../support/threads/thread.ts'
import { measureFile } from './parse/file.ts'
import type { Target } from './parse/file.ts'
import { findFiles } from './files.ts'
import type { FileMetrics } from './measure/metrics.ts'

/** What the analysis threads can do. */
export const JOBS: Jobs = { find: findFiles, measure }

async function measure(batch: readonly Target[]): Promise<FileMetrics[]> {
  const measured: FileMetrics[] = []
  for (const target of batch) measured.push(await measureFile(target))
  return measured
}
