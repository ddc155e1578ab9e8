const code = (character: string): number => character.codePointAt(0) ?? 0

const ZERO_WIDTH_SPACE = 0x200b
const NON_JOINER = 0x200c
const JOINER = 0x200d
const KEYCAP = 0x20e3
const BLACK_FLAG = 0x1f3f4

// Scripts whose letters join, or stack, and in which (non-)joiners decide how a word is written.
const JOINING =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u
// Scripts that write words without spaces, where one of no width says where a line may end.
const UNSPACED =
  /^[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Javanese}]/u
const RIGHT_TO_LEFT =
  /^[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Mandaic}]/u
const PICTURE = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u
const HAN = /^\p{Script=Han}/u
const SYMBOL = /^[\p{Script=Han}\p{Sm}\p{Script=Mongolian}\p{Script=Myanmar}\p{Script=Phags_Pa}]/u
const MONGOLIAN = /^\p{Script=Mongolian}/u
// England, Scotland and Wales: the only flags that are spelled with tags.
const FLAGS = new Set(
  ['gbeng', 'gbsct', 'gbwls'].map(
    name => `${Array.from(name, letter => String.fromCodePoint(0xe0000 + code(letter))).join('')}\u{e007f}`,
  ),
)

const is = (kind: RegExp, character: number | undefined): boolean =>
  character !== undefined && kind.test(String.fromCodePoint(character))

/** Does a run of unseen characters belong between the two it stands between, as scripts and emoji need it? */
export function isExpectedHere(run: string, before: number | undefined, next: number | undefined): boolean {
  if (before === BLACK_FLAG && FLAGS.has(run)) return true
  const [first, second, ...more] = Array.from(run, code)
  if (first === undefined || more.length > 0) return false
  if (second === undefined) return fits(first, before, next)
  // A picture in colour, joined to another one.
  return first === 0xfe0f && second === JOINER && is(PICTURE, before) && is(PICTURE, next)
}

/** Does a single unseen character? */
function fits(one: number, before: number | undefined, next: number | undefined): boolean {
  if (one === JOINER) return (is(PICTURE, before) && is(PICTURE, next)) || is(JOINING, before)
  if (one === NON_JOINER) return is(JOINING, before)
  if (one === ZERO_WIDTH_SPACE) return is(UNSPACED, before) && is(UNSPACED, next)
  // Marks of direction, which turn nothing but what is next to them.
  if (one === 0x200e || one === 0x200f || one === 0x061c) return is(RIGHT_TO_LEFT, before) || is(RIGHT_TO_LEFT, next)
  return isVariation(one, before, next)
}

function isVariation(one: number, before: number | undefined, next: number | undefined): boolean {
  if (one === 0xfe0e || one === 0xfe0f) return is(PICTURE, before) || next === KEYCAP
  if (one >= 0xfe00 && one < 0xfe0e) return is(SYMBOL, before)
  if (one >= 0x180b && one <= 0x180f) return is(MONGOLIAN, before)
  return one >= 0xe0100 && one <= 0xe01ef && is(HAN, before)
}
