import { existsSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { codeOf, isMissing } from '../files/errno.ts'
import { readAll, reading } from '../files/file.ts'
import type { Held, Jail, Place } from '../files/jail.ts'
import { quote } from '../quote.ts'
import type { ReadLimit } from './read-budget.ts'

/** Where the parts of a repository lie; all of it inside the roots when it was looked at. */
export interface Location {
  /** The top of its working tree; a bare repository has none. */
  readonly top: string | undefined
  /** What belongs to this working tree: HEAD and the index. */
  readonly gitDir: string
  /** What all working trees of the repository share: objects, refs and the configuration. */
  readonly common: string
}

const POINTER_BYTES = 8192

/** Find the repository that a directory belongs to, as git does, but never above the roots. */
export async function locateRepository(jail: Jail, path: string): Promise<Location> {
  for (let at = path; jail.holds(at); at = dirname(at)) {
    const found = await repositoryAt(jail, at)
    if (found) return found
    if (dirname(at) === at) break
  }
  const roots = jail.roots.map(quote).join(', ')
  const above = topsAbove([path])[0]
  const advice = above === undefined ? '' : `. It lies in that of ${quote(above)}, above the roots: ${ADVICE}`
  throw new Error(`${quote(path)} is not inside a git repository under the allowed roots ${roots}${advice}`)
}

const ADVICE = 'the operator can allow that with --repository-above, or give it as --root'

/** The tops of the repositories that directories lie in, wherever they are. */
export function topsAbove(paths: readonly string[]): string[] {
  const tops = paths.flatMap(path => {
    for (let at = path; dirname(at) !== at; at = dirname(at)) if (existsSync(join(at, '.git'))) return [at]
    return []
  })
  return [...new Set(tops)]
}

async function repositoryAt(jail: Jail, at: string): Promise<Location | undefined> {
  const own = join(at, '.git')
  const stats = await lstat(own).catch(() => undefined)
  if (stats) {
    const gitDir = await gitDirOf(jail, own)
    const common = gitDir === undefined ? undefined : await commonDirOf(jail, gitDir)
    if (gitDir !== undefined && common !== undefined) return { top: at, gitDir, common }
  }
  const common = await commonDirOf(jail, at)
  return common === undefined ? undefined : { top: undefined, gitDir: at, common }
}

/** A directory is the git directory itself; a file names it. */
async function gitDirOf(jail: Jail, own: string): Promise<string | undefined> {
  const real = await inRoots(jail, own, own)
  const stats = await lstat(real).catch(() => undefined)
  if (stats?.isDirectory()) return real
  if (!stats?.isFile()) return undefined
  const text = (await readIn(jail, real, { most: POINTER_BYTES }))?.toString() ?? ''
  const target = /^gitdir: ([^\0\n]+?)\s*$/.exec(text)?.[1]
  if (target === undefined) throw new Error(`${quote(own)} is a file that does not say where the repository is`)
  return inRoots(jail, resolve(dirname(real), target), own)
}

/** The directory that is shared, if this is a git directory at all. */
async function commonDirOf(jail: Jail, gitDir: string): Promise<string | undefined> {
  if (!(await isThere(join(gitDir, 'HEAD')))) return undefined
  const shared = (await readIn(jail, join(gitDir, 'commondir'), { most: POINTER_BYTES }))?.toString().trim()
  const common = shared === undefined ? gitDir : await inRoots(jail, resolve(gitDir, shared), gitDir)
  return (await isThere(join(common, 'objects'))) && (await isThere(join(common, 'refs'))) ? common : undefined
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** The real path of something a repository uses; it must be inside the roots. */
export async function inRoots(jail: Jail, path: string, whose: string): Promise<string> {
  try {
    return await jail.resolve(path)
  } catch (cause) {
    const roots = jail.roots.join(', ')
    const words = `The git repository of ${quote(whose)} uses ${quote(path)}, which leads outside the allowed directories`
    throw new Error(`${words} ${roots}`, { cause })
  }
}

/** The contents of a file inside the roots, or undefined if there is none; one that is too large is an error. */
export async function readIn(jail: Jail, path: string, limit: ReadLimit): Promise<Buffer | undefined> {
  try {
    await inRoots(jail, path, dirname(path))
    return await jail.at({ path }, place => whole(place, limit))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** The same of a file below a directory that is held; only where links are met is the path walked again from the root. */
export async function readBelow(jail: Jail, dir: Held, name: string, limit: ReadLimit): Promise<Buffer | undefined> {
  const read = (from: Held, rest: string): Promise<Buffer | undefined> => {
    const slash = rest.indexOf('/')
    if (slash > 0) return from.enter(rest.slice(0, slash), inner => read(inner, rest.slice(slash + 1)))
    return whole({ path: join(from.path, rest), name: rest, dir: from, at: from.at(rest) }, limit)
  }
  try {
    return await read(dir, name)
  } catch (error) {
    // A link where a directory was expected is no directory.
    if (['ELOOP', 'ENOTDIR'].includes(codeOf(error) ?? '')) return readIn(jail, join(dir.path, name), limit)
    if (isMissing(error)) return undefined
    throw error
  }
}

async function whole(place: Place, { most, take }: ReadLimit): Promise<Buffer> {
  const bytes = await reading(place, file => readAll(file, most, take))
  if (bytes === undefined) throw new Error(`${quote(place.path)} is larger than ${most} bytes, too large to be used`)
  return bytes
}
