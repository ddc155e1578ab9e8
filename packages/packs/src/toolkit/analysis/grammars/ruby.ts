import type { Grammar } from '../parse/grammar.ts'

/** Ruby. A block belongs to the method it is passed from, so only lambdas are functions of their own. */
export const ruby: Grammar = {
  functions: ['method', 'singleton_method', 'lambda'],
  ifs: ['if', 'unless', 'if_modifier', 'unless_modifier'],
  elses: ['else'],
  elifs: ['elsif'],
  loops: ['for', 'while', 'until', 'while_modifier', 'until_modifier'],
  switches: ['case', 'case_match'],
  ternaries: ['conditional'],
  catches: ['rescue', 'rescue_modifier'],
  decisions: ['when', 'if_guard', 'unless_guard'],
  arms: ['in_clause'],
  tokens: { binary: ['&&', '||', 'and', 'or'], operator_assignment: ['&&=', '||='] },
  calls: ['call'],
  parens: ['parenthesized_statements'],
  containers: { class: 'name', module: 'name' },
  carriers: { assignment: 'left' },
  separator: '.',
  atoms: ['simple_symbol', 'character'],
  strings: ['string', 'subshell', 'regex', 'delimited_symbol', 'heredoc_body'],
  ignored: ['comment', 'string_content', 'heredoc_content', 'escape_sequence', 'interpolation'],
  implicitThis: true,
}
