import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { placeOf } from './chain.ts'
import type { ChainPlace } from './chain.ts'

/** The rest of a line that a process could not finish. */
export interface TornLine {
  readonly bytes: number
  readonly sha256: string
}

/** How a file ends, for who goes on with it. */
export interface FileEnd {
  readonly size: number
  /** Its last whole line; undefined if that is of no chain. */
  readonly last: (ChainPlace & { readonly isEnd: boolean }) | undefined
  readonly torn: TornLine | undefined
  /** When its first line was written, as that says. */
  readonly since: string | undefined
}

const NEWLINE = 10
const STEP = 64 * 1024
// A longer line is none of ours.
const LONGEST_LINE = 64 * 1024 * 1024

/** How a file ends; undefined if there is none, or it is a pipe or a terminal. */
export function endOf(file: string): FileEnd | undefined {
  const descriptor = openForReading(file)
  if (descriptor === undefined) return undefined
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return undefined
    const { size } = stats
    const lastNewline = newlineBefore(descriptor, size)
    const lineStart = newlineBefore(descriptor, lastNewline) + 1
    const line = lastNewline < 0 ? undefined : read(descriptor, lineStart, lastNewline)
    const place = line && placeOf(line)
    const isEnd = line?.subarray(0, END.length).equals(END) ?? false
    return {
      size,
      last: place && { ...place, isEnd },
      torn: lastNewline + 1 < size ? tornOf(read(descriptor, lastNewline + 1, size)) : undefined,
      since: timeIn(read(descriptor, 0, Math.min(size, STEP))),
    }
  } finally {
    closeSync(descriptor)
  }
}

/** When the first line of a file was written. */
export const startOf = (end: FileEnd | undefined): number | undefined => {
  const ms = Date.parse(end?.since ?? '')
  return Number.isNaN(ms) ? undefined : ms
}

/** What is left of a line at the end of a file; after a failure nothing else may go wrong. */
export function tornAtEndOf(file: string): TornLine | undefined {
  try {
    return endOf(file)?.torn
  } catch {
    return undefined
  }
}

/** Does a file end with these bytes? */
export function endsWith(file: string, bytes: Uint8Array): boolean {
  const descriptor = openForReading(file)
  if (descriptor === undefined) return false
  try {
    const { size } = fstatSync(descriptor)
    return read(descriptor, Math.max(0, size - bytes.length), size).equals(bytes)
  } finally {
    closeSync(descriptor)
  }
}

const END = Buffer.from('{"audit":"end",')

/** What is left of a line. */
export const tornOf = (rest: Uint8Array): TornLine => ({
  bytes: rest.length,
  sha256: createHash('sha256').update(rest).digest('hex'),
})

/** The time of the first line of these bytes. */
export const timeIn = (bytes: Buffer): string | undefined => {
  const end = bytes.indexOf(NEWLINE)
  return /"time":"([^"]{1,40})"/.exec(bytes.toString('latin1', 0, end < 0 ? bytes.length : end))?.[1]
}

function openForReading(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch {
    return undefined
  }
}

/** Where the last newline before a place is; -1 if there is none near enough. */
function newlineBefore(descriptor: number, place: number): number {
  let end = place
  while (end > 0 && place - end < LONGEST_LINE) {
    const start = Math.max(0, end - STEP)
    const found = read(descriptor, start, end).lastIndexOf(NEWLINE)
    if (found >= 0) return start + found
    end = start
  }
  return -1
}

function read(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, end - start))
  let got = 0
  while (got < bytes.length) {
    const more = readSync(descriptor, bytes, got, bytes.length - got, start + got)
    if (more === 0) break
    got += more
  }
  return bytes.subarray(0, got)
}
