import type { Language } from '../parse/grammar.ts'

const SCRIPT = `
(import_statement source: (string) @from) @whole
(export_statement source: (string) @from) @whole
(call_expression function: [(identifier) (import)] @callee arguments: (arguments . (string) @from)) @whole
`
const TYPED = `${SCRIPT}
(import_require_clause source: (string) @from)
(ambient_declaration (module name: (string) @from)) @augments
`
const COMMENT = '(comment) @blank'
const COMMENTS = '[(line_comment) (block_comment)] @blank'

/** Where the links of a file stand, by language, and what is no code: comments, and texts where names are looked for. */
export const LINKS: Readonly<Record<Language, string>> = {
  javascript: SCRIPT + COMMENT,
  typescript: TYPED + COMMENT,
  tsx: TYPED + COMMENT,
  component: TYPED + COMMENT,
  python: `(import_statement) @import (import_from_statement) @import ${COMMENT}`,
  rust: `(use_declaration) @use (extern_crate_declaration) @use (mod_item name: (_) @name !body) @mod ${COMMENTS} (string_literal) @blank`,
  go: '(import_spec path: (_) @from)',
  java: `(import_declaration) @import (package_declaration) @package ${COMMENTS} (string_literal) @blank`,
  csharp: `(using_directive) @import ${COMMENT} [(string_literal) (verbatim_string_literal) (raw_string_literal)] @blank`,
  cpp: COMMENT,
  php: `(namespace_use_declaration) @import
    [(include_expression) (include_once_expression) (require_expression) (require_once_expression)] @include
    ${COMMENT} (string) @blank`,
  ruby: '(call method: (identifier) @callee arguments: (argument_list (string) @from)) @whole',
  shell: `(command name: (command_name) @callee . argument: (_) @from) @whole`,
}

/** What is no code in a language. */
export const NO_CODE: Readonly<Partial<Record<Language, string>>> = {
  rust: COMMENTS,
  java: COMMENTS,
}

/** The query for comments. */
export const commentsOf = (language: Language): string => NO_CODE[language] ?? COMMENT
