import { posix } from 'node:path'

/** The files of a root, for looking them up. Paths begin at the root, without `./`. */
export interface Tree {
  /** Every file, code or not. */
  readonly files: ReadonlySet<string>
  /** Every directory that has a file somewhere below. */
  readonly folders: ReadonlySet<string>
  /** By the last part of their paths. */
  readonly named: ReadonlyMap<string, readonly string[]>
  /** Those right in a directory; the root is the empty text. */
  readonly inFolder: ReadonlyMap<string, readonly string[]>
  /** Directories right in a directory. */
  readonly inside: ReadonlyMap<string, readonly string[]>
}

/** Put files together for looking them up. */
export function treeOf(paths: Iterable<string>): Tree {
  const files = new Set<string>()
  const folders = new Set<string>([''])
  const named = new Map<string, string[]>()
  const inFolder = new Map<string, string[]>()
  const inside = new Map<string, string[]>()
  for (const path of paths) {
    files.add(path)
    add(named, posix.basename(path), path)
    add(inFolder, folderOf(path), path)
    for (let up = folderOf(path); !folders.has(up); up = folderOf(up)) {
      folders.add(up)
      add(inside, folderOf(up), up)
    }
  }
  return { files, folders, named, inFolder, inside }
}

function add(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key)
  if (known) known.push(value)
  else map.set(key, [value])
}

/** The directory of a path; empty for what stands in the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(0, slash)
}

/** A path from a directory, made plain; undefined if it leads out of the root. */
export function join(folder: string, path: string): string | undefined {
  const plain = posix.normalize(`${folder === '' ? '.' : folder}/${path}`)
  if (plain === '..' || plain.startsWith('../')) return undefined
  return plain === '.' ? '' : plain.replace(/\/$/, '')
}

/** A directory and those above it, the nearest first. */
export function upwards(folder: string): string[] {
  const found = [folder]
  for (let up = folder; up !== '';) {
    up = folderOf(up)
    found.push(up)
  }
  return found
}

/** A path in a directory, which may be the root. */
export const under = (folder: string, path: string): string => (folder === '' ? path : `${folder}/${path}`)

/** The first of some paths that is a file. */
export const firstFile = ({ files }: Pick<Tree, 'files'>, paths: Iterable<string | undefined>): string | undefined => {
  for (const path of paths) if (path !== undefined && files.has(path)) return path
  return undefined
}
