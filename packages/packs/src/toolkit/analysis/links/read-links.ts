import type { Node, QueryMatch, Tree } from '@vscode/tree-sitter-wasm'
import type { Language } from '../parse/grammar.ts'
import { Lines } from '../parse/lines.ts'
import type { Definition } from '../symbols/definition.ts'
import { parsed, symbolsIn } from '../symbols/symbols.ts'
import type { MakeQuery, Written } from '../symbols/symbols.ts'
import { commentsOf, LINKS } from './queries.ts'
import type { Link, Links } from './links.ts'
import { captured } from './reading.ts'
import type { Reading } from './reading.ts'
import { namesOf, typesDefined } from './names.ts'
import { phpIncludes, phpUses } from './php-links.ts'
import { rustDefines, rustLinks } from './rust-links.ts'
import { styleOf } from './script-links.ts'

type Reader = (reading: Reading) => readonly Link[]

/** Find what a file says about others. */
export const linksOf = (file: string, source: string, language: Language): Promise<Links> =>
  parsed(file, source, language, (tree, query) => {
    const definitions = BY_NAME.has(language) ? symbolsIn(tree, query, { source, language }).definitions : []
    return linksIn(tree, query, { source, language, definitions })
  })

/** Find what a parsed file says about others. */
export function linksIn(tree: Tree, query: MakeQuery, { source, language, definitions }: Defined): Links {
  const matches = query(LINKS[language]).matches(tree.rootNode)
  const reading = { source, code: blanked(source, matches), matches, lines: new Lines(source) }
  if (language === 'rust')
    return { links: rustLinks(reading, definitions), defines: rustDefines(definitions, reading.code) }
  const links = READERS[language]?.(reading) ?? []
  if (language === 'go') return { links, namespaces: [PACKAGE.exec(source)?.[1] ?? ''] }
  if (!BY_NAME.has(language)) return { links }
  return { links, ...typesDefined(definitions, reading, language), names: namesOf(reading) }
}

interface Defined extends Written {
  readonly definitions: readonly Definition[]
}

const PACKAGE = /^package[ \t]+(\w+)/m

/** A text with blanks for its comments. */
export const withoutComments = (tree: Tree, query: MakeQuery, { source, language }: Written): string =>
  blanked(source, query(commentsOf(language)).matches(tree.rootNode))

// Their files are found by what is defined in them.
const BY_NAME = new Set<Language>(['java', 'csharp', 'php', 'rust'])

function blanked(source: string, matches: readonly QueryMatch[]): string {
  const parts: string[] = []
  let end = 0
  for (const node of captured(matches, 'blank')) {
    if (node.startIndex < end) continue
    parts.push(source.slice(end, node.startIndex), source.slice(node.startIndex, node.endIndex).replace(/[^\n]/g, ' '))
    end = node.endIndex
  }
  return parts.length === 0 ? source : parts.join('') + source.slice(end)
}

const CALLEES = /^(?:require|import|require_relative|load|autoload|source|\.)$/

/** What stands in quotes, each with its statement. */
function quoted({ source, matches, lines }: Reading): Link[] {
  return matches.flatMap(({ captures }) => {
    const take = (name: string): Node | undefined => captures.find(one => one.name === name)?.node
    const from = take('from')
    const callee = take('callee')
    if (!from) return []
    const called = callee && source.slice(callee.startIndex, callee.endIndex)
    if (called !== undefined && !CALLEES.test(called)) return []
    const whole = take('whole') ?? from
    const how = take('augments') ? 'augments' : styleOf(source, whole)
    const to = source.slice(from.startIndex, from.endIndex).replace(/^["'`]|["'`]$/g, '')
    return [
      {
        to,
        line: lines.at(from.startIndex),
        ...(called === undefined ? given(source, whole) : { as: called }),
        ...(how && { how }),
      },
    ]
  })
}

/** `export * from` gives on all that is there. */
const given = (source: string, { startIndex }: Node): { as?: '*' } =>
  /^export\s*(?:type\s*)?\*(?!\s*as\b)/.test(source.slice(startIndex, startIndex + 50)) ? { as: '*' } : {}

const REFERENCE = /^[ \t]*\/\/\/\s*<reference\s+path=["']([^"']+)["']/gm
const INCLUDE = /^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)/gm

const script: Reader = reading => {
  const references = [...reading.source.matchAll(REFERENCE)].map(({ 1: path = '', index }): Link => ({
    to: `./${path}`,
    line: reading.lines.at(index),
    how: 'type',
  }))
  return [...quoted(reading), ...references]
}

const statements = ({ code, matches, lines }: Reading): Link[] =>
  captured(matches, 'import').map(({ startIndex, endIndex }) => {
    const to = code.slice(startIndex, endIndex).replace(/\s+/g, ' ').trim()
    return { to, line: lines.at(startIndex), as: to.endsWith(' import *') ? '*' : undefined }
  })

const includes: Reader = ({ code, lines }) =>
  [...code.matchAll(INCLUDE)].map(({ 1: path, 2: system = '', index }) => ({
    to: path ?? system,
    line: lines.at(index),
    how: path === undefined ? 'system' : undefined,
  }))

const READERS: Readonly<Partial<Record<Language, Reader>>> = {
  javascript: script,
  typescript: script,
  tsx: script,
  component: script,
  python: statements,
  go: quoted,
  java: statements,
  csharp: statements,
  cpp: includes,
  php: reading => [...phpUses(statements(reading)), ...phpIncludes(reading)],
  ruby: quoted,
  shell: quoted,
}
