import { flatten } from './measure/flat.ts'
import type { Language } from './parse/grammar.ts'
import { Lines } from './parse/lines.ts'
import { parsing } from './parse/parser.ts'
import { ROLE } from './measure/roles.ts'
import type { Definition } from './symbols/definition.ts'
import { linksIn, linksOf, withoutComments } from './links/read-links.ts'
import { isRegistered, runsItself } from './links/registered.ts'
import type { Links } from './links/links.ts'
import { parsed, symbolsIn, symbolsOf } from './symbols/symbols.ts'
import { extentsOf } from './uses/extents.ts'
import type { Extents } from './uses/extents.ts'
import { occurrencesOf } from './uses/occurrences.ts'
import type { Occurrences } from './uses/occurrences.ts'

/** What to find out about a file, instead of measuring it. */
export type Ask = 'symbols' | 'words' | 'tokens' | 'links' | { readonly find: string } | { readonly read: string }

/** What was found out. */
export interface Findings {
  readonly definitions?: readonly Definition[]
  /** What it takes from others. */
  readonly links?: Links
  /** Every word in it, once, comments left out. */
  readonly words?: readonly string[]
  /** Where definitions stand that something runs by a mark on them. */
  readonly registered?: readonly number[]
  /** It is run, not used by others. */
  readonly runs?: true
  readonly occurrences?: Occurrences
  readonly extents?: Extents
  /** Its tokens as numbers that are alike for alike tokens, and the line of each. */
  readonly tokens?: { readonly hashes: Uint32Array; readonly lines: Uint32Array }
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu

/** Find something out about a file. */
export async function inspect(file: string, source: string, language: Language, ask: Ask): Promise<Findings> {
  if (ask === 'links') return { links: await linksOf(file, source, language) }
  if (ask === 'tokens') return { tokens: await tokensOf(file, source, language) }
  if (typeof ask === 'object' && 'read' in ask) {
    return source.includes(ask.read) ? { extents: await extentsOf(file, source, language, ask.read) } : {}
  }
  if (typeof ask === 'object') return { occurrences: await occurrencesOf(file, source, language, ask.find) }
  if (ask === 'words') return wordsIn(file, source, language)
  return symbolsOf(file, source, language)
}

const wordsIn = (file: string, source: string, language: Language): Promise<Findings> =>
  parsed(file, source, language, (tree, query) => {
    const written = { source, language }
    const { definitions } = symbolsIn(tree, query, written)
    return {
      definitions,
      links: linksIn(tree, query, { ...written, definitions }),
      words: [...new Set(withoutComments(tree, query, written).match(WORD))],
      registered: definitions.filter(one => isRegistered(one, source)).map(({ at }) => at),
      ...(runsItself(source, language) && { runs: true as const }),
    }
  })

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
