import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import type { Log } from '@causeway/engine'
import type { AuditEntry } from '@causeway/engine/policies'
import { UsageError } from '../config/usage-error.ts'

const NEWLINE = 10

/** Write entries to the end of a file at once, so that nothing is lost however the process ends: whole lines, or none. */
export function auditFile(file: string, log: Log): (entry: AuditEntry) => void {
  const descriptor = open(file)
  // What another process left of a line when it died stays a line of its own.
  let isTorn = endsTorn(file)
  return entry => {
    const line = Buffer.from(`${isTorn ? '\n' : ''}${JSON.stringify(entry)}\n`)
    try {
      append(file, descriptor, line)
      isTorn = false
    } catch (error) {
      isTorn ||= endsTorn(file)
      // The call is done by now, and its answer must not say otherwise.
      log('error', 'an audit entry could not be written', { file, entry, error })
    }
  }
}

function append(file: string, descriptor: number, line: Buffer): void {
  let written = 0
  try {
    while (written < line.length) written += writeSync(descriptor, line, written)
  } catch (error) {
    takeBack(file, descriptor, line.subarray(0, written))
    throw error
  }
}

/** On a full disk a part of the line was written: it is removed, unless another process wrote behind it. */
function takeBack(file: string, descriptor: number, part: Buffer): void {
  try {
    if (tail(file, part.length)?.equals(part)) ftruncateSync(descriptor, fstatSync(descriptor).size - part.length)
  } catch {
    // Then it stays, and the next line begins with a newline.
  }
}

function endsTorn(file: string): boolean {
  const last = tail(file, 1)
  return last !== undefined && last[0] !== NEWLINE
}

/** The last bytes of a file; undefined if it has fewer, or is a pipe or a terminal. */
function tail(file: string, length: number): Buffer | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(descriptor)
    if (!stats.isFile() || length === 0 || stats.size < length) return undefined
    const last = Buffer.alloc(length)
    return readSync(descriptor, last, 0, length, stats.size - length) === length ? last : undefined
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function open(file: string): number {
  try {
    return openSync(file, 'a', 0o600)
  } catch (error) {
    throw new UsageError(
      `--audit ${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      5,
    )
  }
}
