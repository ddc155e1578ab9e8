import { turns } from '../threads/turns.ts'
import type { InTurn } from '../threads/turns.ts'
import { UndoJournal } from './undo-journal.ts'

const TEXT_BYTES = 10 * 1024 * 1024

/** What packs that write the same files share. */
export interface Edits {
  /** What was changed, so that it can be undone. */
  readonly journal: UndoJournal
  /** Work on one file at a time, so that no change is lost. */
  readonly inTurn: InTurn
  /** Bytes of text that a file to edit, and an answer, may have. */
  readonly textBytes: number
}

/** Edits that nobody shares yet. */
export const createEdits = (textBytes: number = TEXT_BYTES): Edits => ({
  journal: new UndoJournal(),
  inTurn: turns(),
  textBytes,
})
