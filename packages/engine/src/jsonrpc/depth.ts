/** The deepest JSON that is read; more is never intended. */
export const DEEPEST = 1000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Is JSON text nested more deeply? Told before it is parsed, which takes a hundred bytes of memory a bracket. */
export function isDeep(text: string): boolean {
  if (text.length <= DEEPEST) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = endOfString(text, at)
    else if (character === CLOSE_LIST || character === CLOSE_MAP) depth -= 1
    else if ((character === OPEN_LIST || character === OPEN_MAP) && ++depth > DEEPEST) return true
  }
  return false
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
