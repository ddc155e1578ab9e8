import type { Node, Query, QueryMatch, Tree } from '@vscode/tree-sitter-wasm'
import type { Language } from '../parse/grammar.ts'
import { Lines } from '../parse/lines.ts'
import { parsing } from '../parse/parser.ts'
import { preprocess } from '../preprocess/preprocess.ts'
import { isExported } from './exported.ts'
import { QUERIES } from './queries.ts'

/** Something a file defines. */
export interface Definition {
  readonly name: string
  readonly kind: string
  readonly line: number
  readonly end_line: number
  /** What it is part of, from the outside in, with dots between. */
  readonly container?: string
  /** How deep it stands in others. */
  readonly depth: number
  /** Others may use it. */
  readonly exported: boolean
  /** How often its name stands in the file. */
  readonly uses: number
  /** Where its name stands in the text. */
  readonly at: number
}

/** What one file defines, and what it names of others. */
export interface Symbols {
  readonly definitions: readonly Definition[]
  /** What its imports say, as written. */
  readonly imports: readonly string[]
}

const CALLEES = new Set(['require', 'import', 'require_relative'])
const LONGEST = 200
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu
const DEFINE = /^[ \t]*#[ \t]*define[ \t]+(\w+)/gm
const INCLUDE = /^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"/gm

/** A parsed file, valid while it is being worked on. */
export async function parsed<T>(
  file: string,
  source: string,
  language: Language,
  work: (tree: Tree, query: MakeQuery) => T,
): Promise<T> {
  const { parser, query } = await parsing(language)
  const isPreprocessed = language === 'cpp' || language === 'csharp'
  const tree = parser.parse(isPreprocessed ? preprocess(file, source, language).text : source)
  if (!tree) throw new Error('The parser gave up')
  try {
    return work(tree, query)
  } finally {
    tree.delete()
  }
}

/** Find what a file defines and imports. */
export const symbolsOf = (file: string, source: string, language: Language): Promise<Symbols> =>
  parsed(file, source, language, (tree, query) => symbolsIn(tree, query, { source, language }))

/** Find what a parsed file defines and imports. */
export function symbolsIn(tree: Tree, query: MakeQuery, { source, language }: Written): Symbols {
  const matches = query(QUERIES[language]).matches(tree.rootNode)
  const found = [...definitionsIn(matches, source, language), ...macros(source, language)]
  // Of what is found twice, a function says more than the constant that holds it.
  const rank = ({ kind }: Raw): number => (kind === 'constant' || kind === 'variable' ? 1 : 0)
  found.sort((a, b) => a.from - b.from || b.to - a.to || rank(a) - rank(b))
  return {
    definitions: nested(unique(found), source),
    imports: importsIn(matches, source, language),
  }
}

/** A query of a language, compiled once. */
export type MakeQuery = (source: string) => Query

/** A text and its language. */
export interface Written {
  readonly source: string
  readonly language: Language
}

interface Raw {
  readonly name: string
  readonly kind: string
  readonly at: number
  readonly from: number
  readonly to: number
  readonly exported: boolean
}

function definitionsIn(matches: readonly QueryMatch[], source: string, language: Language): Raw[] {
  return matches.flatMap(({ captures }) => {
    const name = captures.find(capture => capture.name === 'name')?.node
    const whole = captures.find(capture => !['name', 'import', 'callee'].includes(capture.name))
    if (!name || !whole) return []
    const { node, name: kind } = whole
    const text = source.slice(name.startIndex, name.endIndex).replace(/\s+/g, ' ').slice(0, LONGEST)
    const exported = isExported(node, text, language)
    return [{ name: text, kind, at: name.startIndex, from: node.startIndex, to: node.endIndex, exported }]
  })
}

/** The parser does not see directives any more. */
function macros(source: string, language: Language): Raw[] {
  if (language !== 'cpp') return []
  return [...source.matchAll(DEFINE)].map(({ index, 0: text, 1: name = '' }) => {
    const to = index + text.length
    return { name, kind: 'macro', at: to - name.length, from: index, to, exported: false }
  })
}

/** A name that several patterns find is one definition, of the first kind. */
function unique(found: readonly Raw[]): Raw[] {
  const seen = new Set<number>()
  return found.filter(({ at }) => !seen.has(at) && seen.add(at))
}

function nested(found: readonly Raw[], source: string): Definition[] {
  const lines = new Lines(source)
  const uses = counted(source)
  const open: Raw[] = []
  return found.map(raw => {
    while (open.length > 0 && raw.from >= open.at(-1)!.to) open.pop()
    const container = open.map(({ name }) => name).join('.')
    const depth = open.length
    open.push(raw)
    const { name, kind, at, exported } = raw
    const end_line = lines.at(Math.max(0, raw.to - 1))
    return {
      name,
      kind,
      line: lines.at(at),
      end_line,
      ...(container !== '' && { container }),
      depth,
      exported,
      uses: uses.get(name) ?? 0,
      at,
    }
  })
}

/** How often each word stands in a text. */
function counted(source: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [word] of source.matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function importsIn(matches: readonly QueryMatch[], source: string, language: Language): string[] {
  if (language === 'cpp') return [...source.matchAll(INCLUDE)].map(([, path = '']) => path)
  const text = (node: Node): string => source.slice(node.startIndex, node.endIndex)
  return matches.flatMap(({ captures }) => {
    const node = captures.find(capture => capture.name === 'import')?.node
    const callee = captures.find(capture => capture.name === 'callee')?.node
    if (!node || (callee && !CALLEES.has(text(callee)))) return []
    return [text(node).replace(/^["'`]|["'`]$/g, '')]
  })
}
