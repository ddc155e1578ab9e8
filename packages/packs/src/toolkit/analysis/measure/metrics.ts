import type { Findings } from '../inspect.ts'
import type { Origin } from '../parse/maintained.ts'

/** Halstead's counts and what follows from them. */
export interface Halstead {
  readonly distinct_operators: number
  readonly distinct_operands: number
  readonly operators: number
  readonly operands: number
  readonly volume: number
  readonly difficulty: number
  readonly effort: number
}

/** What was measured of one function. */
export interface FunctionMetrics {
  readonly name: string
  /** The line of its name, from 1. */
  readonly line: number
  readonly end_line: number
  readonly cyclomatic: number
  readonly cognitive: number
  /** The function whose cognitive complexity includes this one's. */
  readonly enclosing?: string
  readonly nesting: number
  readonly lines: number
  readonly parameters: number
  readonly halstead: Halstead
  readonly maintainability: number
}

/** What was measured of one file. */
export interface FileMetrics {
  readonly file: string
  readonly lines: number
  readonly functions: readonly FunctionMetrics[]
  /** What was asked about it, if it was not measured. */
  readonly findings?: Findings
  /** It says of itself that a program wrote it. */
  readonly generated?: true
  /** Who it is written by, and for what. */
  readonly origin?: Origin
  /** Why some of it, or all, was not measured. */
  readonly fault?: Fault
}

/** A file, or a part of it, that could not be measured. */
export interface Fault {
  readonly file: string
  readonly line?: number
  readonly reason: string
}

/** Two decimals are enough for people, and keep reports the same everywhere. */
export const round = (value: number): number => Math.round((value + Number.EPSILON) * 100) / 100

/** The functions whose cognitive complexity is counted in no other. */
export const counted = (functions: readonly FunctionMetrics[]): FunctionMetrics[] =>
  functions.filter(({ enclosing }) => enclosing === undefined)

/** The mean of some numbers, 0 of none. */
export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
