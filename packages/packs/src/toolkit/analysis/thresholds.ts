import type { FunctionMetrics } from './measure/metrics.ts'

/** Above `warn` is a warning, above `fail` an error. */
export interface Threshold {
  readonly warn: number
  readonly fail: number
}

/** The thresholds of both complexities. */
export interface Thresholds {
  readonly cyclomatic: Threshold
  readonly cognitive: Threshold
}

/** A function that is too complex. */
export interface Violation {
  readonly severity: 'error' | 'warning'
  readonly rule: 'cyclomatic-complexity' | 'cognitive-complexity'
  readonly message: string
  readonly value: number
  readonly threshold: number
  readonly file: string
  readonly line: number
  readonly function: string
}

const DEFAULTS: Thresholds = { cyclomatic: { warn: 10, fail: 20 }, cognitive: { warn: 15, fail: 30 } }

/** Thresholds from given maxima: above the maximum fails, above three quarters of it warns. */
export const thresholds = (cyclomatic: number | undefined, cognitive: number | undefined): Thresholds => ({
  cyclomatic: cyclomatic === undefined ? DEFAULTS.cyclomatic : below(cyclomatic),
  cognitive: cognitive === undefined ? DEFAULTS.cognitive : below(cognitive),
})

const below = (fail: number): Threshold => ({ fail, warn: Math.min(fail, Math.max(1, Math.floor((fail * 3) / 4))) })

/** What is wrong with a function: at most one entry for each complexity. */
export function violationsOf(file: string, measured: FunctionMetrics, limits: Thresholds): Violation[] {
  return (['cyclomatic', 'cognitive'] as const).flatMap(which => {
    // What is counted in another function is complained about there.
    if (which === 'cognitive' && measured.enclosing !== undefined) return []
    const value = measured[which]
    const { warn, fail } = limits[which]
    if (value <= warn) return []
    const isError = value > fail
    const threshold = isError ? fail : warn
    return {
      severity: isError ? 'error' : 'warning',
      rule: `${which}-complexity`,
      message: `'${measured.name}' has a ${which} complexity of ${value}, above ${threshold}`,
      value,
      threshold,
      file,
      line: measured.line,
      function: measured.name,
    } as const
  })
}
