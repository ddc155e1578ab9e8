import type { Language as Syntax } from '@vscode/tree-sitter-wasm'
import type { Grammar } from '../parse/grammar.ts'

/** What a node is to us, as bits. */
export const ROLE = {
  named: 0x1,
  function: 0x2,
  if: 0x4,
  else: 0x8,
  elif: 0x10,
  loop: 0x20,
  switch: 0x40,
  ternary: 0x80,
  catch: 0x100,
  decision: 0x200,
  arm: 0x400,
  jump: 0x800,
  label: 0x1000,
  goto: 0x2000,
  call: 0x4000,
  paren: 0x8000,
  container: 0x10000,
  carrier: 0x20000,
  /** Has tokens that decide. */
  deciding: 0x40000,
  atom: 0x80000,
  string: 0x100000,
  ignored: 0x200000,
  keyword: 0x400000,
  and: 0x800000,
  or: 0x1000000,
  elseWord: 0x2000000,
  body: 0x4000000,
  wild: 0x8000000,
  /** Has the name and the parameters of a function. */
  declarator: 0x10000000,
  /** Has nothing below it, ever. */
  leaf: 0x20000000,
} as const

/** The type of what the parser could not make sense of. */
export const ERROR = 0xffff

/** Fields that stand beside the branch rather than in it, and fields we look for. */
export interface Fields {
  /** By id: stands beside the branch. */
  readonly beside: Uint8Array
  readonly body: number
  readonly name: number
  readonly parameters: number
  readonly parameter: number
  readonly receiver: number
  readonly alternative: number
  readonly type: number
  id(name: string): number
}

/** A grammar in the terms of its parser. */
export interface Roles {
  readonly grammar: Grammar
  /** By node type. */
  readonly of: Uint32Array
  readonly types: readonly string[]
  /** Tokens that decide, as `parent << 16 | token`. */
  readonly deciding: ReadonlySet<number>
  readonly fields: Fields
}

const BESIDE = `condition value left right initializer init increment update subject resources pattern type name
  label declarator parameter`
const BODIES = ['block', 'arrow_expression_clause']
// Brackets and quotes count as one operator, at the opening one, or not at all.
const CLOSING = [')', ']', '}', '"', "'", '`', '\n', '"""']
const LEAVES = `identifier property_identifier type_identifier field_identifier statement_identifier label_name
  private_property_identifier shorthand_property_identifier shorthand_property_identifier_pattern
  namespace_identifier package_identifier number integer float int_literal integer_literal number_literal
  decimal_integer_literal comment line_comment this self super true false null none primitive_type
  string_start string_end`.split(/\s+/)
const WILD = ['_', 'discard']

/** Say what each node type of a parser is to us. */
export function compileRoles(syntax: Syntax, grammar: Grammar): Roles {
  const of = new Uint32Array(ERROR + 1)
  const { types } = syntax
  const named = (id: number): boolean => syntax.nodeTypeIsNamed(id)
  types.forEach((name, id) => {
    of[id] = named(id) ? ROLE.named | rolesOf(name, grammar) : tokenRoles(name)
  })
  of[ERROR] = ROLE.named
  const ids = (name: string, isNamed: boolean): number[] =>
    types.flatMap((type, id) => (type === name && named(id) === isNamed ? [id] : []))
  const deciding = new Set(
    Object.entries(grammar.tokens).flatMap(([parent, tokens]) =>
      ids(parent, true).flatMap(p => tokens.flatMap(t => ids(t, false).map(id => (p << 16) | id))),
    ),
  )
  return { grammar, of, types, deciding, fields: fieldsOf(syntax) }
}

function rolesOf(name: string, grammar: Grammar): number {
  const lists: [number, readonly string[] | undefined][] = [
    [ROLE.function, grammar.functions],
    [ROLE.if, grammar.ifs],
    [ROLE.else, grammar.elses],
    [ROLE.elif, grammar.elifs],
    [ROLE.loop, grammar.loops],
    [ROLE.switch, grammar.switches],
    [ROLE.ternary, grammar.ternaries],
    [ROLE.catch, grammar.catches],
    [ROLE.decision, grammar.decisions],
    [ROLE.arm, grammar.arms],
    [ROLE.jump, grammar.jumps],
    [ROLE.label, grammar.labels],
    [ROLE.goto, grammar.gotos],
    [ROLE.call, grammar.calls],
    [ROLE.paren, grammar.parens],
    [ROLE.container, Object.keys(grammar.containers)],
    [ROLE.carrier, Object.keys(grammar.carriers)],
    [ROLE.deciding, Object.keys(grammar.tokens)],
    [ROLE.atom, grammar.atoms],
    [ROLE.string, grammar.strings],
    [ROLE.ignored, grammar.ignored],
    [ROLE.keyword, grammar.keywords],
    [ROLE.body, BODIES],
    [ROLE.wild, WILD],
    [ROLE.declarator, grammar.declarators],
    [ROLE.leaf, LEAVES],
  ]
  return lists.reduce((roles, [role, names]) => (names?.includes(name) ? roles | role : roles), 0)
}

function tokenRoles(name: string): number {
  if (CLOSING.includes(name)) return ROLE.ignored
  if (name === '&&' || name === 'and') return ROLE.and
  if (name === '||' || name === 'or') return ROLE.or
  if (name === 'else') return ROLE.elseWord
  return WILD.includes(name) ? ROLE.wild : 0
}

function fieldsOf(syntax: Syntax): Fields {
  const id = (name: string): number => syntax.fieldIdForName(name) ?? -1
  const beside = new Uint8Array(256)
  for (const name of BESIDE.split(/\s+/)) {
    const field = id(name)
    if (field > 0) beside[field] = 1
  }
  return {
    beside,
    id,
    body: id('body'),
    name: id('name'),
    parameters: id('parameters'),
    parameter: id('parameter'),
    receiver: id('receiver'),
    alternative: id('alternative'),
    type: id('type'),
  }
}
