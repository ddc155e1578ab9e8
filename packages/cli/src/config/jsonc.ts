/** Parse JSON as people write it: with a byte order mark, comments and trailing commas. */
export function parseJsonc(text: string): unknown {
  const plain = withoutTrailingCommas(withoutComments(text.replace(/^\uFEFF/, '')))
  try {
    return JSON.parse(plain)
  } catch (error) {
    throw new SyntaxError(located(error instanceof Error ? error.message : String(error), plain), { cause: error })
  }
}

const TOKENS = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g
const COMMAS = /"(?:[^"\\\n]|\\.)*"?|,(?=\s*[}\]])/g

// Blanks take their place, so that what is wrong is still reported where it stands.
const withoutComments = (text: string): string =>
  text.replace(TOKENS, token => (token.startsWith('/') ? token.replace(/[^\n]/g, ' ') : token))

const withoutTrailingCommas = (text: string): string => text.replace(COMMAS, token => (token === ',' ? ' ' : token))

/** The message with line and column in place of a position. */
function located(message: string, text: string): string {
  const [whole, position] = / at position (\d+)(?: \(line \d+ column \d+\))?/.exec(message) ?? []
  if (whole === undefined) return message
  const before = text.slice(0, Number(position)).split('\n')
  return message.replace(whole, ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`)
}
