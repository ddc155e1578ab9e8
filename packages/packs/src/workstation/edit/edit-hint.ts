import { nearest } from '@causeway/engine'
import { quote } from '../../support/quote.ts'

// Beyond these, looking for what comes close takes too long.
const MOST_LINES = 3000

/** As a keyboard writes it: typographic quotes and dashes, unusual spaces and accents in two characters made plain. */
const asTyped = (line: string): string =>
  line
    .normalize('NFC')
    .replace(/[\u2018\u2019\u201A\u201B\u2032]/g, "'")
    .replace(/[\u201C\u201D\u201E\u201F\u2033\u00AB\u00BB]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, ' ')
    .replace(/\u2026/g, '...')

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
  const alike = bare.map(asTyped)
  const looks = alike.findIndex((_, at) => wanted.every((line, i) => alike[at + i] === asTyped(line.trim())))
  if (looks >= 0) {
    return `Lines ${looks + 1} to ${looks + wanted.length} differ from it only in characters that look alike (quotes, dashes, spaces, accents); the first is ${quote(lines[looks] ?? '')}.`
  }
  const [close] = nearest(first, new Set(bare), 1)
  if (close === undefined) return 'Read the file again and copy the text exactly.'
  const at = bare.indexOf(close)
  return `The line closest to its first is line ${at + 1}: ${quote(lines[at] ?? '')}. Read the file again and copy the text exactly.`
}
