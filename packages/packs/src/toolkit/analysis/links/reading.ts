import type { Node, QueryMatch } from '@vscode/tree-sitter-wasm'
import type { Lines } from '../parse/lines.ts'

/** A parsed file, and what stands where in it. */
export interface Reading {
  readonly source: string
  /** The same text, with blanks for what is no code. */
  readonly code: string
  readonly matches: readonly QueryMatch[]
  readonly lines: Lines
}

/** The nodes that a query captured under a name, in the order of the text. */
export const captured = (matches: readonly QueryMatch[], name: string): Node[] =>
  matches.flatMap(({ captures }) => captures.flatMap(one => (one.name === name ? [one.node] : [])))
