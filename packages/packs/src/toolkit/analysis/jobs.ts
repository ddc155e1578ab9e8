import type { Jobs } from '../../support/threads/thread.ts'
import { measureFile } from './parse/file.ts'
import type { Target } from './parse/file.ts'
import { linkFiles } from '../linking/link.ts'
import { mentionedIn } from '../linking/mentions.ts'
import { findFiles } from './files.ts'
import type { FileMetrics } from './measure/metrics.ts'

/** What the analysis threads can do. */
export const JOBS: Jobs = { find: findFiles, measure, link: linkFiles, mentioned: mentionedIn }

async function measure(batch: readonly Target[]): Promise<FileMetrics[]> {
  const measured: FileMetrics[] = []
  for (const target of batch) measured.push(await measureFile(target))
  return measured
}
