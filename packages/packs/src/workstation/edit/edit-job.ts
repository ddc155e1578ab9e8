import { clip } from '../../support/processes/spool.ts'
import { unifiedDiff } from '../../support/edits/diff.ts'
import { EditError, applyEdits } from './apply-edits.ts'
import type { Edit } from './bulk-edits.ts'

/** A text and what to change in it, in data that crosses threads. */
export interface EditInput {
  /** What the diff calls the file. */
  readonly path: string
  readonly before: string
  readonly edits: readonly Edit[]
  /** Bytes of JSON that the diff may take. */
  readonly bytes: number
}

/** The text with the edits made, and what changed. */
export interface Edited {
  readonly after: string
  readonly diff: string
}

/** Make the edits; one that does not fit throws, with a hint at what comes close. */
export async function edit(input: EditInput): Promise<Edited> {
  try {
    return edited(input)
  } catch (error) {
    if (!(error instanceof EditError) || error.missing === undefined) throw error
    const { editHint } = await import('./edit-hint.ts')
    throw new Error(`${error.message} ${editHint(error.text, error.missing)}`, { cause: error })
  }
}

/** The same, without a hint. */
export function edited({ path, before, edits, bytes }: EditInput): Edited {
  const after = applyEdits(before, edits)
  return { after, diff: clip(unifiedDiff(path, before, after), bytes) }
}
