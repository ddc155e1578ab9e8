import { join } from 'node:path'
import { readAll, reading } from '../../../support/files/file.ts'
import { isMissing } from '../../../support/files/errno.ts'
import type { Workspace } from '../../workspace.ts'
import type { Repository } from '../../../support/git/repository.ts'
import { hunksIn, linesOf } from './hunks.ts'
import type { Hunk } from './hunks.ts'

/** A file in conflict as it is in the working tree. Its bytes are read as Latin-1, so that any encoding stays what it is. */
export interface ConflictFile {
  readonly lines: readonly string[]
  readonly hunks: readonly Hunk[]
}

/** Read a file of the working tree with its conflicts; undefined if there is none, or it is a link or too large. */
export async function conflictFile(
  { jail, textBytes }: Workspace,
  { top }: Repository,
  { path, size }: { readonly path: string; readonly size: number | undefined },
): Promise<ConflictFile | undefined> {
  const bytes = await jail
    .at({ path: join(top, path), link: true }, place => reading(place, file => readAll(file, textBytes)))
    .catch((error: unknown) => {
      if (isMissing(error)) return undefined
      throw error
    })
  if (!bytes) return undefined
  const lines = linesOf(bytes.toString('latin1'))
  return { lines, hunks: hunksIn(lines, size) }
}
