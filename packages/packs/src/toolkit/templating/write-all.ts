import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fault } from '@causeway/engine'
import type { Context } from '@causeway/engine'
import type { Edits } from '../../support/edits/edits.ts'
import { isMissing } from '../../support/files/errno.ts'
import type { Jail } from '../../support/files/jail.ts'
import { topMissing } from '../../support/files/top-missing.ts'
import { refuseProtected } from '../../support/git/protect.ts'

/** Where files are written, and what remembers it so that it can be undone. */
export interface Desk {
  readonly jail: Jail
  readonly edits: Edits | undefined
}

interface File {
  readonly path: string
  readonly content: string
}

interface Writing {
  /** Keep the files that are there; else, if there is one, nothing is written. */
  readonly isKeeping: boolean
  readonly ctx: Context
}

/** Write new files; returns those that were there already. */
export async function writeAll(
  { jail, edits }: Desk,
  files: readonly File[],
  { isKeeping, ctx }: Writing,
): Promise<string[]> {
  const kept: string[] = []
  for (const { path } of files) {
    const place = await jail.locate({ path, link: true })
    refuseProtected(jail, place, { path })
    if (!(await isThere(place))) continue
    if (!isKeeping) throw fault('tool-failed', `Nothing was written: '${path}' exists already`)
    kept.push(path)
  }
  const group = crypto.randomUUID()
  for (const { path, content } of files.filter(file => !kept.includes(file.path))) {
    const made = await topMissing(dirname(await jail.locate({ path, link: true })))
    await jail.at({ path, make: true, link: true }, async place => {
      refuseProtected(jail, place.path, { path })
      const file = await open(place.at, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644)
      try {
        await file.writeFile(content)
      } finally {
        await file.close()
      }
      const entry = { tool: 'scaffold_project', path: place.path, before: undefined, after: content, made, group }
      edits?.journal.add(ctx, entry)
    })
  }
  return kept
}

const isThere = (place: string): Promise<boolean> =>
  lstat(place).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )
