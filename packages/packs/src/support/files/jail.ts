import { constants, realpathSync, statSync } from 'node:fs'
import { mkdir, open, readlink, realpath } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fault } from '@causeway/engine'
import { HAS_ADDRESSES } from './directory.ts'
import { codeOf, explain } from './errno.ts'
import { placesOf } from './kept-places.ts'
import { quote } from '../quote.ts'

/** A directory held open: what is done at its addresses happens there, whatever its path leads to meanwhile. */
export interface Held {
  /** Its real path, for people and for answers. */
  readonly path: string
  /** The address of an entry, or of the directory itself, for system calls. */
  at(name?: string): string
  /** Work in a directory of this one, held open meanwhile; a link is refused. */
  enter<T>(name: string, work: (dir: Held) => Promise<T>): Promise<T>
}

/** An entry of a held directory, which need not exist. */
export interface Place {
  /** Its real path, for people and for answers. */
  readonly path: string
  readonly name: string
  readonly dir: Held
  /** Its address, for system calls. Open it with `O_NOFOLLOW`: that it was no link may have changed. */
  readonly at: string
}

/** A path as it was sent, and how to take it. */
export interface Asked {
  readonly path: string
  /** The argument it came in, for error messages; default: `path`. */
  readonly argument?: string
  /** Take a link at the end as itself, after making sure that it leads inside; default: take what it leads to. */
  readonly link?: boolean
  /** Make the directories that are missing on the way. */
  readonly make?: boolean
}

/** Confines paths to some directories. */
export interface Jail {
  /** The real paths of the roots, the first being where relative paths begin. */
  readonly roots: readonly string[]
  /** The real paths of the operator's own files and folders, and of links to them, which file tools do not change; `*` at an end is anything. */
  readonly operatorFiles: readonly string[]
  /** The absolute real path; throws if it is outside of every root. It need not exist. */
  resolve(path: string, argument?: string): Promise<string>
  /** The same, with a say in how a link at the end is taken. */
  locate(asked: Asked): Promise<string>
  /** Is this real path inside a root? */
  holds(real: string): boolean
  /** The root that a resolved path is in, and the way from there, with `/`; for threads, which go it themselves. */
  below(real: string): { readonly root: string; readonly path: string }
  /** Work on an entry, its directory held open meanwhile. */
  at<T>(asked: Asked, work: (place: Place) => Promise<T>): Promise<T>
  /** Work in a directory, held open meanwhile. */
  inside<T>(asked: Asked, work: (dir: Held) => Promise<T>): Promise<T>
}

// Where the system shows itself as files; a root that contains them does not mean them.
const PSEUDO = ['/proc', '/sys', '/dev']
const MOST_LINKS = 40
const LONGEST = 4096
const DIRECTORY = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** A jail with these roots, which must be directories. The operator's files need not exist yet. */
export function createJail(roots: readonly string[], operatorFiles: readonly string[] = []): Jail {
  const real = [...new Set(roots.map(realRoot))]
  if (real.length === 0) throw new Error('At least one root directory is needed')
  const jail: Jail = {
    roots: real,
    operatorFiles: [...new Set(operatorFiles.flatMap(placesOf))],
    holds: path => real.some(root => isUnder(root, path) && !isPseudo(root, path)),
    below: path => {
      const root = rootOf(jail, path)
      return { root, path: relative(root, path).split(sep).join('/') }
    },
    locate: asked => explained(asked, () => located(jail, asked)),
    resolve: (path, argument = 'path') => jail.locate({ path, argument }),
    at: (asked, work) => explained(asked, async () => placed(jail, await located(jail, asked), asked, work)),
    inside: (asked, work) =>
      explained(asked, async () => {
        const path = await located(jail, asked)
        return held(rootOf(jail, path), path, { make: asked.make ?? false, work })
      }),
  }
  return jail
}

function realRoot(root: string): string {
  let real: string
  try {
    real = realpathSync.native(root)
  } catch (error) {
    throw new Error(`Root directory ${quote(root)} cannot be used: ${codeOf(error) ?? String(error)}`, { cause: error })
  }
  if (!statSync(real).isDirectory()) throw new Error(`Root ${quote(root)} is not a directory`)
  return real
}

