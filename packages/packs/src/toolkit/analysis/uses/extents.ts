import type { Node, Tree } from '@vscode/tree-sitter-wasm'
import type { Language } from '../parse/grammar.ts'
import { Lines } from '../parse/lines.ts'
import type { Definition } from '../symbols/definition.ts'
import { parsed, symbolsIn } from '../symbols/symbols.ts'

/** A definition with all that belongs to it. */
export interface Extent {
  readonly definition: Definition
  /** Where its comment begins, at the start of a line if nothing else is on it. */
  readonly from: number
  /** Where it begins itself: behind its comment. */
  readonly code: number
  readonly to: number
  /** The lines of all of it. */
  readonly line: number
  readonly end_line: number
  readonly text: string
  /** What is in it, if it is a class or the like. */
  readonly members: readonly Definition[]
}

/** What a file has of what was asked for. */
export interface Extents {
  readonly source: string
  readonly extents: readonly Extent[]
  /** The line of the first thing that the parser could not make sense of. */
  readonly faulty?: number
}

const WRAPPERS =
  /^(?:export_statement|decorated_definition|lexical_declaration|variable_declaration|expression_statement|template_declaration|type_declaration|ambient_declaration|assignment_expression|const_declaration|var_declaration|property_declaration|field_declaration|declaration)$/
const COMMENT = /comment/
const LEADING = /comment|^attribute_item$|^decorator$|^attribute_list$|^annotation$/

/** The definitions of a name in a file, whole. */
export function extentsOf(file: string, source: string, language: Language, name: string): Promise<Extents> {
  return parsed(file, source, language, (tree, query) => {
    const { definitions } = symbolsIn(tree, query, { source, language })
    const lines = new Lines(source)
    const found = definitions.filter(one => one.name === name && one.kind !== 'import')
    const extents = found.map(definition => extentOf(definition, { tree, source, lines, definitions }))
    const faulty = tree.rootNode.hasError ? firstFault(tree.rootNode) : undefined
    return {
      source: found.length === 0 ? '' : source,
      extents,
      ...(faulty !== undefined && { faulty: lines.at(faulty) }),
    }
  })
}

function firstFault(node: Node): number {
  const inner = node.children.find(child => child?.hasError || child?.isError || child?.isMissing)
  return inner ? firstFault(inner) : node.startIndex
}

interface Seeing {
  readonly tree: Tree
  readonly source: string
  readonly lines: Lines
  readonly definitions: readonly Definition[]
}

function extentOf(definition: Definition, { tree, source, lines, definitions }: Seeing): Extent {
  const node = wholeOf(tree.rootNode.descendantForIndex(definition.from, definition.to), definition)
  const to = ended(source, Math.max(node?.endIndex ?? 0, definition.to))
  const start = Math.min(node?.startIndex ?? Infinity, definition.from)
  const { from, code } = leading(node, start, source)
  const members = definitions.filter(
    one => one.from >= definition.from && one.to <= definition.to && one !== definition,
  )
  return {
    definition,
    from: lineStart(source, from),
    code: lineStart(source, code),
    to,
    line: lines.at(from),
    end_line: lines.at(Math.max(0, to - 1)),
    text: source.slice(lineStart(source, from), to),
    members: members.filter(({ depth }) => depth === definition.depth + 1),
  }
}

/** With `export`, `const` and the like, if they are there for this alone. */
function wholeOf(node: Node | null, { from, to }: Definition): Node | null {
  let whole = node
  while (whole?.parent) {
    const { parent } = whole
    const isSame = parent.startIndex === from && parent.endIndex === to
    const others = parent.namedChildren.filter(child => child && /declarator$|_spec$|_element$/.test(child.type))
    if (!isSame && !(WRAPPERS.test(parent.type) && others.length <= 1)) break
    whole = parent
  }
  return whole
}

/** Comments, decorators and attributes right above. */
function leading(node: Node | null, start: number, source: string): { from: number; code: number } {
  let [from, code] = [start, start]
  for (let before = node?.previousSibling; before && LEADING.test(before.type); before = before.previousSibling) {
    const between = source.slice(before.endIndex, from)
    const isAlone = source.slice(lineStart(source, before.startIndex), before.startIndex).trim() === ''
    const isNear = (between.match(/\n/g) ?? []).length + (source[before.endIndex - 1] === '\n' ? 1 : 0) <= 1
    if (!isAlone || !isNear || between.trim() !== '') break
    from = before.startIndex
    if (!COMMENT.test(before.type)) code = from
  }
  return { from, code }
}

/** The start of the line, if only white space is in between. */
function lineStart(source: string, at: number): number {
  const start = source.lastIndexOf('\n', at - 1) + 1
  return source.slice(start, at).trim() === '' ? start : at
}

/** With the sign that ends it. */
const ended = (source: string, to: number): number =>
  /[;,]/.test(source[to] ?? '') && source[to - 1] !== ';' ? to + 1 : to
