import { constants } from 'node:fs'
import { mkdir, open, opendir, symlink, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isMissing } from '../errno.ts'
import type { Held, Jail } from '../jail.ts'
import { quote } from '../quote.ts'
import { inRoots, readIn } from './locate.ts'

const DIRECTORY = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
const PART = /^(?:[\da-f]{2}|pack)$/
const ALTERNATES_BYTES = 64 * 1024
const MOST_STORES = 16
const MOST_ENTRIES = 2_000_000

/**
 * Give a private git directory the objects of a repository to read: for each store a folder of links to its parts,
 * which are held open meanwhile, and no list of further stores that git would follow by itself.
 */
export async function withObjects<T>(jail: Jail, objects: string, folder: string, work: () => Promise<T>): Promise<T> {
  const stores = await storesOf(jail, objects)
  const handles: FileHandle[] = []
  try {
    const lines: string[] = []
    for (const [i, store] of stores.entries()) {
      const mine = join(folder, `store-${i}`)
      await mkdir(mine)
      handles.push(...(await jail.inside({ path: store }, dir => linkParts(dir, mine)).catch(noneIfMissing)))
      lines.push(`${mine}\n`)
    }
    await mkdir(join(folder, 'objects/info'), { recursive: true })
    await writeFile(join(folder, 'objects/info/alternates'), lines.join(''))
    return await work()
  } finally {
    await Promise.all(handles.map(handle => handle.close()))
  }
}

/** Git goes on without a store that is gone. */
function noneIfMissing(error: unknown): [] {
  if (isMissing(error)) return []
  throw error
}

/** The stores a repository takes objects from: its own, those it borrows from, and those they borrow from. */
async function storesOf(jail: Jail, objects: string): Promise<string[]> {
  const stores = [await inRoots(jail, objects, objects)]
  // Grows while it is walked.
  for (const store of stores) {
    const list = (await readIn(jail, join(store, 'info/alternates'), ALTERNATES_BYTES))?.toString() ?? ''
    for (const line of list.split('\n')) {
      if (line === '' || line.startsWith('#')) continue
      const other = await inRoots(jail, resolve(store, unquoted(line)), objects)
      if (!stores.includes(other)) stores.push(other)
      if (stores.length > MOST_STORES) throw new Error(`${quote(objects)} borrows from more than ${MOST_STORES} stores`)
    }
  }
  return stores
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }

/** A line in double quotes has escapes as in C; any other is what it is. */
function unquoted(line: string): string {
  const inner = /^"((?:[^"\\]|\\(?:[abtnvfr"\\]|[0-3][0-7]{2}))*)"/.exec(line)?.[1]
  if (inner === undefined) return line
  const bytes = Buffer.from(inner).toString('latin1')
  const plain = bytes.replaceAll(/\\([0-3][0-7]{2}|[^])/g, (_, escaped: string) =>
    String.fromCharCode(ESCAPES[escaped] ?? Number.parseInt(escaped, 8)),
  )
  return Buffer.from(plain, 'latin1').toString()
}

async function linkParts(dir: Held, mine: string): Promise<FileHandle[]> {
  const names: string[] = []
  await eachEntry(dir.at(), ({ name }) => {
    if (PART.test(name)) names.push(name)
  })
  const handles: FileHandle[] = []
  try {
    for (const name of names) {
      const handle = await openPart(dir, name)
      handles.push(handle)
      await mustBePlain(dir, name, handle)
      await symlink(addressFor(dir, name, handle), join(mine, name), 'junction')
    }
    return handles
  } catch (error) {
    await Promise.all(handles.map(handle => handle.close()))
    throw error
  }
}

async function openPart(dir: Held, name: string): Promise<FileHandle> {
  try {
    return await open(dir.at(name), DIRECTORY)
  } catch (cause) {
    throw new Error(`${quote(join(dir.path, name))} is a symbolic link or no directory, and is not followed`, { cause })
  }
}

/** Under which another process reaches what this one holds open. */
const addressFor = (dir: Held, name: string, { fd }: FileHandle): string =>
  hasAddress(dir) ? `/proc/${process.pid}/fd/${fd}` : join(dir.path, name)

const hasAddress = (dir: Held): boolean => dir.at() !== dir.path

/** Objects are regular files. A link would have git read elsewhere, a pipe would have it wait. */
async function mustBePlain(dir: Held, name: string, { fd }: FileHandle): Promise<void> {
  const address = hasAddress(dir) ? `/proc/self/fd/${fd}` : dir.at(name)
  await eachEntry(address, entry => {
    if (entry.isFile() || entry.isDirectory()) return
    const path = quote(join(dir.path, name, entry.name))
    throw new Error(`${path} is ${entry.isSymbolicLink() ? 'a symbolic link' : 'no file'}, and is not followed`)
  })
}

async function eachEntry(
  address: string,
  take: (entry: { name: string; isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }) => void,
): Promise<void> {
  let count = 0
  try {
    for await (const entry of await opendir(address, { bufferSize: 1024 })) {
      if (++count > MOST_ENTRIES) throw new Error(`${quote(address)} has more than ${MOST_ENTRIES} entries`)
      take(entry)
    }
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
