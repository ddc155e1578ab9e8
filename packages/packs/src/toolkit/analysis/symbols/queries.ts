import type { Language } from '../parse/grammar.ts'
import { cpp, csharp, go, java, rust } from './queries/compiled.ts'
import { php, python, ruby, shell } from './queries/dynamic.ts'
import { javascript, typescript } from './queries/script.ts'

/**
 * How definitions are found in each language. Captures: `@name` is what is defined, `@declarator` has it
 * somewhere inside, `@owner` is what it belongs to; the other one says what kind of thing it is.
 */
export const QUERIES: Readonly<Record<Language, string>> = {
  javascript,
  typescript,
  tsx: typescript,
  python,
  rust,
  go,
  java,
  csharp,
  cpp,
  php,
  ruby,
  shell,
  component: typescript,
}
