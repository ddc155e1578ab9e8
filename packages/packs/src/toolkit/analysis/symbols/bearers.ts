import type { Tree } from '@vscode/tree-sitter-wasm'
import type { Language } from '../parse/grammar.ts'
import type { Definition } from './definition.ts'
import { nested } from './nested.ts'
import { QUERIES } from './queries.ts'
import { definitionsIn } from './raw.ts'
import { unique } from './symbols.ts'
import type { MakeQuery, Written } from './symbols.ts'

// What neither runs nor holds anything that does.
const SILENT = /@(?:field|enumerator|property|attribute|event|required|type|macro|assigned)\b[^@]*$/

const queries = new Map<Language, string>()

/** The definitions that run, or that hold others which do: the same as in an outline, found sooner. */
export function bearersIn(tree: Tree, query: MakeQuery, { source, language }: Written): Definition[] {
  const known =
    queries.get(language) ??
    patternsOf(QUERIES[language])
      .filter(one => !SILENT.test(one))
      .join('\n')
  queries.set(language, known)
  const matches = query(known).matches(tree.rootNode)
  const found = unique(definitionsIn(matches, { source, language, isBrief: true }))
  return nested(found, { source, uses: new Map() })
}

/** The patterns of a query, each with its capture. */
function patternsOf(query: string): string[] {
  const patterns: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: sign, index } of query.matchAll(/"(?:[^"\\]|\\.)*"|[([\])]/g)) {
    if (sign === '(' || sign === '[') {
      if (depth === 0 && query.slice(start, index).trim() !== '') {
        patterns.push(query.slice(start, index))
        start = index
      }
      depth += 1
    }
    if (sign === ')' || sign === ']') depth -= 1
  }
  return [...patterns, query.slice(start)]
}
