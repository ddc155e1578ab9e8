import { flatten } from './measure/flat.ts'
import type { Language } from './parse/grammar.ts'
import { Lines } from './parse/lines.ts'
import { parsing } from './parse/parser.ts'
import { ROLE } from './measure/roles.ts'
import type { Definition } from './symbols/definition.ts'
import { parsed, symbolsOf } from './symbols/symbols.ts'
import { extentsOf } from './uses/extents.ts'
import type { Extents } from './uses/extents.ts'
import { occurrencesOf } from './uses/occurrences.ts'
import type { Occurrences } from './uses/occurrences.ts'

/** What to find out about a file, instead of measuring it. */
export type Ask = 'symbols' | 'words' | 'tokens' | { readonly find: string } | { readonly read: string }

/** What was found out. */
export interface Findings {
  readonly definitions?: readonly Definition[]
  readonly imports?: readonly string[]
  /** Every word in it, once. */
  readonly words?: readonly string[]
  readonly occurrences?: Occurrences
  readonly extents?: Extents
  /** Its tokens as numbers that are alike for alike tokens, and the line of each. */
  readonly tokens?: { readonly hashes: Uint32Array; readonly lines: Uint32Array }
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu

/** Find something out about a file. */
export async function inspect(file: string, source: string, language: Language, ask: Ask): Promise<Findings> {
  if (ask === 'tokens') return { tokens: await tokensOf(file, source, language) }
  if (typeof ask === 'object' && 'read' in ask) {
    return source.includes(ask.read) ? { extents: await extentsOf(file, source, language, ask.read) } : {}
  }
  if (typeof ask === 'object') return { occurrences: await occurrencesOf(file, source, language, ask.find) }
  const { definitions, imports } = await symbolsOf(file, source, language)
  return { definitions, imports, ...(ask === 'words' && { words: [...new Set(source.match(WORD))] }) }
}

async function tokensOf(file: string, source: string, language: Language): Promise<NonNullable<Findings['tokens']>> {
  const { roles, openCursor } = await parsing(language)
  const flat = await parsed(file, source, language, tree => flatten(tree, openCursor, { roles, source }))
  const at = new Lines(source)
  const hashes: number[] = []
  const lines: number[] = []
  let line = 1
  for (let node = 1; node < flat.count; node++) {
    if (!flat.isLeaf(node) || flat.is(node, ROLE.ignored)) continue
    // Only what has a name knows where it stands; signs stand near the name before them.
    if (flat.is(node, ROLE.named)) line = at.at(flat.start[node]!)
    hashes.push(hash(flat.text(node)))
    lines.push(line)
  }
  return { hashes: Uint32Array.from(hashes), lines: Uint32Array.from(lines) }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
