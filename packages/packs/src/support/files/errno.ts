import { quote } from '../quote.ts'

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  ENOTDIR: 'Part of this path is not a directory, or changed while it was used',
  EISDIR: 'This is a directory, not a file',
  EACCES: 'Permission denied',
  EPERM: 'Not permitted',
  EEXIST: 'This exists already',
  ENOTEMPTY: 'The directory is not empty',
  ELOOP: 'Too many symbolic links, or one that appeared while the path was used',
  ENAMETOOLONG: 'The path, or a name in it, is too long',
  ENOSPC: 'No space is left on the disk',
  EDQUOT: 'No space is left for this user on the disk',
  EFBIG: 'The file would be larger than the system allows',
  EIO: 'The disk failed',
  EROFS: 'The file system is read-only',
  EXDEV: 'The two paths are on different file systems',
  EINVAL: 'The system refuses this path',
  EBUSY: 'In use by the system',
  EMFILE: 'Too many files are open: try again',
  ENFILE: 'Too many files are open: try again',
}

/** The system's code of an error, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** An error of the system in words a caller understands, naming what was asked for; others stay as they are. */
export function explain(error: unknown, sent: string): unknown {
  const code = codeOf(error)
  if (code === undefined || !(error instanceof Error) || !('syscall' in error)) return error
  const words = new Error(`${WORDS[code] ?? `The system refuses this (${code})`}: ${quote(sent)}`, { cause: error })
  return code === 'ENOENT' || code === 'ENOTDIR' ? nothingAt(sent, words) : words
}

/** A path where there is nothing, as it was sent, and below which directory that is. */
export interface Missing {
  readonly sent: string
  readonly from: string
}

const missing = new WeakMap<Error, Missing>()

/** Remember that an error is about a path where there is nothing; `from` is the directory it begins at, if not the first root. */
export function nothingAt(sent: string, error: Error, from = ''): Error {
  missing.set(error, { sent, from })
  return error
}

/** The path that an error is about, if there is nothing. */
export const missingPath = (error: unknown): Missing | undefined =>
  error instanceof Error ? missing.get(error) : undefined

/** Does the error say that there is nothing at that path? */
export const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? codeOf(error instanceof Error ? error.cause : undefined) ?? '')
