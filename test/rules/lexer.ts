/** A stretch of source text that is not code: a comment, or the inside of a string, template or regular expression. */
interface Span {
  readonly kind: 'comment' | 'text'
  readonly start: number
  readonly end: number
}

interface Scan {
  readonly text: string
  readonly spans: Span[]
  /** Open braces inside each open `${…}`, innermost last. */
  readonly templates: number[]
  at: number
  /** The last code token: it decides whether a slash divides or opens a regular expression. */
  last: string
}

const patterns = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  string: /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y,
  template: /[`}](?:\\[\s\S]|\$(?!\{)|[^\\`$])*(?:`|\$\{)/y,
  regex: /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y,
  word: /[\w$]+/y,
} as const

const beforeRegex = /^(?:|[^\w$)\]'"`]|return|typeof|case|in|of|void|delete|throw|new|do|else|yield|await)$/

function match(scan: Scan, pattern: RegExp): string | undefined {
  pattern.lastIndex = scan.at
  return pattern.exec(scan.text)?.[0]
}

function skip(scan: Scan, kind: Span['kind'], token: string): void {
  scan.spans.push({ kind, start: scan.at, end: scan.at + token.length })
  scan.at += token.length
}

/** Reads template text up to its closing backtick or to the next `${`, whose closing brace leads back here. */
function readTemplate(scan: Scan): void {
  const text = match(scan, patterns.template) ?? scan.text.slice(scan.at)
  skip(scan, 'text', text)
  if (text.endsWith('${')) scan.templates.push(0)
  scan.last = text.endsWith('${') ? '{' : '`'
}

function readMark(scan: Scan, mark: string): void {
  const depth = scan.templates.at(-1)
  if (mark === '`') return readTemplate(scan)
  if (mark === '}' && depth === 0) {
    scan.templates.pop()
    return readTemplate(scan)
  }
  if (depth !== undefined && mark === '{') scan.templates[scan.templates.length - 1] = depth + 1
  if (depth !== undefined && mark === '}') scan.templates[scan.templates.length - 1] = depth - 1
  if (mark.trim()) scan.last = mark
  scan.at += 1
}

function step(scan: Scan): void {
  const comment = match(scan, patterns.comment)
  if (comment) return skip(scan, 'comment', comment)
  const text = match(scan, patterns.string) ?? (beforeRegex.test(scan.last) ? match(scan, patterns.regex) : undefined)
  if (text) {
    skip(scan, 'text', text)
    scan.last = "'"
    return
  }
  const word = match(scan, patterns.word)
  if (word) {
    scan.at += word.length
    scan.last = word
    return
  }
  readMark(scan, scan.text.charAt(scan.at))
}

function scan(text: string): Span[] {
  const state: Scan = { text, spans: [], templates: [], at: 0, last: '' }
  while (state.at < text.length) step(state)
  return state.spans
}

function blankSpan(text: string, kind: Span['kind']): string {
  const blank = text.replace(/[^\n]/g, ' ')
  const quote = text.charAt(0)
  return kind === 'text' && (quote === "'" || quote === '"') ? quote + blank.slice(2) + quote : blank
}

/** The same text, position for position, with comments, strings, templates and regular expressions blanked out. */
export function codeOnly(text: string): string {
  let code = text
  for (const { kind, start, end } of scan(text)) {
    code = code.slice(0, start) + blankSpan(text.slice(start, end), kind) + code.slice(end)
  }
  return code
}

/** The comments of a text, each with the position it starts at. */
export function commentsOf(text: string): { start: number; text: string }[] {
  return scan(text)
    .filter(({ kind }) => kind === 'comment')
    .map(({ start, end }) => ({ start, text: text.slice(start, end) }))
}

/** The strings, templates and regular expressions of a text, quotes included. */
export function textsIn(text: string): string[] {
  return scan(text)
    .filter(({ kind }) => kind === 'text')
    .map(({ start, end }) => text.slice(start, end))
}

/** The line number, from 1, of a position in a text. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}
