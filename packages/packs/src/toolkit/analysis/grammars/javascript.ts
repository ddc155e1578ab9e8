import type { Grammar } from '../grammar.ts'

/** JavaScript, TypeScript and their JSX forms: the parsers name what they share alike. */
export const javascript: Grammar = {
  functions: [
    'function_declaration',
    'generator_function_declaration',
    'function_expression',
    'generator_function',
    'arrow_function',
    'method_definition',
  ],
  ifs: ['if_statement'],
  elses: ['else_clause'],
  loops: ['for_statement', 'for_in_statement', 'while_statement', 'do_statement'],
  switches: ['switch_statement'],
  ternaries: ['ternary_expression'],
  catches: ['catch_clause'],
  decisions: ['switch_case'],
  tokens: { binary_expression: ['&&', '||', '??'], augmented_assignment_expression: ['&&=', '||=', '??='] },
  jumps: ['break_statement', 'continue_statement'],
  labels: ['statement_identifier'],
  calls: ['call_expression'],
  parens: ['parenthesized_expression'],
  containers: { class_declaration: 'name', abstract_class_declaration: 'name', class: 'name' },
  carriers: {
    variable_declarator: 'name',
    pair: 'key',
    public_field_definition: 'name',
    field_definition: 'property',
    assignment_expression: 'left',
  },
  members: ['method_definition', 'pair'],
  separator: '.',
  atoms: ['string', 'regex'],
  strings: ['template_string'],
  ignored: ['string_fragment', 'escape_sequence', 'comment', 'html_comment', 'hash_bang_line'],
  declares: true,
}
