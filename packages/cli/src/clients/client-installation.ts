import { rmSync } from 'node:fs'
import type { ClientEntry } from '@causeway/engine/client-programs'
import { contentOf, editEntry, valueAt } from './edit-entry.ts'
import { editFile, replaceEntry, textOf } from '../config/files/replace-file.ts'
import { UsageError } from '../config/usage-error.ts'

/** What is to become of a file. */
export interface FileChange {
  readonly file: string
  readonly before: string | undefined
  /** Undefined: the file is removed. */
  readonly after: string | undefined
  /** The copy to keep of the file as it was; undefined: none. */
  readonly backup: string | undefined
}

/** The copy of a file as it was before the entry was added. */
export const backupOf = (file: string): string => `${file}.before-causeway`

/** The file with the entry. An earlier entry of ours is replaced, so that the copy of the file stays the one before it. */
export function installed(file: string, { path, entry }: ClientEntry): FileChange {
  const before = textOf(file)
  const isThere = before !== undefined && valueAt(contentOf(file, before), path) !== undefined
  const original = originalOf(file, before, path)
  const after = editEntry(file, (original ? original.text : before) ?? '', path, entry)
  return { file, before, after, backup: isThere ? (textOf(backupOf(file)) ?? (original ? undefined : before)) : before }
}

/** The file without the entry; as it was before, unless it was changed since. Undefined: it has no such entry. */
export function uninstalled(file: string, path: ClientEntry['path']): FileChange | undefined {
  const before = textOf(file)
  if (before === undefined || valueAt(contentOf(file, before), path) === undefined) return undefined
  const original = originalOf(file, before, path)
  // The earlier entry of that name was not ours: its copy stays.
  const isForeign = original?.text !== undefined && valueAt(contentOf(file, original.text), path) !== undefined
  if (original && !isForeign) return { file, before, after: original.text, backup: undefined }
  const after = editEntry(file, before, path, undefined)
  return { file, before, after, backup: isForeign ? original.text : undefined }
}

/** Make the change: first the copy, so that nothing is lost. What a link at the place of the copy leads to stays as it is. */
export function apply({ file, before, after, backup }: FileChange): void {
  if (after === before) return
  if (after === undefined) {
    check(file, before, textOf(file))
    rmSync(file)
  } else {
    editFile(file, now => {
      check(file, before, now)
      if (backup !== undefined) replaceEntry(backupOf(file), backup)
      return after
    })
  }
  if (backup === undefined) rmSync(backupOf(file), { force: true })
}

/** A client program may write its file at any time. */
function check(file: string, before: string | undefined, now: string | undefined): void {
  if (now !== before)
    throw new UsageError(`${file} was changed meanwhile, and nothing was written. Run the command again.`, 5)
}

/**
 * The file as it was before the entry was added, if nothing else was changed since: then the entry, added to the copy,
 * gives the file again. Its text is undefined if there was no file.
 */
function originalOf(
  file: string,
  text: string | undefined,
  path: ClientEntry['path'],
): { readonly text: string | undefined } | undefined {
  if (text === undefined) return undefined
  const entry = valueAt(contentOf(file, text), path) as ClientEntry['entry'] | undefined
  if (entry === undefined) return undefined
  const backup = textOf(backupOf(file))
  try {
    if (editEntry(file, backup ?? '', path, entry) !== text) return undefined
    return { text: backup }
  } catch {
    return undefined
  }
}
