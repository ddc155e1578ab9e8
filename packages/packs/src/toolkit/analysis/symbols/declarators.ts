import type { Node } from '@vscode/tree-sitter-wasm'
import { isShouted } from '../preprocess/words.ts'

const NAMES =
  /^(?:identifier|field_identifier|type_identifier|qualified_identifier|destructor_name|operator_name|operator_cast|template_function)$/
const MOST_WRAPPED = 20

interface Whole {
  readonly node: Node
  readonly kind: string
  readonly source: string
}

/** In C and C++ a name stands inside of what says what it is: `*(*names[3])(int)`. */
export function declaredBy(declarator: Node, whole: Whole): { readonly node: Node; readonly kind: string } | undefined {
  const { node, called } = unwrapped(declarator)
  if (!node) return undefined
  if (whole.kind === 'function')
    return called ? { node: declaredName(node, called, whole), kind: 'function' } : undefined
  if (!called || whole.kind === 'type') return { node, kind: whole.kind }
  return { node, kind: whole.kind === 'field' ? 'method' : 'prototype' }
}

/** The name inside, and the parameters right behind it, if it has some. */
function unwrapped(declarator: Node): { readonly node: Node | null; readonly called: Node | undefined } {
  let node: Node | null = declarator
  let called: Node | undefined
  for (let depth = 0; node && !NAMES.test(node.type); depth++) {
    if (depth === MOST_WRAPPED) return { node: null, called }
    const inner: Node | null = node.childForFieldName('declarator') ?? node.firstNamedChild
    // `(*name)(int)` is a pointer, `name(int)` a function.
    if (node.type === 'function_declarator') called = inner?.type === 'parenthesized_declarator' ? undefined : node
    else if (/pointer|array|reference/.test(node.type)) called = undefined
    node = inner
  }
  return { node, called }
}

/** `DEFINE_X(name) { … }` defines `name`, and `TEST(Suite, Name) { … }` defines `Name`. */
function declaredName(name: Node, called: Node, { node, source }: Whole): Node {
  const word = source.slice(name.startIndex, name.endIndex)
  if (!isShouted(word) || node.childForFieldName('type')) return name
  const given = called.childForFieldName('parameters')?.namedChildren ?? []
  const isName = (parameter: Node | null): boolean =>
    parameter?.type === 'parameter_declaration' &&
    parameter.firstNamedChild?.type === 'type_identifier' &&
    parameter.namedChildCount === 1
  const last = given.at(-1)?.firstNamedChild
  return last && given.length <= 2 && given.every(isName) ? last : name
}
