import { closeSync, constants, existsSync, openSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import type { Dirent } from 'node:fs'
import { sep } from 'node:path'
import { quote } from '../quote.ts'

const FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** On Linux an open directory has an address of its own, under which its entries are reached without walking a path. */
export const HAS_ADDRESSES: boolean = process.platform === 'linux' && existsSync('/proc/self/fd')

// Without the link to ourselves on the way a file is opened sooner; elsewhere than here our number may be another's.
const ADDRESSES =
  HAS_ADDRESSES && readlinkSync('/proc/self') === String(process.pid) ? `/proc/${process.pid}/fd` : '/proc/self/fd'

/** A directory held open by a thread that works synchronously; the opener closes it. */
export interface OpenDirectory {
  /** Its real path, for people and for answers. */
  readonly path: string
  /** The address of an entry, or of the directory itself, for system calls. */
  at(name?: string): string
  entries(): Dirent[]
  /** A directory of this one; a link is refused. */
  open(name: string): OpenDirectory
  close(): void
}

/** Hold a directory open; the last part of its path must not be a link. */
export const openDirectory = (path: string): OpenDirectory => opened(path, path)

/** Hold a directory below another one open, going one name at a time: a link on the way is refused. */
export function openBelow(root: string, below: string): OpenDirectory {
  let directory = openDirectory(root)
  for (const name of below.split('/')) {
    if (name === '' || name === '.') continue
    const above = directory
    try {
      directory = above.open(name)
    } finally {
      above.close()
    }
  }
  return directory
}

function opened(path: string, address: string): OpenDirectory {
  const descriptor = openSync(address, FLAGS)
  const base = HAS_ADDRESSES ? `${ADDRESSES}/${descriptor}` : path
  const directory: OpenDirectory = {
    path,
    at: name => (name === undefined ? base : `${base}${sep}${name}`),
    entries: () => readdirSync(base, { withFileTypes: true }),
    open: name => opened(path.endsWith(sep) ? path + name : path + sep + name, directory.at(name)),
    close: () => closeSync(descriptor),
  }
  if (!HAS_ADDRESSES && realpathSync(path) !== path) {
    directory.close()
    throw new Error(`${quote(path)} changed while it was used`)
  }
  return directory
}
