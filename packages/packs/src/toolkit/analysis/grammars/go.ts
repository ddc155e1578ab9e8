import type { Grammar } from '../parse/grammar.ts'

/** Go. */
export const go: Grammar = {
  functions: ['function_declaration', 'method_declaration', 'func_literal'],
  ifs: ['if_statement'],
  loops: ['for_statement'],
  switches: ['expression_switch_statement', 'type_switch_statement', 'select_statement'],
  ternaries: [],
  catches: [],
  decisions: ['expression_case', 'type_case', 'communication_case'],
  tokens: { binary_expression: ['&&', '||'] },
  jumps: ['break_statement', 'continue_statement'],
  labels: ['label_name'],
  gotos: ['goto_statement'],
  calls: ['call_expression'],
  parens: ['parenthesized_expression'],
  containers: {},
  carriers: { short_var_declaration: 'left', assignment_statement: 'left', var_spec: 'name', keyed_element: 'key' },
  members: ['keyed_element'],
  separator: '.',
  atoms: ['interpreted_string_literal', 'raw_string_literal', 'rune_literal'],
  ignored: ['comment'],
}
