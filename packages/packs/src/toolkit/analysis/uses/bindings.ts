import type { Node } from '@vscode/tree-sitter-wasm'
import type { Language } from '../parse/grammar.ts'

/** What declares a name for the code around it, by the fields that hold the name; `*` is every child. */
const BINDERS: Readonly<Record<string, string>> = {
  variable_declarator: 'name pattern',
  required_parameter: 'pattern',
  optional_parameter: 'pattern',
  formal_parameters: '*',
  arrow_function: 'parameter',
  catch_clause: 'parameter',
  import_clause: '*',
  namespace_import: '*',
  import_specifier: 'alias',
  for_in_statement: 'left',
  parameters: '*',
  lambda_parameters: '*',
  default_parameter: 'name',
  typed_default_parameter: 'name',
  typed_parameter: '*',
  for_statement: 'left',
  for_in_clause: 'left',
  named_expression: 'name',
  as_pattern_target: '*',
  aliased_import: 'alias',
  assignment: 'left',
  let_declaration: 'pattern',
  let_condition: 'pattern',
  parameter: 'pattern name',
  closure_parameters: '*',
  match_pattern: '*',
  for_expression: 'pattern',
  use_as_clause: 'alias',
  short_var_declaration: 'left',
  range_clause: 'left',
  parameter_declaration: 'name declarator',
  optional_parameter_declaration: 'declarator',
  variadic_parameter_declaration: 'name declarator',
  var_spec: 'name',
  const_spec: 'name',
  import_spec: 'name',
  formal_parameter: 'name',
  catch_formal_parameter: 'name',
  enhanced_for_statement: 'name',
  inferred_parameters: '*',
  lambda_expression: 'parameters',
  resource: 'name',
  foreach_statement: 'left',
  catch_declaration: 'name',
  declaration_expression: 'name',
  implicit_parameter: '*',
  init_declarator: 'declarator',
  declaration: 'declarator',
  for_range_loop: 'declarator',
  simple_parameter: 'name',
  method_parameters: '*',
  block_parameters: '*',
  keyword_parameter: 'name',
  type_parameter: 'name',
}

// What may stand between a name and what declares it.
const PATTERNS =
  /pattern$|^(?:pointer|reference|array|parenthesized|function)_declarator$|^(?:expression|variable|pattern)_list$|^left_assignment_list$|^rest_/
const VALUES = /^(?:value|right|default_value|type|key|size)$/
const MOST_WRAPPED = 8
// Where a variable is known in all of a function, whatever block it stands in.
const BY_FUNCTION = new Set<Language>(['python', 'php', 'ruby'])
// Where a variable is known only behind the statement that declares it.
const BEHIND = new Set<Language>(['rust', 'go'])
const FUNCTIONS = /function|method|lambda|closure|func_literal|constructor|^program$|^module$|^source_file$|_unit$/
const BLOCKS =
  /function|method|lambda|closure|func_literal|constructor|block|body|compound_statement|^for_|_for_|comprehension|generator_expression|^catch|^except|match_arm|^if_|^while_|switch|case|clause|^program$|^module$|^source_file$|_unit$/

/** Where something that is declared is known. */
export interface Scope {
  readonly from: number
  readonly to: number
}

/** If a name is declared here, where it is known. */
export function bindingScope(node: Node, language: Language): Scope | undefined {
  const binder = binderOf(node)
  if (!binder) return undefined
  const isHoisted = BY_FUNCTION.has(language) || binder.parent?.type === 'variable_declaration'
  const isParameter = /parameter|arrow_function|lambda_expression/.test(binder.type)
  const scope = around(binder, isHoisted && !isParameter ? FUNCTIONS : BLOCKS)
  return { from: BEHIND.has(language) && !isParameter ? binder.endIndex : scope.startIndex, to: scope.endIndex }
}

function around(binder: Node, wanted: RegExp): Node {
  let scope = binder.parent ?? binder
  while (scope.parent && !wanted.test(scope.type)) scope = scope.parent
  return scope
}

function binderOf(node: Node): Node | undefined {
  let inner = node
  for (let depth = 0; depth < MOST_WRAPPED; depth++) {
    const { parent } = inner
    if (!parent) return undefined
    const field = fieldOf(parent, inner)
    const fields = BINDERS[parent.type]
    if (fields !== undefined && (fields === '*' ? field === '' : fields.split(' ').includes(field))) return parent
    if (!PATTERNS.test(parent.type) || VALUES.test(field)) {
      // `{ name }` takes a name apart, `{ name: other }` declares the other one.
      if (!(parent.type === 'pair_pattern' && field === 'value')) return undefined
    }
    inner = parent
  }
  return undefined
}

/** By which field a node is a part of its parent. */
export function fieldOf(parent: Node, child: Node): string {
  for (let i = 0; i < parent.childCount; i++) {
    if (parent.child(i)?.id === child.id) return parent.fieldNameForChild(i) ?? ''
  }
  return ''
}
