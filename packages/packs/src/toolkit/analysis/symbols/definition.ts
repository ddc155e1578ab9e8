/** Something a file defines. */
export interface Definition {
  readonly name: string
  readonly kind: string
  readonly line: number
  readonly end_line: number
  /** What it is part of, from the outside in, with dots between. */
  readonly container?: string
  /** What it belongs to by its own words, though it stands elsewhere: `Box::fit`. */
  readonly owner?: string | undefined
  /** What a function takes and gives. */
  readonly signature?: string
  /** How deep it stands in others. */
  readonly depth: number
  /** Others may use it. */
  readonly exported: boolean
  /** How often its name stands in the file. */
  readonly uses: number
  /** Where its name stands in the text. */
  readonly at: number
  /** All of it, from its first letter to its last. */
  readonly from: number
  readonly to: number
}

/** A definition as answers show it: without what is only of use here. */
export function shownDefinition({
  at: _,
  from: _from,
  to: _to,
  depth: _depth,
  uses: _uses,
  owner: _owner,
  ...shown
}: Definition): object {
  return shown
}

const CALLABLE = new Set(['function', 'method', 'constructor'])
const HOLDING = new Set([
  'class',
  'struct',
  'interface',
  'trait',
  'impl',
  'record',
  'union',
  'enum',
  'object',
  'extension',
])

/** Does it run? */
export const isCallable = (kind: string): boolean => CALLABLE.has(kind)

/** Is what is defined in it a member of it? */
export const hasMembers = (kind: string): boolean => HOLDING.has(kind)

const MINOR = new Set([
  'field',
  'enumerator',
  'property',
  'constant',
  'variable',
  'attribute',
  'event',
  'macro',
  'import',
])

/** Is it a value rather than something with a body? */
export const isMinor = (kind: string): boolean => MINOR.has(kind)

/** Its name with what it is part of, with dots between. */
export const qualified = ({ name, container }: Pick<Definition, 'name' | 'container'>): string =>
  container === undefined ? name : `${container}.${name}`
