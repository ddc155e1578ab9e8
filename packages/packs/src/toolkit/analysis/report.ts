import type { Fault, FileMetrics, FunctionMetrics } from './measure/metrics.ts'
import { counted, mean, round } from './measure/metrics.ts'
import { rank } from './ranking.ts'
import type { TopFiles } from './ranking.ts'
import { violationsOf } from './thresholds.ts'
import type { Thresholds, Violation } from './thresholds.ts'

/** What all functions together look like. */
export interface Summary {
  readonly total_files: number
  readonly total_functions: number
  readonly total_lines: number
  readonly avg_cyclomatic: number
  readonly avg_cognitive: number
  readonly median_cyclomatic: number
  readonly median_cognitive: number
  readonly p90_cyclomatic: number
  readonly p90_cognitive: number
  readonly max_cyclomatic: number
  readonly max_cognitive: number
  readonly errors: number
  readonly warnings: number
  readonly technical_debt_hours: number
}

/** One file in a full report. */
export interface FileReport {
  readonly file: string
  readonly lines: number
  readonly functions: readonly FunctionMetrics[]
}

/** The whole analysis: every format is made of this. */
export interface Report {
  readonly summary: Summary
  readonly violations: readonly Violation[]
  readonly top_files?: TopFiles
  readonly unparsable?: readonly Fault[]
  readonly files?: readonly FileReport[]
  /** Source files that no parser reads, by language. */
  readonly not_read?: Readonly<Record<string, number>>
}

/** What a report is about. */
export interface ReportOptions {
  readonly thresholds: Thresholds
  /** How many files to rank; 0 is none. */
  readonly topFiles: number
  /** With every function. */
  readonly full: boolean
  /** Source files that no parser reads, by language. */
  readonly unread?: Readonly<Record<string, number>>
}

// Minutes to bring one unit of excess back below the threshold.
const MINUTES = { error: 30, warning: 15 } as const

/** Sum up what was measured. */
export function report(
  measured: readonly FileMetrics[],
  { thresholds, topFiles, full, unread = {} }: ReportOptions,
): Report {
  const violations = measured.flatMap(({ file, functions }) =>
    functions.flatMap(f => violationsOf(file, f, thresholds)),
  )
  const unparsable = measured.flatMap(({ fault }) => fault ?? [])
  return {
    summary: summarise(measured, violations),
    violations,
    ...(topFiles > 0 && { top_files: rank(measured, topFiles) }),
    ...(unparsable.length > 0 && { unparsable }),
    ...(Object.keys(unread).length > 0 && { not_read: unread }),
    ...(full && { files: measured.map(({ file, lines, functions }) => ({ file, lines, functions })) }),
  }
}

function summarise(measured: readonly FileMetrics[], violations: readonly Violation[]): Summary {
  const analysed = measured.filter(({ fault, functions }) => !fault || functions.length > 0)
  const functions = analysed.flatMap(file => file.functions)
  const cyclomatic = functions.map(f => f.cyclomatic).sort((a, b) => a - b)
  const cognitive = counted(functions)
    .map(f => f.cognitive)
    .sort((a, b) => a - b)
  const errors = violations.filter(({ severity }) => severity === 'error').length
  const debt = violations.reduce((sum, v) => sum + (v.value - v.threshold) * MINUTES[v.severity], 0)
  return {
    total_files: analysed.length,
    total_functions: functions.length,
    total_lines: analysed.reduce((sum, { lines }) => sum + lines, 0),
    avg_cyclomatic: round(mean(cyclomatic)),
    avg_cognitive: round(mean(cognitive)),
    median_cyclomatic: median(cyclomatic),
    median_cognitive: median(cognitive),
    p90_cyclomatic: percentile90(cyclomatic),
    p90_cognitive: percentile90(cognitive),
    max_cyclomatic: cyclomatic.at(-1) ?? 0,
    max_cognitive: cognitive.at(-1) ?? 0,
    errors,
    warnings: violations.length - errors,
    technical_debt_hours: round(debt / 60),
  }
}

function median(sorted: readonly number[]): number {
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle] ?? 0
  return ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

const percentile90 = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length * 0.9)] ?? 0
