import { copyFileSync, fstatSync, ftruncateSync } from 'node:fs'

const MOST_BYTES = 1024 * 1024
const EVERY_MS = 5000
const STDERR = 2

/**
 * Keep the log that standard error is written to below a size, with one older file beside it. The file stays the same, since
 * it was opened by the process that started this one; nothing is written between the copy and the cut.
 */
export const rotateLog = (file: string): NodeJS.Timeout => setInterval(() => cutLog(file, STDERR), EVERY_MS).unref()

/** Keep a copy of a log that is too large, and begin it again. */
export function cutLog(file: string, descriptor: number): void {
  try {
    if (fstatSync(descriptor).size <= MOST_BYTES) return
    copyFileSync(file, `${file}.1`)
    ftruncateSync(descriptor, 0)
  } catch {
    // A log that cannot be cut is no reason to stop.
  }
}
