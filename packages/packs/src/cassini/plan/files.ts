import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { readBoundedSync } from '../../support/files/file.ts'
import { sweepDirectory, temporaryName } from '../../support/files/temporary.ts'

/** Says which tables a database has; it rises when they change. */
export const FORMAT = 2

/** An error in the plan that the caller can correct: its message is shown. */
export class PlanError extends Error {
  override readonly name = 'PlanError'
}

/** Where databases are kept unless someone says otherwise: the platform's folder for data. */
export function dataFolder(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): string {
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'causeway')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'causeway')
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'causeway')
}

/** The databases of a folder: the plan someone imported, and the one that was made up. */
export const databases = (data: string | undefined): { readonly imported: string; readonly synthetic: string } => {
  const folder = resolve(data ?? dataFolder())
  return { imported: join(folder, 'cassini.db'), synthetic: join(folder, `cassini-synthetic-${FORMAT}.db`) }
}

/** Write a database, and a digest behind it, so that others see all of it or none: two processes that do so at once leave one of the two versions. */
export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  sweepDirectory(dirname(path))
  const draft = join(dirname(path), temporaryName())
  try {
    const file = await open(draft, 'wx')
    try {
      await file.writeFile(bytes)
      await file.write(digestOf(bytes))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

const MAGIC = 'SQLite format 3\0'
const DIGEST_BYTES = 32
const MOST_BYTES = 1024 * 1024 * 1024

/** The bytes of a database file if it is there and exactly what was written. */
export function readWhole(path: string): Uint8Array | undefined {
  let bytes: Buffer
  try {
    bytes = readBoundedSync(path, MOST_BYTES, { links: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const database = bytes.subarray(0, Math.max(0, bytes.length - DIGEST_BYTES))
  if (!isWhole(database) || !digestOf(database).equals(bytes.subarray(database.length))) return undefined
  return new Uint8Array(database.buffer, database.byteOffset, database.length)
}

/** Behind the database: whatever was damaged in it, SQLite itself would notice only when it comes across it. */
const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** The header says how long the file must be and which tables it has. */
function isWhole(bytes: Buffer): boolean {
  if (bytes.length < 100 || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return false
  const pageSize = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16)
  return bytes.length === pageSize * bytes.readUInt32BE(28) && bytes.readUInt32BE(60) === FORMAT
}
