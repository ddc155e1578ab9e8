import { qualified } from '../analysis/symbols/definition.ts'
import type { Definition } from '../analysis/symbols/definition.ts'

// Short, since a model reads it: none of what stands around names, but for `operator new`, `operator()` and `render()`.
const PATTERN = String.raw`^[^\s"',;{}()]+(\(\)| \w+)?$`

interface SymbolName {
  readonly type: 'string'
  readonly minLength: number
  readonly maxLength: number
  readonly pattern: string
  readonly description: string
}

/** The argument that names something. */
export const SYMBOL_NAME: SymbolName = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: PATTERN,
  description: 'A name, such as parse, or with what it is part of: Parser.parse, Parser::parse',
} as const

/** A name as it was asked for: the last part, and what it is part of. */
export function qualifiedName(asked: string): { readonly name: string; readonly container: string | undefined } {
  const bare = asked.replace(/(?<!\boperator)\(\)$/, '')
  const parts = bare.split(/\.|::|->|(?<=.)#/)
  const name = parts.at(-1) ?? bare
  return { name, container: parts.length === 1 ? undefined : parts.slice(0, -1).join('.') }
}

/** Is this what was asked for, as far as the question says what it is part of? */
export const isNamed = (definition: Definition | undefined, container: string | undefined): boolean =>
  container === undefined ||
  (definition !== undefined && `.${qualified(definition)}`.endsWith(`.${container}.${definition.name}`))
