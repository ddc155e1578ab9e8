import { lineAt } from './lexer.ts'

/** A piece of a Markdown file, with the line it stands on. */
export interface Piece {
  readonly text: string
  readonly line: number
}

/** A fenced block and the language after its opening fence. */
export interface Fence extends Piece {
  readonly language: string
}

const fence = /^([ \t]*)(`{3,}|~{3,})([^\n]*)\n([\s\S]*?)^[ \t]*\2[`~]*[ \t]*$/gm

/** The fenced blocks of a Markdown text. */
export function fences(text: string): Fence[] {
  return [...text.matchAll(fence)].map(({ 3: info = '', 4: body = '', index }) => {
    return { language: info.trim().split(/\s/)[0] ?? '', text: body, line: lineAt(text, index) + 1 }
  })
}

/** The same text, line for line, without its fenced blocks. */
export function prose(text: string): string {
  return text.replace(fence, block => block.replace(/[^\n]/g, ''))
}

/** What stands in backticks in running text. */
export function spans(text: string): Piece[] {
  const rest = prose(text)
  return [...rest.matchAll(/(?<!`)(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)/g)].map(({ 2: code = '', index }) => {
    return { text: code.trim(), line: lineAt(rest, index) }
  })
}

/** The targets of links and images. */
export function links(text: string): Piece[] {
  const rest = prose(text)
  return [...rest.matchAll(/\]\(\s*<?([^\s()<>]+)>?[^()]*\)|^\[[^\]]+\]:[ \t]+(\S+)/gm)].map(found => {
    return { text: found[1] ?? found[2] ?? '', line: lineAt(rest, found.index) }
  })
}

/** Every piece of code, in backticks or fenced. */
export function code(text: string): Piece[] {
  return [...spans(text), ...fences(text)]
}

/** The lines of a piece, those that end in a backslash joined to the next. */
export function commandLines(piece: Piece): Piece[] {
  const joined: Piece[] = []
  let open = ''
  for (const [at, line] of piece.text.split('\n').entries()) {
    if (line.endsWith('\\')) {
      open += `${line.slice(0, -1)} `
      continue
    }
    joined.push({ text: open + line, line: piece.line + at })
    open = ''
  }
  return open === '' ? joined : [...joined, { text: open, line: piece.line }]
}
