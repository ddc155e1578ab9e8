import { nearest } from '@causeway/engine'
import { quote } from '../support/quote.ts'

/** One exact replacement. */
export interface Edit {
  readonly oldText: string
  readonly newText: string
  readonly replaceAll?: boolean
}

// Beyond these, looking for what comes close takes too long.
const MOST_LINES = 3000

/** The text with every edit made, one after the other; an edit that does not fit exactly throws, and nothing is done. */
export const applyEdits = (text: string, edits: readonly Edit[]): string =>
  edits.reduce((current, edit, i) => applied(current, edit, `Edit ${i + 1} of ${edits.length}`), text)

function applied(text: string, edit: Edit, which: string): string {
  const { oldText, newText, replaceAll = false } = fitted(text, edit)
  if (oldText === '') throw new Error(`${which}: oldText must not be empty`)
  const found = occurrences(text, oldText)
  if (found === 0) throw new Error(`${which}: oldText was not found in the file. ${hint(text, oldText)}`)
  if (found > 1 && !replaceAll) {
    throw new Error(
      `${which}: oldText occurs ${found} times. Add lines around it until it is unique, or set replaceAll.`,
    )
  }
  return replaceAll ? text.split(oldText).join(newText) : text.replace(oldText, () => newText)
}

/** In a file with CRLF a model that sees lines writes LF: mean what it means. */
function fitted(text: string, edit: Edit): Edit {
  if (text.includes(edit.oldText) || !text.includes('\r\n')) return edit
  const crlf = (words: string): string => words.replaceAll(/\r?\n/g, '\r\n')
  return { ...edit, oldText: crlf(edit.oldText), newText: crlf(edit.newText) }
}

function occurrences(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++
  return count
}

/** Where the file comes close to what was looked for. */
function hint(text: string, oldText: string): string {
  const lines = text.split('\n').slice(0, MOST_LINES)
  const bare = lines.map(line => line.trim())
  const wanted = oldText.trim().split('\n')
  const first = wanted[0]?.trim() ?? ''
  const same = bare.findIndex((_, at) => wanted.every((line, i) => bare[at + i] === line.trim()))
  if (same >= 0) {
    return `Lines ${same + 1} to ${same + wanted.length} differ from it only in white space; the first is ${quote(lines[same] ?? '')}.`
  }
  const [close] = nearest(first, new Set(bare), 1)
  if (close === undefined) return 'Read the file again and copy the text exactly.'
  const at = bare.indexOf(close)
  return `The line closest to its first is line ${at + 1}: ${quote(lines[at] ?? '')}. Read the file again and copy the text exactly.`
}
