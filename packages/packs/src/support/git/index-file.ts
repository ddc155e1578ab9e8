import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

/** An entry of the index that stands for another repository's commit. */
export interface Gitlink {
  /** Its path, as bytes read as Latin-1. */
  readonly path: string
  readonly hash: string
  /** Is git to skip it? */
  readonly assumed: boolean
  readonly flagsAt: number
}

const ASSUME_VALID = 0x8000
const EXTENDED = 0x4000
const GITLINK = 0o160000
const FILE = 0o100000
// Times, device, inode, mode, owner, size.
const STAT_BYTES = 40
const MODE_AT = 24
const HEADER_BYTES = 12
// No system has longer paths, and no index more extensions.
const MOST_PATH_BYTES = 4096
const MOST_EXTENSIONS = 100
// Entries that are read without a pause.
const SLICE = 10_000

/** One entry of an index file. */
interface Entry {
  readonly path: Buffer
  readonly mode: number
  /** Where its hash begins, which ends where its flags begin. */
  readonly hashAt: number
  readonly flagsAt: number
}

const toGitlink =
  (index: Buffer) =>
  ({ path, mode, hashAt, flagsAt }: Entry): Gitlink | undefined => {
    if ((mode & 0o170000) !== GITLINK) return undefined
    const assumed = (index.readUInt16BE(flagsAt) & ASSUME_VALID) !== 0
    return { path: path.toString('latin1'), hash: index.toString('hex', hashAt, flagsAt), assumed, flagsAt }
  }

/** The gitlinks of an index file; throws if it is none that git 2 writes, or has parts elsewhere. */
export const gitlinks = (index: Buffer, hashBytes: number): Gitlink[] => entries(index, hashBytes, toGitlink(index))

/** The same, a slice of the file at a time: others are served in between. */
export async function gitlinksInSlices(index: Buffer, hashBytes: number): Promise<Gitlink[]> {
  const walking = walk(index, hashBytes, toGitlink(index))
  for (;;) {
    const { done, value } = step(walking)
    if (done) return value
    await setImmediate()
  }
}

/** The files of an index whose contents are not those of an older one, by path. */
export function changedPaths(before: Buffer | undefined, after: Buffer, hashBytes: number): string[] {
  const keyIn =
    (index: Buffer) =>
    ({ path, hashAt, flagsAt }: Entry): string =>
      `${index.toString('hex', hashAt, flagsAt)} ${path.toString('latin1')}`
  const known = new Set(before ? entries(before, hashBytes, keyIn(before)) : [])
  const key = keyIn(after)
  return entries(after, hashBytes, entry =>
    (entry.mode & 0o170000) !== FILE || known.has(key(entry)) ? undefined : entry.path.toString(),
  )
}

/** What is made of each entry, unless it is nothing. */
function entries<T>(index: Buffer, hashBytes: number, make: (entry: Entry) => T | undefined): T[] {
  const walking = walk(index, hashBytes, make)
  for (;;) {
    const { done, value } = step(walking)
    if (done) return value
  }
}

type Walking<T> = Generator<void, T[]>

function step<T>(walking: Walking<T>): IteratorResult<void, T[]> {
  try {
    return walking.next()
  } catch (cause) {
    if (cause instanceof RangeError) throw new Error('its index is damaged', { cause })
    throw cause
  }
}

/** Pauses after every so many entries. */
function* walk<T>(index: Buffer, hashBytes: number, make: (entry: Entry) => T | undefined): Walking<T> {
  const version = index.readUInt32BE(4)
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) {
    throw new Error('its index has an unknown format')
  }
  const found: T[] = []
  let path: Buffer = Buffer.alloc(0)
  let at = HEADER_BYTES
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + STAT_BYTES + hashBytes
    const isExtended = version > 2 && (index.readUInt16BE(flagsAt) & EXTENDED) !== 0
    const nameAt = flagsAt + (isExtended ? 4 : 2)
    const name = version === 4 ? compressed(index, nameAt, path) : plain(index, nameAt)
    path = name.path
    if (path.length > MOST_PATH_BYTES) throw new Error(`its index has a path of more than ${MOST_PATH_BYTES} bytes`)
    const made = make({ path, mode: index.readUInt32BE(at + MODE_AT), hashAt: at + STAT_BYTES, flagsAt })
    if (made !== undefined) found.push(made)
    if (left % SLICE === 0) yield
    at = version === 4 ? name.end + 1 : at + ((name.end - at + 8) & ~7)
  }
  mustBeWhole(index, at, hashBytes)
  return found
}

interface Name {
  readonly path: Buffer
  readonly end: number
}

function endOf(index: Buffer, from: number): number {
  const end = index.indexOf(0, from)
  if (end < 0) throw new RangeError('A name without an end')
  return end
}

function plain(index: Buffer, from: number): Name {
  const end = endOf(index, from)
  return { path: index.subarray(from, end), end }
}

/** In version 4 a name begins with how much of the one before is cut off. */
function compressed(index: Buffer, from: number, before: Buffer): Name {
  let at = from
  let byte = index.readUInt8(at++)
  let cut = byte & 0x7f
  while ((byte & 0x80) !== 0) {
    byte = index.readUInt8(at++)
    cut = (cut + 1) * 128 + (byte & 0x7f)
  }
  if (cut > before.length) throw new RangeError('More is cut off than there is')
  const end = endOf(index, at)
  return { path: Buffer.concat([before.subarray(0, before.length - cut), index.subarray(at, end)]), end }
}

function mustBeWhole(index: Buffer, from: number, hashBytes: number): void {
  let count = 0
  for (let at = from; at + 8 <= index.length - hashBytes; at += 8 + index.readUInt32BE(at + 4)) {
    if (++count > MOST_EXTENSIONS) throw new RangeError('Too many extensions')
    if (index.toString('latin1', at, at + 4) === 'link') {
      throw new Error('its index is split into two files: join them with git update-index --no-split-index')
    }
  }
}

/** Have git take gitlinks as they are in the index, without looking at what lies there; returns whose mark is new. */
export function assumeGitlinks(
  index: Buffer,
  hashBytes: number,
  links: readonly Gitlink[] = gitlinks(index, hashBytes),
): ReadonlySet<string> {
  const fresh = links.filter(({ assumed }) => !assumed)
  for (const { flagsAt } of fresh) index.writeUInt16BE(index.readUInt16BE(flagsAt) | ASSUME_VALID, flagsAt)
  if (fresh.length > 0) sign(index, hashBytes)
  return new Set(fresh.map(({ path }) => path))
}

/** Take the marks away again. */
export function unassume(index: Buffer, hashBytes: number, paths: ReadonlySet<string>): void {
  const marked = gitlinks(index, hashBytes).filter(({ path, assumed }) => assumed && paths.has(path))
  for (const { flagsAt } of marked) index.writeUInt16BE(index.readUInt16BE(flagsAt) & ~ASSUME_VALID, flagsAt)
  if (marked.length > 0) sign(index, hashBytes)
}

function sign(index: Buffer, hashBytes: number): void {
  const body = index.subarray(0, index.length - hashBytes)
  createHash(hashBytes === 32 ? 'sha256' : 'sha1')
    .update(body)
    .digest()
    .copy(index, body.length)
}
