import type { Grammar } from '../parse/grammar.ts'

/** Shell, as bash reads it. */
export const shell: Grammar = {
  functions: ['function_definition'],
  ifs: ['if_statement'],
  elses: ['else_clause'],
  elifs: ['elif_clause'],
  loops: ['for_statement', 'c_style_for_statement', 'while_statement'],
  switches: ['case_statement'],
  ternaries: ['ternary_expression'],
  catches: [],
  decisions: ['case_item'],
  tokens: { list: ['&&', '||'], binary_expression: ['&&', '||'] },
  calls: ['command'],
  containers: {},
  carriers: {},
  separator: '.',
  atoms: ['raw_string', 'ansi_c_string', 'number'],
  strings: ['string', 'heredoc_body'],
  ignored: ['comment', 'string_content', 'heredoc_content'],
}
