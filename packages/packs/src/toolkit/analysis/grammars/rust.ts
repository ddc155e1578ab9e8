import type { Grammar } from '../parse/grammar.ts'

/** Rust. What a macro is given is tokens, not code, so nothing in it decides. */
export const rust: Grammar = {
  functions: ['function_item', 'closure_expression'],
  ifs: ['if_expression'],
  elses: ['else_clause'],
  loops: ['for_expression', 'while_expression', 'loop_expression'],
  switches: ['match_expression'],
  ternaries: [],
  catches: [],
  decisions: ['try_expression'],
  arms: ['match_arm'],
  tokens: {
    binary_expression: ['&&', '||'],
    let_chain: ['&&'],
    match_pattern: ['if'],
    let_declaration: ['else'],
  },
  jumps: ['break_expression', 'continue_expression'],
  labels: ['label'],
  calls: ['call_expression'],
  parens: ['parenthesized_expression'],
  containers: { impl_item: 'type', trait_item: 'name' },
  carriers: { let_declaration: 'pattern', field_initializer: 'field' },
  members: ['field_initializer'],
  separator: '::',
  atoms: ['string_literal', 'raw_string_literal', 'char_literal'],
  ignored: ['line_comment', 'block_comment'],
  keywords: ['mutable_specifier', 'primitive_type', 'crate'],
}
