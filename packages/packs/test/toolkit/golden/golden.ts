import { expect } from 'vitest'
import { analyse } from '../../../src/toolkit/analysis/measure/analyse.ts'
import type { Language } from '../../../src/toolkit/analysis/parse/grammar.ts'
import type { FunctionMetrics } from '../../../src/toolkit/analysis/measure/metrics.ts'

/** A function's name and its figures, to compare with what was counted by hand. */
export type Row = readonly [
  name: string,
  cyclomatic: number,
  cognitive: number,
  nesting: number,
  parameters: number,
  line: number,
]

/** The functions of a source, by name. */
export async function functionsOf(language: Language, source: string): Promise<FunctionMetrics[]> {
  const { functions, fault } = await analyse('sample', source, language)
  expect(fault).toBeUndefined()
  return [...functions]
}

/** The functions of a source as rows to compare. */
export async function rowsOf(language: Language, source: string): Promise<Row[]> {
  const found = await functionsOf(language, source.replace(/^\n/, ''))
  return found.map(f => [f.name, f.cyclomatic, f.cognitive, f.nesting, f.parameters, f.line])
}
