import { isExpectedHere } from './invisible-context.ts'

// Colours and cursor movements, titles and links, and the short ones; each of a length that keeps looking linear.
const ESCAPES =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /\u001B\][^\u0007\u001B\n]{0,500}(?:\u0007|\u001B\\)|(?:\u001B\[|\u009B)[0-?]{0,32}[ -/]{0,4}[@-~]|\u001B[ -/]{0,4}[0-~]?/g

// Controls but for tabs and line ends, what has no width, what turns the direction of text, fillers, variation
// selectors, and tags (in two halves).
const UNSEEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these are what is looked for
  '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb]|\\ud834[\\udd73-\\udd7a]|\\udb40[\\udc00-\\udfff]'
const ANY = new RegExp(UNSEEN)
const RUNS = new RegExp(`(?:${UNSEEN})+`, 'g')

// So many are shown one by one; what comes after them is taken away, so that a text grows by a bounded part.
const MOST_SHOWN = 2000
const MOST_SPELLED = 4

/** A text without the sequences that move the cursor or change colours on a terminal. */
export const withoutEscapes = (text: string): string =>
  text.includes('\u001B') || text.includes('\u009B') ? text.replace(ESCAPES, '') : text

/**
 * A text in which nothing is hidden: sequences for terminals are taken away, other characters that cannot be seen are
 * named in their place, such as [U+202E]. Those that a script or an emoji needs where they stand are left.
 */
export function showInvisible(text: string): string {
  if (!ANY.test(text)) return text
  let left = MOST_SHOWN
  const shown = withoutEscapes(text).replace(RUNS, (run, offset: number, whole: string) => {
    const hidden = hiddenIn(run, offset, whole)
    if (hidden.codes.length > 0 && --left < 0) return hidden.kept
    return hidden.text
  })
  return left < 0 ? `${shown}\n[More invisible characters were removed.]` : shown
}

interface Hidden {
  readonly text: string
  /** Only what belongs there. */
  readonly kept: string
  readonly codes: readonly number[]
}

/** What a run of unseen characters looks like when it is shown. */
function hiddenIn(run: string, offset: number, whole: string): Hidden {
  const end = offset + run.length
  const next = whole.codePointAt(end)
  if (isExpectedHere(run, codeBefore(whole, offset), next)) return { text: run, kept: run, codes: [] }
  const codes = Array.from(run, character => character.codePointAt(0) ?? 0)
  const spelled = codes.slice(0, MOST_SPELLED).map(nameOf)
  const more = codes.length - spelled.length
  return { text: `[${spelled.join(' ')}${more > 0 ? ` and ${more} more` : ''}]`, kept: '', codes }
}

const nameOf = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`

function codeBefore(text: string, offset: number): number | undefined {
  if (offset === 0) return undefined
  const last = text.charCodeAt(offset - 1)
  return last >= 0xdc00 && last < 0xe000 && offset > 1 ? text.codePointAt(offset - 2) : last
}

/** Lines of a text that hold what cannot be seen, by number from 1, each with the names of some such characters. */
export function invisibleLines(text: string): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>()
  if (!ANY.test(text)) return found
  for (const [i, line] of text.split('\n').entries()) {
    if (!ANY.test(line)) continue
    const codes = [...line.matchAll(RUNS)].flatMap(({ 0: run, index }) => hiddenIn(run, index, line).codes)
    if (codes.length > 0) found.set(i + 1, [...new Set(codes)].slice(0, MOST_SPELLED).map(nameOf))
  }
  return found
}
