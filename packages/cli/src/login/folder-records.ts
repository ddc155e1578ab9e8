import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, unusableFile } from './key-file.ts'
import { withLockFile } from './lock-file.ts'
import { LARGEST_RECORD, turns } from './sealed-records.ts'
import type { SealedRecords } from './sealed-records.ts'

const SUFFIX = '.sealed'

/** Sealed records as files of a folder that only its owner can read. */
export function folderRecords(folder: string): SealedRecords {
  const fileOf = (name: string): string => join(folder, name + SUFFIX)
  const inTurn = turns()
  return {
    isShared: false,
    shown: fileOf,
    read: name => readRecord(fileOf(name)),
    write: (name, text) => writeRecord(folder, fileOf(name), text),
    delete: async name => {
      const file = fileOf(name)
      await rm(file, { force: true }).catch(failed(file, 'deleted'))
    },
    names: group => namesIn(folder, group),
    async locked(name, task) {
      const file = join(folder, `${name}.lock`)
      await makeFolder(folder)
      return inTurn(name, () => withLockFile(file, task))
    },
  }
}

const failed =
  (path: string, done: string) =>
  (error: unknown): never => {
    throw unusableFile('The stored login', path, done, error)
  }

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (process.platform !== 'win32' && ((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700)
  } catch (error) {
    throw unusableFile('The folder of stored logins', folder, 'used', error)
  }
}

async function readRecord(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, 'r')
    try {
      if ((await handle.stat()).size > LARGEST_RECORD) throw new Error('it is too large')
      return await handle.readFile('utf8')
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    return failed(file, 'read')(error)
  }
}

/** The whole text or the old one, whatever happens meanwhile. */
async function writeRecord(folder: string, file: string, text: string): Promise<void> {
  await makeFolder(folder)
  const next = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(next, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(next, file)
  } catch (error) {
    await rm(next, { force: true })
    failed(file, 'written')(error)
  }
}

async function namesIn(folder: string, group: string): Promise<readonly string[]> {
  try {
    const files = await readdir(folder)
    return files
      .filter(file => file.startsWith(group) && file.endsWith(SUFFIX))
      .map(file => file.slice(0, -SUFFIX.length))
      .toSorted()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw unusableFile('The folder of stored logins', folder, 'read', error)
  }
}
