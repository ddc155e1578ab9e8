import { closeSync, constants, mkdirSync, openSync, opendirSync, symlinkSync, unlinkSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { isMissing } from '../files/errno.ts'
import type { Held, Jail } from '../files/jail.ts'
import { inPrivateFolder } from '../files/private-folder.ts'
import { quote } from '../quote.ts'
import { inRoots, readIn } from './locate.ts'
import type { ReadBudget } from './read-budget.ts'

const DIRECTORY = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
const PART = /^(?:[\da-f]{2}|pack)$/
// Files that name no other file. Git would also read a `multi-pack-index`, which names packs by any path it likes.
const PACK_FILE = /^pack-[\da-f]{40}(?:[\da-f]{24})?\.(?:pack|idx|rev|promisor)$/
const ALTERNATES_BYTES = 64 * 1024
const MOST_STORES = 16
const MOST_ENTRIES = 100_000
// Each is linked by itself, and git opens them all; one pack has three or four.
const MOST_PACK_FILES = 5000
const SLICE = 16

/** A part of a store: the links to it that are ours, and the directory behind them, held open. */
interface Part {
  readonly links: readonly string[]
  readonly fd: number
}

/** Whose objects are wanted, and where. */
export interface ObjectsCopy {
  readonly jail: Jail
  readonly objects: string
  /** The private git directory. */
  readonly folder: string
  /** Whether git can reach what this process holds open; in a sandbox it cannot, and need not. */
  readonly held: boolean
  readonly budget: ReadBudget
}

/**
 * Give a private git directory the objects of a repository to read: for each store a folder of links to its parts,
 * which are held open meanwhile, and no list of further stores that git would follow by itself.
 */
export async function withObjects<T>(
  { jail, objects, folder, held, budget }: ObjectsCopy,
  work: (links: string) => Promise<T>,
): Promise<T> {
  const stores = await storesOf(jail, objects, budget)
  return inPrivateFolder(jail, 'small', async links => {
    const parts: Part[] = []
    try {
      const lines: string[] = []
      for (const [i, store] of stores.entries()) {
        const mine = join(links, String(i))
        await mkdir(mine)
        await jail.inside({ path: store }, dir => linkParts(dir, { mine, parts, held, budget })).catch(unlessMissing)
        lines.push(`${mine}\n`)
      }
      await mkdir(join(folder, 'objects/info'), { recursive: true })
      await writeFile(join(folder, 'objects/info/alternates'), lines.join(''))
      return await work(links)
    } finally {
      for (const { links: own, fd } of parts) {
        closeSync(fd)
        for (const link of own) unlinkSync(link)
      }
    }
  })
}

/** Git goes on without a store that is gone. */
function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error
}

/** The stores a repository takes objects from: its own, those it borrows from, and those they borrow from. */
async function storesOf(jail: Jail, objects: string, budget: ReadBudget): Promise<string[]> {
  const stores = [await inRoots(jail, objects, objects)]
  // Grows while it is walked.
  for (const store of stores) {
    const list = (await readIn(jail, join(store, 'info/alternates'), budget.upTo(ALTERNATES_BYTES)))?.toString() ?? ''
    for (const line of list.split('\n')) {
      if (line === '' || line.startsWith('#')) continue
      await budget.entries(1)
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

interface Linking {
  readonly mine: string
  readonly parts: Part[]
  readonly held: boolean
  readonly budget: ReadBudget
}

/**
 * There may be 257 parts, and what is done with each is over at once: waiting for every step would take ten times as
 * long. So it is done a few at a time, letting others have their turn in between.
 */
async function linkParts(dir: Held, linking: Linking): Promise<void> {
  const names: string[] = []
  eachEntry(dir.at(), ({ name }) => {
    if (PART.test(name)) names.push(name)
  })
  for (const [i, name] of names.entries()) {
    if (i % SLICE === SLICE - 1) await setImmediate()
    await linking.budget.entries(linkPart(dir, name, linking))
  }
}

/** Returns how many files it has. */
function linkPart(dir: Held, name: string, { mine, parts, held }: Linking): number {
  const [fd, link] = [openPart(dir, name), join(mine, name)]
  try {
    const files = plainFiles(dir, name, fd)
    // Another process reaches what this one holds open by the latter's number.
    const target = held && hasAddress(dir) ? `/proc/${process.pid}/fd/${fd}` : join(dir.path, name)
    parts.push({ links: name === 'pack' ? linkPacks(files, target, link) : [linked(target, link)], fd })
    return files.length
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** A folder of our own with links to the packs, one by one: what else lies beside them is not there for git. */
function linkPacks(files: readonly string[], target: string, folder: string): string[] {
  const names = files.filter(name => PACK_FILE.test(name))
  if (names.length > MOST_PACK_FILES)
    throw new Error(`The repository has more than ${MOST_PACK_FILES} files of packs: run git gc in it`)
  mkdirSync(folder)
  return names.map(name => linked(join(target, name), join(folder, name)))
}

function linked(target: string, link: string): string {
  symlinkSync(target, link, 'junction')
  return link
}

function openPart(dir: Held, name: string): number {
  try {
    return openSync(dir.at(name), DIRECTORY)
  } catch (cause) {
    throw new Error(`${quote(join(dir.path, name))} is a symbolic link or no directory, and is not followed`, { cause })
  }
}

const hasAddress = (dir: Held): boolean => dir.at() !== dir.path

/** Objects are regular files. A link would have git read elsewhere, a pipe would have it wait. */
function plainFiles(dir: Held, name: string, fd: number): string[] {
  const files: string[] = []
  eachEntry(hasAddress(dir) ? `/proc/self/fd/${fd}` : dir.at(name), entry => {
    if (entry.isFile()) files.push(entry.name)
    else if (!entry.isDirectory()) {
      const path = quote(join(dir.path, name, entry.name))
      throw new Error(`${path} is ${entry.isSymbolicLink() ? 'a symbolic link' : 'no file'}, and is not followed`)
    }
  })
  return files
}

interface Entry {
  readonly name: string
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

function eachEntry(address: string, take: (entry: Entry) => void): void {
  const entries = opendirSync(address, { bufferSize: 1024 })
  try {
    let count = 0
    for (let entry = entries.readSync(); entry; entry = entries.readSync()) {
      if (++count > MOST_ENTRIES) throw new Error(`A folder of objects has more than ${MOST_ENTRIES} entries`)
      take(entry)
    }
  } finally {
    entries.closeSync()
  }
}
