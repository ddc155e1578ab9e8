import { nearest } from '@causeway/engine'
import { quote } from '../../support/quote.ts'

// Beyond these, looking for what comes close takes too long.
const MOST_LINES = 3000

/** Where a text comes close to what was looked for in vain. */
export function editHint(text: string, oldText: string): string {
  const lines = text.split('\n', MOST_LINES)
  const bare = lines.map(line => line.trim())
  const wanted = oldText.trim().split('\n', MOST_LINES)
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
