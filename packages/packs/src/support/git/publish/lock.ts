import { constants } from 'node:fs'
import { open, rename, rmdir, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { codeOf } from '../../files/errno.ts'
import type { Jail } from '../../files/jail.ts'
import { quote } from '../../quote.ts'

/** A lock as git takes it, on a file that is going to be replaced. */
export interface Lock {
  /** Put these contents in the file's place; with a time, as old as that says. */
  replace(contents: Buffer | string, seconds?: number): Promise<void>
}

const EXCLUSIVE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** Work while a file is locked; unless it was replaced, the lock is taken away afterwards. */
export async function locked<T>(jail: Jail, path: string, work: (lock: Lock) => Promise<T>): Promise<T> {
  return jail.at({ path: `${path}.lock`, make: true, link: true }, async place => {
    const file = await open(place.at, EXCLUSIVE, 0o666).catch((cause: unknown) => {
      throw codeOf(cause) === 'EEXIST' ? taken(place.path, cause) : cause
    })
    const lock = { isOurs: true }
    try {
      return await work({
        replace: async (contents, seconds) => {
          await fill(file, contents, seconds)
          await moveOver(place.at, place.dir.at(basename(path)))
          lock.isOurs = false
        },
      })
    } finally {
      await file.close()
      if (lock.isOurs) await unlink(place.at).catch(() => {})
    }
  })
}

const taken = (path: string, cause: unknown): Error =>
  new Error(
    `Another git process is changing this repository: ${quote(path)} exists. ` +
      'Try again; if no git is running, that file was left behind and may be removed.',
    { cause },
  )

async function fill(file: FileHandle, contents: Buffer | string, seconds: number | undefined): Promise<void> {
  await file.writeFile(contents)
  if (seconds !== undefined) await file.utimes(seconds, seconds)
  await file.datasync()
}

async function moveOver(source: string, target: string): Promise<void> {
  try {
    await rename(source, target)
  } catch (error) {
    // Branches that are gone leave empty folders behind, one of which may have this name.
    if (!['EISDIR', 'ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error) ?? '')) throw error
    await rmdir(target)
    await rename(source, target)
  }
}
