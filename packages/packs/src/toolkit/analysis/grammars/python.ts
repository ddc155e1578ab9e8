import type { Grammar } from '../parse/grammar.ts'

/** Python. */
export const python: Grammar = {
  functions: ['function_definition', 'lambda'],
  ifs: ['if_statement'],
  elses: ['else_clause'],
  elifs: ['elif_clause'],
  loops: ['for_statement', 'while_statement'],
  switches: ['match_statement'],
  ternaries: ['conditional_expression'],
  catches: ['except_clause', 'except_group_clause'],
  // In a comprehension, or as the guard of a case.
  decisions: ['if_clause'],
  arms: ['case_clause'],
  tokens: { boolean_operator: ['and', 'or'] },
  calls: ['call'],
  parens: ['parenthesized_expression'],
  containers: { class_definition: 'name' },
  carriers: { assignment: 'left', keyword_argument: 'name', default_parameter: 'name' },
  members: ['keyword_argument', 'default_parameter'],
  separator: '.',
  atoms: [],
  strings: ['string'],
  ignored: ['string_start', 'string_content', 'string_end', 'escape_sequence', 'comment', 'line_continuation'],
  wrappers: true,
}
