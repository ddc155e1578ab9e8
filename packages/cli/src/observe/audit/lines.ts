import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { UsageError } from '../../config/usage-error.ts'
import { timeIn } from './file-end.ts'

const NEWLINE = 10
const STEP = 1024 * 1024
const LONGEST = 64 * STEP

/** A line without its newline, until the next one is asked for; the last one of a file may have had none. */
export interface AuditLine {
  readonly bytes: Buffer
  readonly isWhole: boolean
}

/** The lines of a file one after the other, in the memory of one of them. */
export function* linesIn(file: string): Generator<AuditLine> {
  const descriptor = open(file)
  try {
    let rest = Buffer.alloc(0)
    for (;;) {
      const chunk = Buffer.allocUnsafe(STEP)
      const read = readSync(descriptor, chunk, 0, STEP, null)
      if (read === 0) break
      const bytes = rest.length === 0 ? chunk.subarray(0, read) : Buffer.concat([rest, chunk.subarray(0, read)])
      let start = 0
      for (let end = bytes.indexOf(NEWLINE, rest.length); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        yield { bytes: bytes.subarray(start, end), isWhole: true }
        start = end + 1
      }
      rest = bytes.subarray(start)
      if (rest.length > LONGEST) throw new UsageError(`${file} has a line of more than ${LONGEST} bytes.`, 1)
    }
    if (rest.length > 0) yield { bytes: rest, isWhole: false }
  } finally {
    closeSync(descriptor)
  }
}

/** Each file once, those that were begun first at first. */
export function sortedByTime(files: readonly string[]): string[] {
  const known = new Map(files.map(file => [realPathOf(file), file]))
  const timed = [...known.values()].map(file => ({ file, time: firstTime(file) }))
  return timed.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map(({ file }) => file)
}

function realPathOf(file: string): string {
  try {
    return realpathSync(file)
  } catch (error) {
    throw unreadable(file, error)
  }
}

function firstTime(file: string): string {
  for (const { bytes } of linesIn(file)) return timeIn(bytes) ?? ''
  return ''
}

function open(file: string): number {
  let descriptor: number | undefined
  try {
    // Do not wait for a pipe that has no writer.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    if (!fstatSync(descriptor).isFile()) throw new Error('it is not a regular file')
    return descriptor
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    throw unreadable(file, error)
  }
}

const unreadable = (file: string, error: unknown): UsageError =>
  new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, 5)
