import { parentPort } from 'node:worker_threads'
import { measureFile } from './file.ts'
import type { Target } from './file.ts'
import type { FileMetrics } from './metrics.ts'

/** What a thread answers to a batch of files. */
export type Answer = { readonly measured: readonly FileMetrics[] } | { readonly error: string }

parentPort?.on('message', (batch: readonly Target[]) => {
  void answer(batch).then(reply => parentPort?.postMessage(reply, []))
})

async function answer(batch: readonly Target[]): Promise<Answer> {
  const measured: FileMetrics[] = []
  try {
    for (const target of batch) measured.push(await measureFile(target))
    return { measured }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
