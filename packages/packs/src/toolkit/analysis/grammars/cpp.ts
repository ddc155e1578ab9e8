import type { Grammar } from '../parse/grammar.ts'

/** C and C++, both read by the parser of C++. */
export const cpp: Grammar = {
  functions: ['function_definition', 'lambda_expression'],
  ifs: ['if_statement'],
  elses: ['else_clause'],
  loops: ['for_statement', 'for_range_loop', 'while_statement', 'do_statement'],
  switches: ['switch_statement'],
  ternaries: ['conditional_expression'],
  catches: ['catch_clause'],
  tokens: { binary_expression: ['&&', '||', 'and', 'or'], case_statement: ['case'] },
  gotos: ['goto_statement'],
  calls: ['call_expression'],
  parens: ['parenthesized_expression'],
  containers: { class_specifier: 'name', struct_specifier: 'name', union_specifier: 'name' },
  carriers: { init_declarator: 'declarator', assignment_expression: 'left' },
  declarators: ['function_declarator', 'lambda_declarator', 'abstract_function_declarator'],
  macros: 'function_definition',
  separator: '::',
  atoms: ['string_literal', 'raw_string_literal', 'char_literal', 'system_lib_string'],
  ignored: ['comment'],
  keywords: ['primitive_type', 'auto'],
  overloads: true,
  implicitThis: true,
}
