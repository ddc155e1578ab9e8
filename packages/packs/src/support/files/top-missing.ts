import { lstat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isMissing } from './errno.ts'

/** The topmost directory on a way that is not there; undefined if all are. */
export async function topMissing(directory: string): Promise<string | undefined> {
  let missing: string | undefined
  for (let at = directory; await lstat(at).then(() => false, isMissing); at = dirname(at)) missing = at
  return missing
}
