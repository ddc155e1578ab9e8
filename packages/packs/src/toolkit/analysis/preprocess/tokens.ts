/** A piece of a C-like source that matters to its preprocessor or to its brackets. */
export interface Token {
  readonly kind: 'word' | 'sign' | 'literal' | 'directive'
  readonly start: number
  readonly end: number
}

/** The languages with a preprocessor. */
export type Preprocessed = 'cpp' | 'csharp'

// None of these can fail once begun: what is not closed goes on to the end, so no input makes them try again.
const SKIPPED = String.raw`[ \t\r\f\v\\\uFEFF]+|\/\/(?:[^\n\\]+|\\[^])*|\/\*[^]*?(?:\*\/|$)`
const CHARACTER = String.raw`'(?:[^'\\\n]+|\\[^])*(?:'|(?=\n)|\\?$)`
const STRING = String.raw`"(?:[^"\\\n]+|\\[^])*(?:"|(?=\n)|\\?$)`
const NUMBER = String.raw`\.?\d(?:[eEpP][+-]|'(?=[\da-fA-F])|[\w.])*`
const RAW = String.raw`(?:u8|[uUL])?R"(?<fence>[^ ()\\\t\v\f\n]{0,16})\([^]*?(?:\)\k<fence>"|$)`
const VERBATIM = String.raw`(?:\$@|@\$|@)"(?:[^"]+|"")*(?:"|$)|\$*(?<fence>"{3,})[^]*?(?:\k<fence>"*|$)`
const WORD = String.raw`@?[\p{L}_$][\p{L}\p{N}_$]*`
const SIGN = String.raw`&&|\|\||::|->|\S`

const lexer = (strings: string): RegExp =>
  new RegExp(
    `(?<skipped>${SKIPPED})|(?<line>\\n)|(?<literal>${strings}|${CHARACTER}|${STRING}|${NUMBER})|(?<word>${WORD})|(?<sign>${SIGN})`,
    'yu',
  )

const LEXERS: Readonly<Record<Preprocessed, RegExp>> = { cpp: lexer(RAW), csharp: lexer(VERBATIM) }
const DIRECTIVE = /#(?:[^\n\\/]+|\\\r?\n|\\|\/\*[^]*?(?:\*\/|$)|\/(?![/*]))*/y

/** Take a source apart; a directive is one token, with the lines it continues on. */
export function tokensOf(source: string, language: Preprocessed): Token[] {
  const tokens: Token[] = []
  let isLineStart = true
  for (let at = 0; at < source.length;) {
    const isDirective: boolean = isLineStart && source[at] === '#'
    const pattern: RegExp = isDirective ? DIRECTIVE : LEXERS[language]
    pattern.lastIndex = at
    const groups: Groups = pattern.exec(source)?.groups
    const end: number = Math.max(at + 1, pattern.lastIndex)
    const kind = isDirective ? 'directive' : tokenKind(groups)
    if (kind) tokens.push({ kind, start: at, end })
    isLineStart = groups?.line !== undefined || (isLineStart && groups?.skipped !== undefined)
    at = end
  }
  return tokens
}

type Groups = Readonly<Record<string, string | undefined>> | undefined

function tokenKind(groups: Groups): Token['kind'] | undefined {
  if (groups?.word !== undefined) return 'word'
  if (groups?.sign !== undefined) return 'sign'
  return groups?.literal === undefined ? undefined : 'literal'
}
