import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { isMissing } from '../files/errno.ts'
import { readAll, reading } from '../files/file.ts'
import type { Held, Jail } from '../files/jail.ts'
import { quote } from '../quote.ts'
import { readBelow } from './locate.ts'
import type { ReadBudget, ReadLimit } from './read-budget.ts'

/** The refs of a repository, read as data. */
export interface Refs {
  /** Those that are files, by name; what they contain, as it stands there. */
  readonly loose: ReadonlyMap<string, string>
  /** The lines of `packed-refs`, without those that a file overrides. */
  readonly packed: readonly string[]
}

const HASH = /^[\da-f]{40}(?:[\da-f]{24})?$/
const SYMBOLIC = /^ref: (refs\/[^\0\n]+?)\s*$/
const PACKED_LINE = /^[\da-f]{40,64} (refs\/.+)$/
// Belong to one working tree, and are of no use to anyone else.
const PER_WORKTREE = /^refs\/(?:bisect|worktree|rewritten)\//
const PACKED_BYTES = 64 * 1024 * 1024
const MOST_FILES = 50_000
const AT_ONCE = 8
// Of packed-refs, parsed without a pause.
const SLICE = 512 * 1024

/** Read all refs. */
export async function readRefs(jail: Jail, common: Held, budget: ReadBudget): Promise<Refs> {
  const files = await filesBelow(jail, join(common.path, 'refs'), { most: 4096, budget })
  const loose = new Map<string, string>()
  for (const [path, bytes] of files) {
    const [name, text] = [`refs/${path}`, bytes.toString()]
    if (isRefName(name) && (HASH.test(text.trim()) || SYMBOLIC.test(text))) loose.set(name, text)
  }
  const text = (await readBelow(jail, common, 'packed-refs', budget.upTo(PACKED_BYTES)))?.toString('latin1') ?? ''
  return { loose, packed: await packedRefs(text, loose) }
}

/** Its lines, a slice at a time: others are served in between. */
export async function packedRefs(latin1: string, loose: ReadonlyMap<string, string>): Promise<string[]> {
  const packed: string[] = []
  for (let at = 0; at < latin1.length;) {
    const cut = latin1.indexOf('\n', at + SLICE)
    const end = cut < 0 ? latin1.length : cut
    for (const line of Buffer.from(latin1.slice(at, end), 'latin1').toString().split('\n')) {
      const name = PACKED_LINE.exec(line)?.[1]
      if (name !== undefined && !loose.has(name) && isRefName(name)) packed.push(line)
    }
    at = end + 1
    if (at < latin1.length) await setImmediate()
  }
  return packed
}

/** What a ref's file says: a hash, another ref, or nothing that git understands. */
export function parseRef(text: string): { readonly hash: string } | { readonly target: string } | undefined {
  const hash = text.trim()
  if (HASH.test(hash)) return { hash }
  const target = SYMBOLIC.exec(text)?.[1]
  return target === undefined || !isRefName(target) ? undefined : { target }
}

/** Does a ref exist? */
export const hasRef = ({ loose, packed }: Refs, name: string): boolean =>
  loose.has(name) || packed.some(line => line.endsWith(` ${name}`))

/** By git's rules for names; also keeps every name a path below its folder. */
const isRefName = (name: string): boolean =>
  name.length < 1000 &&
  !PER_WORKTREE.test(name) &&
  // eslint-disable-next-line no-control-regex
  !/[\u0000-\u0020\u007F~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.$|\/$|\.lock(?:\/|$)/.test(name)

/** Every file below a directory of the roots, by its path from there. Links are refused: git would follow them. */
export async function filesBelow(jail: Jail, path: string, limits: FolderLimits): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  await jail
    .inside({ path }, dir => collect(dir, { ...limits, prefix: '', found }))
    .catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
  return found
}

interface FolderLimits {
  /** Bytes of each file. */
  readonly most: number
  /** Of all of them. */
  readonly budget: ReadBudget
}

interface Collecting extends FolderLimits {
  readonly prefix: string
  readonly found: Map<string, Buffer>
}

async function collect(dir: Held, collecting: Collecting): Promise<void> {
  const { prefix, most, found, budget } = collecting
  const entries = await entriesOf(dir, budget)
  const files = entries.filter(entry => !entry.isDirectory())
  if (found.size + files.length > MOST_FILES) throw new Error(`${quote(dir.path)} has more than ${MOST_FILES} files`)
  for (let i = 0; i < files.length; i += AT_ONCE) {
    const some = files.slice(i, i + AT_ONCE).map(async ({ name }) => {
      const bytes = await contents(dir, name, budget.upTo(most))
      if (bytes) found.set(prefix + name, bytes)
    })
    await Promise.all(some)
  }
  for (const entry of entries) {
    if (!entry.isDirectory() || prefix.length > 1000) continue
    await dir.enter(entry.name, inner => collect(inner, { ...collecting, prefix: `${prefix}${entry.name}/` }))
  }
}

/** Counted one by one: a folder may have more of them than fit into memory. */
async function entriesOf(dir: Held, budget: ReadBudget): Promise<Dirent[]> {
  const entries: Dirent[] = []
  for await (const entry of await opendir(dir.at(), { bufferSize: 256 })) {
    await budget.entries(1)
    entries.push(entry)
  }
  return entries
}

async function contents(dir: Held, name: string, { most, take }: ReadLimit): Promise<Buffer | undefined> {
  const path = join(dir.path, name)
  let isOpen = false
  try {
    return await reading({ path, at: dir.at(name) }, file => {
      isOpen = true
      return readAll(file, most, take)
    })
  } catch (cause) {
    if (isOpen) throw cause
    if (isMissing(cause)) return undefined
    throw new Error(`${quote(path)} is a symbolic link or no file, and is not followed`, { cause })
  }
}
