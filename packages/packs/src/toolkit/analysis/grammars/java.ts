import type { Grammar } from '../parse/grammar.ts'

/** Java. */
export const java: Grammar = {
  functions: ['method_declaration', 'constructor_declaration', 'compact_constructor_declaration', 'lambda_expression'],
  ifs: ['if_statement'],
  loops: ['for_statement', 'enhanced_for_statement', 'while_statement', 'do_statement'],
  switches: ['switch_expression'],
  ternaries: ['ternary_expression'],
  catches: ['catch_clause'],
  decisions: ['guard'],
  tokens: { binary_expression: ['&&', '||'], switch_label: ['case'] },
  jumps: ['break_statement', 'continue_statement'],
  labels: ['identifier'],
  calls: ['method_invocation'],
  parens: ['parenthesized_expression'],
  containers: {
    class_declaration: 'name',
    interface_declaration: 'name',
    enum_declaration: 'name',
    record_declaration: 'name',
    annotation_type_declaration: 'name',
  },
  carriers: { variable_declarator: 'name', assignment_expression: 'left' },
  separator: '.',
  atoms: ['string_literal', 'character_literal'],
  ignored: ['line_comment', 'block_comment'],
  keywords: ['void_type', 'boolean_type'],
  overloads: true,
  implicitThis: true,
}
