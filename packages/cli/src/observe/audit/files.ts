import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  openSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { basename, dirname, extname, join } from 'node:path'
import { UsageError } from '../../config/usage-error.ts'
import { endsWith } from './file-end.ts'

/** What the names of all files begin with that were put aside; `*` stands for the rest. */
export const rotatedFiles = (file: string): string => join(dirname(file), `${basename(file, extname(file))}-20*`)

/** `audit.jsonl` → `audit-20260102T030405678Z.jsonl`: sorted by name, they are sorted by time. */
export function asideOf(file: string, now: number): string {
  const extension = extname(file)
  const stem = `${basename(file, extension)}-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}`
  for (let i = 1; ; i++) {
    const aside = join(dirname(file), `${stem}${i === 1 ? '' : `-${i}`}${extension}`)
    if (!existsSync(aside)) return aside
  }
}

/** How a file is opened to append to it. A pipe without a reader, or one that is full, is an error, and is not waited for. */
const APPENDING = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0)

/** Open a file to append to it. */
export function open(file: string): number {
  try {
    return openSync(file, APPENDING, 0o600)
  } catch (error) {
    throw unwritable(file, error)
  }
}

/** Append a text to a file. */
export function appendTo(file: string, text: string): void {
  const descriptor = openSync(file, APPENDING, 0o600)
  try {
    if (text !== '') writeSync(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
}

/** Open a file to append to it, if it is there; where it could not be made either, that is said now. */
export function openIfThere(file: string): number | undefined {
  if (existsSync(file)) return open(file)
  try {
    accessSync(dirname(file), constants.W_OK)
  } catch (error) {
    throw unwritable(file, error)
  }
  return undefined
}

/** Make a file that has these lines from its first moment on; false if there is one by now. */
export function beginFile(file: string, lines: Uint8Array): boolean {
  const fresh = `${file}.${randomBytes(4).toString('hex')}`
  try {
    writeFileSync(fresh, lines, { flag: 'wx', mode: 0o600 })
    linkSync(fresh, file)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') throw error
    // The file system has no links; only one process can create the file.
    return beginPlainly(file, lines)
  } finally {
    removeQuietly(fresh)
  }
}

function beginPlainly(file: string, lines: Uint8Array): boolean {
  try {
    writeFileSync(file, lines, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function removeQuietly(file: string): void {
  try {
    unlinkSync(file)
  } catch {
    // It was never made.
  }
}

/** On a full disk a part of the lines was written: it is removed, unless another process wrote behind it. */
export function takeBack(file: string, descriptor: number, part: Uint8Array): void {
  if (part.length === 0) return
  try {
    if (endsWith(file, part)) ftruncateSync(descriptor, fstatSync(descriptor).size - part.length)
  } catch {
    // Then it stays, and the next line says so.
  }
}

/** Is that file still at that place? */
export function isSame(own: { readonly ino: number; readonly dev: number }, file: string): boolean {
  const there = statSync(file, { throwIfNoEntry: false })
  return there?.ino === own.ino && there.dev === own.dev
}

const unwritable = (file: string, error: unknown): UsageError =>
  new UsageError(`--audit ${file} cannot be written: ${whyNot(error)}`, 5)

/** Why a file cannot be opened to append to it. */
export function whyNot(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ENXIO') return 'it is a pipe that no process reads, or a socket'
  return error instanceof Error ? error.message : String(error)
}
