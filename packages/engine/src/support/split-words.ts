// 'literally', "with escapes", or plain characters and escapes; each right after the one before.
const PIECE = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|(?:[^\s"'\\]|\\["\\]|\\(?=[^]))+/
const WORD = new RegExp(`\\s*((?:${PIECE.source})+)\\s*`, 'gy')
const PIECES = new RegExp(PIECE, 'g')

/**
 * A command line as words, without a shell: blanks separate, single and double quotes hold together, a backslash makes
 * a quote or a backslash literal and is itself anywhere else. A line that cannot be split gives what is wrong with it.
 */
export function splitWords(line: string): readonly string[] | string {
  const found = [...line.matchAll(WORD)]
  const rest = line.slice(found.reduce((length, [whole]) => length + whole.length, 0)).trim()
  if (rest !== '') return rest === '\\' ? 'must not end with a backslash' : `has an unclosed ${rest[0]}`
  const words = found.map(([, word = '']) => unquoted(word))
  return (words[0] ?? '') === '' ? 'must name a program' : words
}

const unquoted = (word: string): string =>
  word.replaceAll(
    PIECES,
    (whole, single?: string, double?: string) => single ?? (double ?? whole).replaceAll(/\\(["\\])/g, '$1'),
  )
