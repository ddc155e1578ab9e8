import type { Grammar } from '../parse/grammar.ts'

/** PHP. */
export const php: Grammar = {
  functions: ['function_definition', 'method_declaration', 'anonymous_function', 'arrow_function'],
  ifs: ['if_statement'],
  elses: ['else_clause'],
  elifs: ['else_if_clause'],
  loops: ['for_statement', 'foreach_statement', 'while_statement', 'do_statement'],
  switches: ['switch_statement', 'match_expression'],
  ternaries: ['conditional_expression'],
  catches: ['catch_clause'],
  decisions: ['match_conditional_expression'],
  tokens: {
    binary_expression: ['&&', '||', 'and', 'or', '??'],
    augmented_assignment_expression: ['??='],
    case_statement: ['case'],
  },
  gotos: ['goto_statement'],
  jumps: ['break_statement', 'continue_statement'],
  labels: ['integer'],
  calls: [
    'function_call_expression',
    'member_call_expression',
    'nullsafe_member_call_expression',
    'scoped_call_expression',
  ],
  parens: ['parenthesized_expression'],
  containers: {
    class_declaration: 'name',
    interface_declaration: 'name',
    trait_declaration: 'name',
    enum_declaration: 'name',
  },
  carriers: { assignment_expression: 'left' },
  separator: '::',
  atoms: ['string', 'nowdoc'],
  strings: ['encapsed_string', 'heredoc'],
  ignored: ['comment', 'string_content', 'escape_sequence', 'php_tag', 'text', 'text_interpolation'],
  keywords: ['primitive_type'],
}
