import type { Query, Tree } from '@vscode/tree-sitter-wasm'
import type { Language } from '../parse/grammar.ts'
import { parsing } from '../parse/parser.ts'
import { readable } from '../preprocess/readable.ts'
import type { Definition } from './definition.ts'
import { nested } from './nested.ts'
import { QUERIES } from './queries.ts'
import { definitionsIn, macros } from './raw.ts'
import type { Raw } from './raw.ts'

/** What one file defines. */
export interface Symbols {
  readonly definitions: readonly Definition[]
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu

/** A parsed file, valid while it is being worked on. */
export async function parsed<T>(
  file: string,
  source: string,
  language: Language,
  work: (tree: Tree, query: MakeQuery) => T,
): Promise<T> {
  const { parser, query } = await parsing(language)
  const tree = parser.parse(readable(file, source, language)?.text ?? source)
  if (!tree) throw new Error('The parser gave up')
  try {
    return work(tree, query)
  } finally {
    tree.delete()
  }
}

/** Find what a file defines. */
export const symbolsOf = (file: string, source: string, language: Language): Promise<Symbols> =>
  parsed(file, source, language, (tree, query) => symbolsIn(tree, query, { source, language }))

/** Find what a parsed file defines. */
export function symbolsIn(tree: Tree, query: MakeQuery, { source, language }: Written): Symbols {
  const matches = query(QUERIES[language]).matches(tree.rootNode)
  const found = [...definitionsIn(matches, { source, language }), ...macros(source, language)]
  return {
    definitions: nested(unique(found), { source, uses: counted(source) }),
  }
}

/** A query of a language, compiled once. */
export type MakeQuery = (source: string) => Query

/** A text and its language. */
export interface Written {
  readonly source: string
  readonly language: Language
}

// Of what is found twice, a function says more than the constant that holds it.
const VAGUE = ['field', 'type', 'constant', 'variable']
const rank = ({ kind }: Raw): number => VAGUE.indexOf(kind)

/** In the order of the text; a name that several patterns find is one definition, of the kind that says most. */
export function unique(unsorted: readonly Raw[]): Raw[] {
  const found = unsorted.toSorted((a, b) => a.from - b.from || b.to - a.to || rank(a) - rank(b))
  const best = new Map<number, Raw>()
  for (const raw of found) {
    const known = best.get(raw.at)
    if (!known || rank(raw) < rank(known)) best.set(raw.at, raw)
  }
  return found.filter(raw => best.get(raw.at) === raw)
}

/** How often each word stands in a text. */
function counted(source: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [word] of source.matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
