import type { Node, Tree } from '@vscode/tree-sitter-wasm'
import type { Language } from '../parse/grammar.ts'
import { Lines } from '../parse/lines.ts'
import { hasMembers, isCallable } from '../symbols/definition.ts'
import type { Definition } from '../symbols/definition.ts'
import { parsed, symbolsIn } from '../symbols/symbols.ts'
import { bindingScope, fieldOf } from './bindings.ts'
import type { Scope } from './bindings.ts'
import { importedFrom, receiverAt, typeOf } from './receiver.ts'
import type { Receiver } from './receiver.ts'

/** What a name does where it stands. */
export type Role = 'definition' | 'call' | 'use' | 'import' | 'key' | 'local' | 'comment' | 'string'

/** A place where a name stands. */
export interface Occurrence {
  readonly role: Role
  /** Where it begins in the text. */
  readonly at: number
  readonly line: number
  readonly column: number
  /** The line, cut. */
  readonly text: string
  /** What is defined there. */
  readonly definition?: Definition
  /** The function or type that it stands in, with what that is part of. */
  readonly within?: Within
  readonly receiver?: Receiver
  /** The statement that imports it. */
  readonly imported?: string
  /** `{ name }`: the key of something and the name of something else at once. */
  readonly shorthand?: 'value' | 'pattern' | 'exports'
  /** Where it is known, if it is declared here for the code around it. */
  readonly scope?: Scope
}

/** What a place is in. */
export interface Within {
  readonly name: string
  readonly kind: string
  readonly container?: string
  readonly line: number
  readonly from: number
  readonly to: number
  /** The innermost type. */
  readonly type?: string
}

/** What one file says about a name. */
export interface Occurrences {
  readonly places: readonly Occurrence[]
  /** What its types say they are built on, as written. */
  readonly heritage: Readonly<Record<string, string>>
}

const MOST = 2000
const LONGEST = 200
const COMMENT = /comment/
const STRING = /string|char_literal|character_literal|content|heredoc|^text$|regex|rune|symbol/
const IMPORTS =
  /^(?:import_statement|import_from_statement|import_declaration|future_import_statement|use_declaration|using_directive|using_declaration|namespace_use_declaration|export_statement|import_spec)$/
const IMPORT_PARTS =
  /import|export_(?:specifier|clause)|use_|scoped|identifier|dotted_name|namespace|qualified|using|name|clause/
const KEYS: Readonly<Record<string, string>> = {
  pair: 'key',
  keyword_argument: 'name',
  field_initializer: 'field',
  keyed_element: 'key',
  literal_element: '',
  named_argument: 'name',
  pair_pattern: 'key',
  argument: 'name',
  property_signature: 'name',
  method_signature: 'name',
}

/** Where a name stands in a file, and what it does there. */
export async function occurrencesOf(
  file: string,
  source: string,
  language: Language,
  name: string,
): Promise<Occurrences> {
  const starts = placesOf(source, name)
  if (starts.length === 0) return { places: [], heritage: {} }
  return parsed(file, source, language, (tree, query) => {
    const { definitions } = symbolsIn(tree, query, { source, language })
    const seeing: Seeing = { source, language, name, tree, definitions, lines: new Lines(source), cache: new Map() }
    return { places: starts.flatMap(at => occurrence(seeing, at) ?? []), heritage: heritageOf(definitions, source) }
  })
}

interface Seeing {
  readonly source: string
  readonly language: Language
  readonly name: string
  readonly tree: Tree
  readonly definitions: readonly Definition[]
  readonly lines: Lines
  readonly cache: Map<string, unknown>
}

function occurrence(seeing: Seeing, at: number): Occurrence | undefined {
  const { source, tree, name, definitions, lines } = seeing
  const start = source.lastIndexOf('\n', at - 1) + 1
  const within = withinOf(definitions, at)
  const base = {
    at,
    line: lines.at(at),
    column: at - start + 1,
    text: lineAt(source, start),
    ...(within && { within }),
  }
  const definition =
    definitions.find(one => one.at === at) ?? definitions.find(one => one.at + 1 === at && one.name === `~${name}`)
  if (definition && definition.kind !== 'import') return { ...base, role: 'definition', definition }
  const node = tree.rootNode.descendantForIndex(at, at + name.length)
  if (!node) return { ...base, role: 'use' }
  // A word of the language that is spelled like the name.
  if (!node.isNamed || /^(?:predefined|primitive)_type$/.test(node.type)) return undefined
  if (COMMENT.test(node.type)) return { ...base, role: 'comment' }
  if (STRING.test(node.type) && !/interpolation|substitution/.test(node.type)) return { ...base, role: 'string' }
  return { ...base, ...roleOf(node, at, seeing) }
}

type Part = Pick<Occurrence, 'role' | 'receiver' | 'imported' | 'shorthand' | 'scope' | 'definition'>

