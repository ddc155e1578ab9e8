import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Log } from '@causeway/engine'

interface RejectionLog {
  readonly log: Log
  readonly toolsDirs: readonly string[]
}

// As long as the process runs, since a promise of a tool may fail after its command is done.
let current: RejectionLog | undefined

/** Log a promise that failed without anyone waiting for it, and go on: it must not end the calls of others. */
export function surviveRejections(log: Log, toolsDirs: readonly string[]): void {
  if (!current) process.on('unhandledRejection', logRejection)
  current = { log, toolsDirs }
}

function logRejection(error: unknown): void {
  const file = fileOf(error, current?.toolsDirs ?? [])
  current?.log('error', 'unhandled promise rejection', { ...(file !== undefined && { file }), error })
}

/** The module of a tools folder that the stack of the error leads through. */
function fileOf(error: unknown, toolsDirs: readonly string[]): string | undefined {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return undefined
  for (const line of error.stack.split('\n').slice(0, 50)) {
    const [, place] = /(file:\/\/\S+?):\d+:\d+\)?$/.exec(line) ?? []
    if (place !== undefined && toolsDirs.some(dir => place.startsWith(`${pathToFileURL(resolve(dir)).href}/`)))
      return decodeURI(new URL(place).pathname)
  }
  return undefined
}
