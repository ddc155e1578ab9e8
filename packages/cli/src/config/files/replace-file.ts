import { isUtf8 } from 'node:buffer'
import { closeSync, existsSync, fchmodSync, fstatSync, lstatSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../usage-error.ts'

// Another process has the file for the time of a few system calls. One that was killed meanwhile leaves its part behind.
const WAIT_MS = 5000
const PAUSE_MS = 10
const LEFT_BEHIND_MS = 10_000

/** What a file holds; nothing if there is none. Bytes that are no UTF-8 would be lost when it is written again. */
export function textOf(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  try {
    if (!statSync(file).isFile()) throw new Error('it is not a file')
    const bytes = readFileSync(file)
    if (!isUtf8(bytes)) throw new Error('it is not UTF-8 text')
    return bytes.toString()
  } catch (error) {
    throw unusable(file, 'read', error)
  }
}

const unusable = (file: string, what: string, error: unknown): UsageError =>
  new UsageError(`${file} cannot be ${what}: ${error instanceof Error ? error.message : String(error)}`, 4)

/** Replace a file at once, through links, with the mode it has; a new one is for its owner alone. */
export const replaceFile = (file: string, text: string): void => editFile(file, () => text)

/** Replace what is there, also a link. */
export function replaceEntry(file: string, text: string): void {
  if (isLink(file)) rmSync(file)
  replaceFile(file, text)
}

/**
 * Replace what a file holds by what follows from it, while no other process of ours does the same. What `edit` throws
 * leaves the file as it was.
 */
export function editFile(file: string, edit: (before: string | undefined) => string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    const real = existsSync(file) ? realpathSync(file) : file
    if (isLink(real)) throw new Error('it is a link to a file that is not there')
    const mode = existsSync(real) ? statSync(real).mode & 0o777 : 0o600
    if ((mode & 0o222) === 0) throw new Error('it is read-only')
    written(real, mode, () => edit(textOf(real)))
  } catch (error) {
    throw error instanceof UsageError ? error : unusable(file, 'written', error)
  }
}

const isLink = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** The new file stands beside the old one until it takes its place; the process that creates it first is the one that writes. */
function written(real: string, mode: number, text: () => string): void {
  const next = `${real}.causeway-new`
  const handle = taken(next)
  try {
    writeFileSync(handle, text())
    fchmodSync(handle, mode)
    if (statSync(next).ino !== fstatSync(handle).ino) throw new Error('another process took its place')
    renameSync(next, real)
  } catch (error) {
    if (statSync(next, { throwIfNoEntry: false })?.ino === fstatSync(handle).ino) rmSync(next)
    throw error
  } finally {
    closeSync(handle)
  }
}

function taken(next: string): number {
  const until = performance.now() + WAIT_MS
  for (;;) {
    try {
      return openSync(next, 'wx', 0o600)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const began = lstatSync(next, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
      if (Date.now() - began > LEFT_BEHIND_MS) rmSync(next, { force: true })
      else if (performance.now() > until) throw new Error(`another process is writing it (${next})`, { cause: error })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}
