import { withoutEscapes } from '@causeway/engine/internal'

/** Letters of other scripts, and small capitals, that look like these. */
const LETTERS: Readonly<Record<string, string>> = {
  a: 'аαɑᴀ',
  b: 'Ьвʙ',
  c: 'сϲᴄ',
  d: 'ԁɗᴅ',
  e: 'еєҽɛᴇ',
  f: 'ƒꜰ',
  g: 'ɡցɢ',
  h: 'һհнʜ',
  i: 'іıιɩӏǀɪ',
  j: 'јϳᴊ',
  k: 'кκᴋ',
  l: 'ⅼʟ',
  m: 'мᴍ',
  n: 'ոпηɴ',
  o: 'оοσօᴏø',
  p: 'рρᴘ',
  q: 'ԛգ',
  r: 'гяʀ',
  s: 'ѕꜱ',
  t: 'тτᴛ',
  u: 'υսцᴜ',
  v: 'ѵνᴠ',
  w: 'ѡωԝᴡ',
  x: 'хχ',
  y: 'уүγʏ',
  z: 'ᴢ',
}

const PLAIN = new Map(Object.entries(LETTERS).flatMap(([plain, others]) => Array.from(others, one => [one, plain])))
// Letters and digits that are taken for each other, whatever script they are of.
const SAME = new Map([
  ['0', 'o'],
  ['1', 'l'],
  ['i', 'l'],
  ['5', 's'],
  ['-', '_'],
])

// oxlint-disable-next-line no-control-regex -- this is what is looked for
const BEYOND_ASCII = /[^\u0000-\u007f]/

/** Has it plain letters only? */
export const isAscii = (text: string): boolean => !BEYOND_ASCII.test(text)

const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]+/gu
const OTHER_LETTERS = /[^\p{ASCII}]/gu
const ESCAPE_OR_BLANKS = /[\s\p{Cc}\p{Z}]+/gu

/**
 * A text as a reader sees it: without what cannot be seen, its letters plain and small, every run of blanks and line ends
 * one blank.
 */
export function plainText(text: string): string {
  const whole = withoutEscapes(text)
  const letters = isAscii(whole)
    ? whole.toLowerCase()
    : whole
        .normalize('NFKD')
        .replace(UNSEEN, '')
        .toLowerCase()
        .replace(OTHER_LETTERS, letter => PLAIN.get(letter) ?? letter)
  return letters.replace(ESCAPE_OR_BLANKS, ' ')
}

/** A name or word with letters that look alike made the same. */
export function skeleton(name: string): string {
  const plain = plainText(name).replaceAll('rn', 'm')
  let made = ''
  for (const letter of plain) made += SAME.get(letter) ?? letter
  return made
}