function roleOf(node: Node, at: number, seeing: Seeing): Part {
  const { source, name, language } = seeing
  const statement = importOf(node)
  const scope = bindingScope(node, language)
  const shorthand = shorthandOf(node)
  const required = shorthand === 'pattern' ? requiredIn(node) : undefined
  if (required !== undefined) return { role: 'import', imported: required, shorthand: 'pattern' }
  if (scope) return local(scope, shorthand, statement)
  if (statement !== undefined) return { role: 'import', imported: statement }
  if (shorthand) return { role: 'use', shorthand }
  const part = ofParent(node)
  if (part) return part
  const receiver = receiverAt(source, at)
  const isCall = /^\s*(?:::)?(?:<[^<>()]*>)?!?\s*\(/.test(source.slice(at + name.length, at + name.length + LONGEST))
  return { role: isCall ? 'call' : 'use', ...(receiver && { receiver: typed(receiver, at, seeing) }) }
}

const local = (scope: Scope, shorthand: Occurrence['shorthand'], imported: string | undefined): Part => ({
  role: 'local',
  scope,
  ...(shorthand && { shorthand }),
  ...(imported !== undefined && { imported }),
})

/** What a name is by what it is right inside of: a key, or the name that a function has for itself. */
function ofParent(node: Node): Part | undefined {
  const { parent } = node
  if (!parent) return undefined
  if (KEYS[parent.type] !== undefined && fieldOf(parent, node) === KEYS[parent.type])
    return { role: 'key', ...(parent.type === 'pair_pattern' && { shorthand: 'pattern' }) }
  // `app.go = function go() {}` names itself.
  const isOwn = /^(?:function_expression|generator_function|class)$/.test(parent.type)
  return isOwn ? { role: 'local', scope: { from: parent.startIndex, to: parent.endIndex } } : undefined
}

/** Of one name a file says the same everywhere. */
function kept<T>({ cache }: Seeing, key: string, make: (key: string) => T): T {
  if (!cache.has(key)) cache.set(key, make(key))
  return cache.get(key) as T
}

function typed(receiver: Receiver, at: number, seeing: Seeing): Receiver {
  const { source, definitions, language } = seeing
  if (receiver.type !== undefined || receiver.name === '') return receiver
  const origin = kept(seeing, receiver.chain ?? receiver.name, name => importedFrom(name, source))
  if (origin !== undefined) return { ...receiver, ...origin }
  const around = definitions.findLast(({ kind, from, to }) => isCallable(kind) && from <= at && at < to)
  const text = around && !receiver.isChain ? source.slice(around.from, around.to) : source
  const isGo = language === 'go'
  const type =
    kept(seeing, `${text.length} ${around?.from} ${receiver.name}`, () => typeOf(receiver.name, text, isGo)) ??
    kept(seeing, `* ${receiver.name}`, () => typeOf(receiver.name, source, isGo))
  return type === undefined ? receiver : { ...receiver, type }
}

function importOf(node: Node): string | undefined {
  for (let up: Node | null = node.parent; up; up = up.parent) {
    if (IMPORTS.test(up.type)) {
      if (up.type === 'export_statement' && !up.childForFieldName('source')) return undefined
      return up.text.slice(0, 10 * LONGEST)
    }
    if (!IMPORT_PARTS.test(up.type)) return undefined
  }
  return undefined
}

function shorthandOf(node: Node): Occurrence['shorthand'] {
  if (node.type === 'shorthand_property_identifier_pattern') return 'pattern'
  const isRust = node.parent?.type === 'shorthand_field_initializer'
  if (node.type !== 'shorthand_property_identifier' && !isRust) return undefined
  const holder = node.parent?.parent
  const left = holder?.type === 'assignment_expression' ? holder.childForFieldName('left')?.text : undefined
  return left !== undefined && /^(?:module\.)?exports$/.test(left) ? 'exports' : 'value'
}

/** `const { name } = require('./module')`. */
function requiredIn(node: Node): string | undefined {
  const declarator = node.parent?.parent
  const value = declarator?.type === 'variable_declarator' ? declarator.childForFieldName('value')?.text : undefined
  return value !== undefined && /^require\s*\(/.test(value) ? value.slice(0, LONGEST) : undefined
}

function withinOf(definitions: readonly Definition[], at: number): Within | undefined {
  const around = definitions.filter(({ from, to, at: own }) => from <= at && at < to && own !== at)
  const inner = around.findLast(({ kind }) => isCallable(kind) || hasMembers(kind)) ?? around.at(-1)
  if (!inner) return undefined
  const { name, kind, container, line, from, to, owner } = inner
  const type = owner ?? around.findLast(one => !isCallable(one.kind))?.name
  return {
    name,
    kind,
    line,
    from,
    to,
    ...(container !== undefined && { container }),
    ...(type !== undefined && { type }),
  }
}

const TYPES = /^(?:class|struct|interface|trait|record|impl|enum|type)$/

function heritageOf(definitions: readonly Definition[], source: string): Record<string, string> {
  const heritage = Object.create(null) as Record<string, string>
  for (const { name, kind, from, to, at } of definitions) {
    if (!TYPES.test(kind)) continue
    const head = source.slice(kind === 'impl' ? from : at + name.length, Math.min(to, at + 5 * LONGEST))
    const [above = ''] = /^[^{;\n]*(?:\n\s*(?:extends|implements|:)[^{;]*)?/.exec(head) ?? []
    heritage[name] = `${heritage[name] ?? ''} ${above}`
  }
  return heritage
}

function placesOf(source: string, name: string): number[] {
  const places: number[] = []
  for (let at = source.indexOf(name); at >= 0 && places.length < MOST; at = source.indexOf(name, at + name.length)) {
    const isWhole = !isLetter(source[at - 1]) && !isLetter(source[at + name.length])
    if (isWhole) places.push(at)
  }
  return places
}

const isLetter = (letter: string | undefined): boolean => letter !== undefined && /[\p{L}\p{N}_$]/u.test(letter)

function lineAt(source: string, start: number): string {
  const end = source.indexOf('\n', start)
  return source
    .slice(start, end < 0 ? undefined : end)
    .trim()
    .slice(0, LONGEST)
}
