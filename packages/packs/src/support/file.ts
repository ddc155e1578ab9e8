import { constants } from 'node:fs'
import type { Stats } from 'node:fs'
import { access, lstat, open, rename, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { codeOf } from './errno.ts'
import type { Place } from './jail.ts'
import { quote } from './quote.ts'

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants
// Neither missing constant exists on Windows; a pipe in the file's place must not make us wait for its writer.
const PLAIN = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** What something in the file system is, in a word. */
export function kindOf(stats: Stats): 'file' | 'directory' | 'link' | 'pipe' | 'socket' | 'device' {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isFIFO()) return 'pipe'
  return stats.isSocket() ? 'socket' : 'device'
}

/** Open a file for reading, and work with it; anything that is no regular file is refused. */
export async function reading<T>(place: Place, work: (file: FileHandle, stats: Stats) => Promise<T>): Promise<T> {
  const file = await open(place.at, O_RDONLY | PLAIN)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error(`This is a ${kindOf(stats)}, not a file: ${quote(place.path)}`)
    return await work(file, stats)
  } finally {
    await file.close()
  }
}

/** Read to the end, or until it is more than `most` bytes: then undefined. */
export async function readAll(file: FileHandle, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024)
    const { bytesRead } = await file.read(chunk, 0, chunk.length, size)
    if (bytesRead === 0) return Buffer.concat(chunks, size)
    size += bytesRead
    if (size > most) return undefined
    chunks.push(chunk.subarray(0, bytesRead))
  }
}

/** Put new contents in the file's place at once: whoever reads it sees the old or the new, never a part. */
export async function replace(place: Place, contents: string | Buffer): Promise<void> {
  const before = await standing(place)
  const temporary = place.dir.at(`.${crypto.randomUUID()}.tmp`)
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | PLAIN, 0o666)
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
  if (!stats.isFile()) throw new Error(`This is a ${kindOf(stats)}, not a file: ${quote(place.path)}`)
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
