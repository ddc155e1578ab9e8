import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { access, lstat, open, rename, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { codeOf } from './errno.ts'
import type { Place } from './jail.ts'
import { quote } from '../quote.ts'
import { temporaryName } from './temporary.ts'

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants
// Neither constant exists on Windows. Opening a pipe without O_NONBLOCK waits for its writer without limit, and
// takes a thread of the pool with it.
const NO_WAIT = constants.O_NONBLOCK ?? 0
const NO_LINK = constants.O_NOFOLLOW ?? 0
const CHUNK = 64 * 1024

/** What something in the file system is, in a word. */
export function fileKind(stats: Stats): 'file' | 'directory' | 'link' | 'pipe' | 'socket' | 'device' {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isFIFO()) return 'pipe'
  return stats.isSocket() ? 'socket' : 'device'
}

/** How a file is opened. */
export interface OpenOptions {
  /** Take a link as what it leads to; default: refuse it. For files that the operator names, never for a caller's. */
  readonly links?: boolean
}

/** Open a file for reading without ever waiting, and work with it; anything that is no regular file is refused. */
export async function reading<T>(
  { at, path }: Pick<Place, 'at' | 'path'>,
  work: (file: FileHandle, stats: Stats) => Promise<T>,
  { links = false }: OpenOptions = {},
): Promise<T> {
  const file = await open(at, O_RDONLY | NO_WAIT | (links ? 0 : NO_LINK))
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw notFile(stats, path)
    return await work(file, stats)
  } finally {
    await file.close()
  }
}

/** Copy an open file into a new one; if that fails, nothing is left of it. */
export async function copyInto(
  file: FileHandle,
  { at }: Pick<Place, 'at'>,
  { mode, most, signal }: { readonly mode: number; readonly most: number; readonly signal: AbortSignal },
): Promise<void> {
  const copy = await open(at, 'wx', mode & 0o777)
  try {
    await pipeline(file.createReadStream({ autoClose: false, end: most }), copy.createWriteStream(), { signal })
  } catch (error) {
    await unlink(at).catch(() => {})
    throw error
  }
}

/** Read a whole file of at most so many bytes, and say so if it is larger or no file. */
export async function readBounded(path: string, most: number, opening?: OpenOptions): Promise<Buffer> {
  const bytes = await reading({ at: path, path }, file => readAll(file, most), opening)
  if (!bytes) throw tooLarge(path, most)
  return bytes
}

/** The same, without a promise: for threads of our own, and for what is read once at the start. */
export function readBoundedSync(
  at: string,
  most: number,
  { path = at, links = false, into }: SyncOpenOptions = {},
): Buffer {
  const file = openSync(at, O_RDONLY | NO_WAIT | (links ? 0 : NO_LINK))
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw notFile(stats, path)
    if (stats.size > most) throw tooLarge(path, most)
    return readDescriptor(file, stats.size, { most, into }) ?? fail(tooLarge(path, most))
  } finally {
    closeSync(file)
  }
}

interface SyncOpenOptions extends OpenOptions {
  /** What to call it in errors; default: the address. */
  readonly path?: string
  /** Where to put small files, so that reading many takes no memory; what is read lasts until the next one is. */
  readonly into?: Buffer
}

/** All of an open file, which is probably `size` bytes; undefined if it has more than `most`. */
function readDescriptor(
  file: number,
  size: number,
  { most, into }: { readonly most: number; readonly into: Buffer | undefined },
): Buffer | undefined {
  // One byte more than expected, so that a file that did not change is read in a single call.
  let buffer = into && size < into.length ? into : Buffer.allocUnsafe(Math.min(size, most) + 1)
  let length = 0
  for (;;) {
    const read = readSync(file, buffer, length, buffer.length - length, length)
    length += read
    if (length > most) return undefined
    if (read === 0 || length === size) return buffer.subarray(0, length)
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(most + 1, length + CHUNK))
  }
}

/** Read to the end, or until it is more than `most` bytes: then undefined. `take` counts what is read, and may refuse more. */
export async function readAll(
  file: FileHandle,
  most: number,
  take?: (bytes: number) => Promise<void> | void,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK)
    const { bytesRead } = await file.read(chunk, 0, chunk.length, size)
    if (bytesRead === 0) return Buffer.concat(chunks, size)
    size += bytesRead
    if (size > most) return undefined
    await take?.(bytesRead)
    chunks.push(chunk.subarray(0, bytesRead))
  }
}

/** Replace the file atomically: a reader sees the old or the new contents, never a part. */
export async function replace(place: Place, contents: string | Buffer): Promise<void> {
  const before = await standing(place)
  const temporary = place.dir.at(temporaryName())
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | NO_WAIT | NO_LINK, 0o666)
  try {
    try {
      if (before) await keepOwner(file, before)
      await file.writeFile(contents)
      await file.datasync()
    } finally {
      await file.close()
    }
    await rename(temporary, place.at)
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
}

/** The file that is there already, if one is; it must be one we may write. */
async function standing(place: Place): Promise<Stats | undefined> {
  let stats: Stats
  try {
    stats = await lstat(place.at)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  if (!stats.isFile()) throw notFile(stats, place.path)
  // Replacing asks the directory for permission, not the file: so ask the file too.
  await access(place.at, constants.W_OK)
  return stats
}

async function keepOwner(file: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  const now = await file.stat()
  // Only a privileged server can give files away; for any other the new file is its own.
  if (now.uid !== uid || now.gid !== gid) await file.chown(uid, gid).catch(() => {})
  await file.chmod(mode & 0o7777)
}

const notFile = (stats: Stats, path: string): Error =>
  new Error(`This is a ${fileKind(stats)}, not a file: ${quote(path)}`)

/** A file has more bytes than it may. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError'
}

const tooLarge = (path: string, most: number): Error => new TooLargeError(`${quote(path)} is larger than ${most} bytes`)

function fail(error: Error): never {
  throw error
}
