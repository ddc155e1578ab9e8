import type { Node } from '@vscode/tree-sitter-wasm'
import type { Language } from '../parse/grammar.ts'

type Test = (node: Node, name: string) => boolean

const isScriptExport: Test = ({ parent }) => {
  const isStatement = /^(?:lexical|variable)_declaration$/.test(parent?.type ?? '')
  return (isStatement ? parent?.parent : parent)?.type === 'export_statement'
}

const isPublic: Test = ({ children }) =>
  children.some(child => /modifier/.test(child?.type ?? '') && /\bpublic\b/.test(child?.text ?? ''))

const isTop: Test = ({ parent }, name) => {
  const up = parent?.type === 'decorated_definition' ? parent.parent : parent
  return !name.startsWith('_') && (up?.type === 'module' || up?.parent?.type === 'module')
}

const TESTS: Readonly<Record<Language, Test>> = {
  javascript: isScriptExport,
  typescript: isScriptExport,
  tsx: isScriptExport,
  component: isScriptExport,
  python: isTop,
  rust: ({ children }) => children.some(child => child?.type === 'visibility_modifier'),
  go: (_, name) => /^\p{Lu}/u.test(name),
  java: isPublic,
  csharp: isPublic,
  cpp: ({ type, children }) => type === 'function_definition' && !children.some(child => child?.text === 'static'),
  php: () => true,
  ruby: () => true,
  shell: () => true,
}

/** May other files use what this node defines? */
export const isExported = (node: Node, name: string, language: Language): boolean => TESTS[language](node, name)
