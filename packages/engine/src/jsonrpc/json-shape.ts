/** The deepest JSON that is read; more is never intended. */
const DEEPEST = 1000
/** The most values in one text: reading them all takes about a tenth of a second. A result may have no more. */
export const MOST_VALUES = 250_000

const TOO_MANY = `More than ${MOST_VALUES} values`
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Why JSON text should not be parsed: it is nested too deeply, or consists of too many values. Found before it is parsed, which
 * takes up to a hundred bytes of memory and a microsecond per value, while nothing else is served.
 */
export function refusalOf(text: string): string | undefined {
  if (text.length <= DEEPEST) return undefined
  let [depth, values] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = endOfString(text, at)
    else if (character === COMMA) {
      if (++values > MOST_VALUES) return TOO_MANY
    } else if (character === CLOSE_LIST || character === CLOSE_MAP) depth -= 1
    else if (character === OPEN_LIST || character === OPEN_MAP) {
      if (++values > MOST_VALUES) return TOO_MANY
      if (++depth > DEEPEST) return `Nested more than ${DEEPEST} levels deep`
    }
  }
  return undefined
}

/** Where the string that begins here ends: at the first quote after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
