/** Something a file defines. */
export interface Definition {
  readonly name: string
  readonly kind: string
  readonly line: number
  readonly end_line: number
  /** What it is part of, from the outside in, with dots between. */
  readonly container?: string
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
}

const CALLABLE = new Set(['function', 'method', 'constructor'])
const HOLDING = new Set(['class', 'struct', 'interface', 'trait', 'impl', 'record', 'union', 'enum', 'object', 'extension'])

/** Does it run? */
export const isCallable = (kind: string): boolean => CALLABLE.has(kind)

/** Is what is defined in it a member of it? */
export const hasMembers = (kind: string): boolean => HOLDING.has(kind)