/** Is this path the directory, or in it? */
export const isUnder = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
const isPseudo = (root: string, path: string): boolean =>
  PSEUDO.some(pseudo => isUnder(pseudo, path) && !isUnder(pseudo, root))

function rootOf(jail: Jail, path: string): string {
  const root = jail.roots.find(candidate => isUnder(candidate, path))
  if (root === undefined) throw new TypeError(`${path} was not resolved`)
  return root
}

async function located(jail: Jail, { path, argument = 'path', link }: Asked): Promise<string> {
  const bad = (what: string): Error => refused(jail, { path, argument }, what)
  if (path.trim() === '') throw bad('must not be empty')
  if (path.includes('\0')) throw bad('must not contain NUL')
  if (path.length > LONGEST) throw bad('is too long')
  const absolute = resolve(jail.roots[0] ?? '', path)
  const real = await follow(absolute)
  if (!jail.holds(real)) throw bad('leads outside the allowed directories')
  if (!link) return real
  const own = join(await follow(dirname(absolute)), basename(absolute))
  if (jail.holds(own)) return own
  if (jail.roots.includes(real)) return real
  throw bad('leads outside the allowed directories')
}

function refused({ roots }: Jail, { path, argument }: Asked, what: string): Error {
  const words = `Parameter '${argument}' ${what}, got ${quote(path)}. Allowed: paths in ${roots.join(', ')}.`
  return fault('invalid-arguments', words, { argument, sent: path.slice(0, 100), roots })
}

/** The real path, through every link, also where the end of it is missing. */
async function follow(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error) ?? '')) throw error
  }
  if (dirname(path) === path) return path
  const real = join(await follow(dirname(path), links), basename(path))
  // A link that leads nowhere yet is a link still: creating the file would follow it.
  const target = await readlink(real).catch(() => undefined)
  if (target === undefined) return real
  if (links >= MOST_LINKS) throw Object.assign(new Error('Too many links'), { code: 'ELOOP', syscall: 'readlink' })
  return follow(resolve(dirname(real), target), links + 1)
}

function placed<T>(jail: Jail, path: string, asked: Asked, work: (place: Place) => Promise<T>): Promise<T> {
  const root = rootOf(jail, path)
  const [parent, name] = path === root ? [path, '.'] : [dirname(path), basename(path)]
  const there = (dir: Held): Promise<T> => work({ path, name, dir, at: dir.at(name) })
  return held(root, parent, { make: asked.make ?? false, work: there })
}

/** Walk from the root one directory at a time; what was resolved has no links, so one that is met was just put there. */
async function held<T>(
  root: string,
  path: string,
  { make, work }: { make: boolean; work: (dir: Held) => Promise<T> },
): Promise<T> {
  let handle = await open(root, DIRECTORY)
  try {
    let dir = heldAt(root, handle)
    for (const name of relative(root, path).split(sep)) {
      if (name === '') continue
      const address = dir.at(name)
      if (make) await mkdir(address).catch(unlessExists)
      const next = await open(address, DIRECTORY)
      await handle.close()
      handle = next
      dir = heldAt(join(dir.path, name), handle)
    }
    if (!HAS_ADDRESSES) await unmoved(path)
    return await work(dir)
  } finally {
    await handle.close()
  }
}

function heldAt(path: string, { fd }: FileHandle): Held {
  const base = HAS_ADDRESSES ? `/proc/self/fd/${fd}` : path
  const at: Held['at'] = name => (name === undefined ? base : `${base}${sep}${name}`)
  return { path, at, enter: (name, work) => entered(join(path, name), at(name), work) }
}

async function entered<T>(path: string, address: string, work: (dir: Held) => Promise<T>): Promise<T> {
  const handle = await open(address, DIRECTORY)
  try {
    if (!HAS_ADDRESSES) await unmoved(path)
    return await work(heldAt(path, handle))
  } finally {
    await handle.close()
  }
}

async function unmoved(path: string): Promise<void> {
  if ((await realpath(path)) !== path) throw new Error(`${quote(path)} changed while it was used`)
}

function unlessExists(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error
}

async function explained<T>({ path }: Pick<Asked, 'path'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explain(error, path)
  }
}
