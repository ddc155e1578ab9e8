import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { fault } from '@causeway/engine'
import { isUnder } from '../files/jail.ts'
import type { Jail, Place } from '../files/jail.ts'
import { PRIVATE_PREFIX } from '../files/private-folder.ts'
import { quote } from '../quote.ts'

/** A path as it was sent, and the argument it came in. */
export interface Sent {
  readonly path: string
  readonly argument?: string
}

// Characters that some file systems leave out when they compare names.
const IGNORED = /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u206A-\u206F\uFEFF]/g
const MOST_ENTRIES = 100_000

/** Is this a name under which some file system finds `.git`, or a folder in which git works for us? */
export function isProtected(name: string): boolean {
  const plain = name
    .replaceAll(IGNORED, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
  return plain === '.git' || plain === 'git~1' || plain.startsWith(PRIVATE_PREFIX)
}

/**
 * Refuse to write, move or delete a git directory, or anything in one: only the git tools change repositories. Refuse the
 * operator's files too, since what is in them decides what runs at the next start.
 */
export function refuseProtected({ operatorFiles }: Jail, real: string, sent: Sent): void {
  if (real.split(/[/\\]/).some(isProtected)) throw refused(sent, 'leads into a git directory')
  if (operatorFiles.some(file => isOne(file, real))) throw ofOperator(sent, 'leads to')
}

/** Refuse to put a directory where one of the operator's files is, or will be. */
export function refuseAboveProtected({ operatorFiles }: Jail, real: string, sent: Sent): void {
  if (operatorFiles.some(file => isUnder(real, file))) throw ofOperator(sent, 'leads above')
}

/** Refuse to move or delete a directory that has a repository or a file of the operator's in it, or is too large to know. */
export async function refuseProtectedBelow({ operatorFiles }: Jail, place: Place, sent: Sent): Promise<void> {
  if (operatorFiles.some(file => isUnder(place.path, file))) throw ofOperator(sent, 'has in it')
  const waiting = [place.at]
  let count = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for await (const entry of await opendir(at, { bufferSize: 256 })) {
      if (isProtected(entry.name)) throw refused(sent, 'has a git repository in it')
      if (++count > MOST_ENTRIES) throw refused(sent, `has more than ${MOST_ENTRIES} files in it`)
      if (entry.isDirectory()) waiting.push(join(at, entry.name))
    }
  }
}

/** One that ends in `*` stands for all files whose paths begin like it. */
const isOne = (file: string, real: string): boolean =>
  file.endsWith('*') ? real.startsWith(file.slice(0, -1)) : isUnder(file, real)

function ofOperator({ path, argument = 'path' }: Sent, how: string): Error {
  const words = `Parameter '${argument}' ${how} a file that configures this server, got ${quote(path)}. Only its operator changes these files.`
  return fault('invalid-arguments', words, { argument, sent: path.slice(0, 100) })
}

function refused({ path, argument = 'path' }: Sent, what: string): Error {
  const words = `Parameter '${argument}' ${what}, got ${quote(path)}. File tools leave git directories alone: use the git tools.`
  return fault('invalid-arguments', words, { argument, sent: path.slice(0, 100) })
}
