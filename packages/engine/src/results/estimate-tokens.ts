const SPACE = 0
const BREAK = 1
const LOWER = 2
const UPPER = 3
const DIGIT = 4
const MARK = 5
const WIDE = 6

/** The kind of each ASCII character. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  if (char === '\n' || char === '\r') return BREAK
  if (/\s/.test(char)) return SPACE
  if (/[a-z]/.test(char)) return LOWER
  if (/[A-Z]/.test(char)) return UPPER
  return /\d/.test(char) ? DIGIT : MARK
})

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 128 ? (KINDS[code] ?? WIDE) : WIDE
}

/**
 * About how many tokens a model reads a text as. It knows no vocabulary, only what words, numbers, punctuation and other
 * scripts cost on average: within a tenth of a tokenizer for definitions, prose and source code, farther off for noise.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (let at = 0; at < text.length;) {
    const kind = kindAt(text, at)
    const end = endOfRun(text, at, kind)
    if (kind === WIDE) tokens += wideCost(text, at, end)
    else if (isWord(text, at, end)) tokens += costOf(LOWER, end - at, false)
    else tokens += costOf(kind, end - at, isLetter(text, end), isDigit(text, end))
    at = end
  }
  return Math.ceil(tokens)
}

function endOfRun(text: string, start: number, kind: number): number {
  let end = start + 1
  while (end < text.length && kindAt(text, end) === kind) end++
  // A single capital begins the word that follows.
  if (kind === UPPER && end === start + 1) while (end < text.length && kindAt(text, end) === LOWER) end++
  return end
}

const isLetter = (text: string, at: number): boolean => {
  const kind = at < text.length ? kindAt(text, at) : BREAK
  return kind === LOWER || kind === UPPER
}

const isDigit = (text: string, at: number): boolean => at < text.length && kindAt(text, at) === DIGIT

/** All of it in small letters, but for the first perhaps. */
const isWord = (text: string, start: number, end: number): boolean =>
  kindAt(text, end - 1) === LOWER || (end === start + 1 && kindAt(text, start) === UPPER)

/** No number takes the space before it along. */
const spaceCost = (length: number, isBeforeNumber: boolean): number =>
  isBeforeNumber ? (length === 1 ? 0.9 : 1.5) : length === 1 ? 0 : 0.6

/** Common words are one token, and a space or a single mark before a word mostly belongs to it. */
function costOf(kind: number, length: number, isBeforeWord: boolean, isBeforeNumber = false): number {
  switch (kind) {
    case SPACE:
      return spaceCost(length, isBeforeNumber)
    case BREAK:
      return 0.35
    case LOWER:
      return 0.935 + Math.max(0, length - 8) * 0.187
    case UPPER:
      return 1.7 + Math.max(0, length - 2) * 0.25
    case DIGIT:
      return Math.ceil(length / 3) * 1.05
    default:
      if (length === 1) return isBeforeWord ? 0.6 : isBeforeNumber ? 1 : 1.1
      return 1.1 + (length - 1) * 0.02
  }
}

// Where accented Latin, Greek, Cyrillic and the like end, and scripts begin that need no spaces.
const LAST_ALPHABETIC = 0x2000

function wideCost(text: string, start: number, end: number): number {
  let cost = 0
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    cost += code < LAST_ALPHABETIC ? 0.3 : code >= 0xd800 && code < 0xe000 ? 0.8 : 0.65
  }
  return cost
}
