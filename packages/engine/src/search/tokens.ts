// Words that say nothing about which tool is meant.
const STOP = new Set(
  (
    'a about an and are as at be been but by can could did do does for from give had has have how i if in into is it its ' +
    'just let like me my need of on or our out please should show so some tell than that the their them then there ' +
    'these they this those to up us use want was we were what when where which who why will with would you your ' +
    's t d m ve re ll am being don doesn isn there here now currently already existing another one ones other same ' +
    'without into onto per each every any much many more most very too also only please need needs help'
  ).split(' '),
)

const ASCII_WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g
const WIDE = /[^\0-\x7f]/
const WORD = /[\p{Lu}]+(?![\p{Ll}])|[\p{Lu}]?[\p{Ll}]+|\p{Lo}+|\d+/gu
const LONGEST = 4000

/** A text as the words it is searched by: split at case and punctuation, lower case, without their endings. */
export function tokens(text: string): string[] {
  const found: string[] = []
  const short = text.length > LONGEST ? text.slice(0, LONGEST) : text
  for (const word of short.match(WIDE.test(short) ? WORD : ASCII_WORD) ?? []) {
    const token = tokenOf(word)
    if (token !== '') found.push(token)
  }
  return found
}

// Tools use few words, and use them often.
const known = new Map<string, string>()
const MOST_KNOWN = 20_000

/** The word as it is indexed; nothing for one that says nothing. */
function tokenOf(word: string): string {
  const cached = known.get(word)
  if (cached !== undefined) return cached
  const lower = word.toLowerCase()
  const token = STOP.has(lower) ? '' : stem(lower)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(word, token)
  return token
}

/** Cuts the commonest English endings, so that `files`, `filing` and `file` are one word. */
export function stem(word: string): string {
  if (word.length < 4) return word
  let base = word
  if (base.endsWith('ies')) base = `${base.slice(0, -3)}y`
  else if (/(?:ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2)
  else if (base.endsWith('s') && !/(?:ss|us|is)$/.test(base)) base = base.slice(0, -1)
  return withoutSuffix(base)
}

function withoutSuffix(base: string): string {
  const cut = /^(\w{3,})(?:ing|ed|er|ation|ion|ment)$/.exec(base)?.[1]
  if (cut === undefined) return base.length > 4 && /[ey]$/.test(base) ? base.slice(0, -1) : base
  const single = /([b-df-hj-np-tv-z])\1$/.test(cut) && !/(?:ll|ss|zz)$/.test(cut) ? cut.slice(0, -1) : cut
  return single.length > 4 && single.endsWith('e') ? single.slice(0, -1) : single
}
