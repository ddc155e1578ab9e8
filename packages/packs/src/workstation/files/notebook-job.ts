import { notebookText } from './notebook.ts'
import { toText } from '../../support/files/to-text.ts'

/** The bytes of a notebook as text; undefined if they are none. */
export function notebook(bytes: Uint8Array): string | undefined {
  const json = toText(bytes)
  return json === undefined ? undefined : notebookText(json)
}
