import { createHash, randomBytes } from 'node:crypto'
import { constants, copyFileSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../config/usage-error.ts'

/** What credentials are sealed with. */
export interface SealingKey {
  readonly bytes: Buffer
  /** Names the key without betraying it. */
  readonly id: string
}

const KEY_BYTES = 32
const LINE = /^[\w-]{43}$/

/** The key in a file; undefined if there is no such file. */
export function readKey(file: string): SealingKey | undefined {
  const text = textIn(file)
  if (text === undefined) return undefined
  if (!LINE.test(text.trim()))
    throw new UsageError(
      `--key-file ${file} does not hold a key. Restore the file; or delete it, and log in again: causeway creates a new one.`,
      4,
    )
  const bytes = Buffer.from(text.trim(), 'base64url')
  return { bytes, id: createHash('sha256').update('causeway key ').update(bytes).digest('hex').slice(0, 16) }
}

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw unusableFile('--key-file', file, 'read', error)
  }
}

/** The key in a file, which is made if there is none, for its owner alone. If several processes make one, all use the first. */
export function readOrMakeKey(file: string): SealingKey {
  const found = readKey(file)
  if (found) return found
  const next = `${file}.${randomBytes(6).toString('hex')}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(next, `${randomBytes(KEY_BYTES).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
    placeOnce(next, file)
  } catch (error) {
    throw unusableFile('--key-file', file, 'created', error)
  } finally {
    rmSync(next, { force: true })
  }
  return readKey(file) ?? readOrMakeKey(file)
}

/** Give a complete file its name, unless there is one of that name. */
function placeOnce(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    // Not every file system has links.
    copyFileSync(from, to, constants.COPYFILE_EXCL)
  }
}

/** The code of a failure of the system, such as ENOENT. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined

const DENIED: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EROFS']

/** What went wrong with a file or a folder. */
export function unusableFile(what: string, path: string, done: string, error: unknown): UsageError {
  const why = error instanceof Error ? error.message : String(error)
  return new UsageError(`${what} ${path} cannot be ${done}: ${why}`, DENIED.includes(codeOf(error)) ? 5 : 4)
}
