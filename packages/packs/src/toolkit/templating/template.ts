/** A parameter of a template. */
export interface Parameter {
  readonly name: string
  readonly type: ParameterType
  readonly required: boolean
  readonly default?: unknown
  /** What a string, or each string of an array, must match. */
  readonly pattern?: string
  readonly description: string
}

/** An array holds strings. */
export type ParameterType = 'string' | 'boolean' | 'number' | 'array'

/** Every type of a parameter. */
export const PARAMETER_TYPES: readonly ParameterType[] = ['string', 'boolean', 'number', 'array']

/** One file that can be made. */
export interface FileTemplate {
  readonly uri: string
  readonly category: string
  readonly toolchain: string
  readonly variant: string
  readonly name: string
  readonly description: string
  readonly mimeType: string
  /** What the file is called. */
  readonly file: string
  readonly parameters: readonly Parameter[]
  /** Liquid. */
  readonly body: string
}
