import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { codeOf } from './key-file.ts'
import { LOCK_MS, WAIT_MS, lockTimeout, pauseMs } from './sealed-records.ts'

// Held for the time of a few system calls only.
const BREAK_MS = 10_000

/** Run a task while no other process holds the lock file. A lock whose process ended is broken. */
export async function withLockFile<T>(file: string, task: () => Promise<T>): Promise<T> {
  const mark = `${process.pid} ${randomBytes(8).toString('hex')} ${hostname()}`
  const until = performance.now() + WAIT_MS
  for (let attempt = 0; !take(file, mark); attempt++) {
    if (performance.now() > until) throw lockTimeout(file)
    if (isLeftBehind(file)) breakLock(file)
    else await setTimeout(pauseMs(attempt))
  }
  try {
    return await task()
  } finally {
    if (markIn(file) === mark) rmSync(file, { force: true })
  }
}

function take(file: string, mark: string): boolean {
  try {
    const handle = openSync(file, 'wx', 0o600)
    try {
      writeSync(handle, mark)
    } finally {
      closeSync(handle)
    }
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function markIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function isLeftBehind(file: string): boolean {
  const [pid = '', , host] = markIn(file)?.split(' ') ?? []
  return (host === hostname() && !isRunning(Number(pid))) || isOlder(file, LOCK_MS)
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It runs, and belongs to another user.
    return codeOf(error) === 'EPERM'
  }
}

function isOlder(file: string, ms: number): boolean {
  try {
    return Date.now() - statSync(file).mtimeMs > ms
  } catch {
    return false
  }
}

/**
 * Delete a lock that was left behind. Who looked before another process took the lock over must not delete the new one:
 * therefore one process at a time looks again and deletes, without anything in between.
 */
function breakLock(file: string): void {
  const breaker = `${file}.break`
  if (!take(breaker, String(process.pid))) {
    if (isOlder(breaker, BREAK_MS)) rmSync(breaker, { force: true })
    return
  }
  try {
    if (isLeftBehind(file)) rmSync(file, { force: true })
  } finally {
    rmSync(breaker, { force: true })
  }
}
