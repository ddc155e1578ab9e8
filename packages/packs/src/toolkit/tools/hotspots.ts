import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { round } from '../analysis/measure/metrics.ts'
import type { FileMetrics, FunctionMetrics } from '../analysis/measure/metrics.ts'
import type { Churn } from '../churn/churn.ts'
import { PAGING, PERIOD_DAYS, PROJECT_PATH, TOOLCHAIN, changes, measure, paged } from './analysis.ts'
import type { Bench } from './analysis.ts'
import { notRead } from '../formats/not-read.ts'
import { fileData } from '../../support/file-data.ts'

/** A file that is complex and changes often. */
export interface Hotspot {
  readonly rank: number
  readonly file: string
  /** Its churn score times its complexity. */
  readonly score: number
  readonly churn_score: number
  readonly commit_count: number
  readonly complexity: number
  readonly worst_function: string
  readonly worst_cognitive: number
  readonly function_count: number
}

const INPUT = {
  type: 'object',
  properties: {
    project_path: PROJECT_PATH,
    toolchain: TOOLCHAIN,
    period_days: { ...PERIOD_DAYS, default: 365, description: 'Days to look back (default: 365)' },
    limit: { ...PAGING.limit, default: 10, description: 'How many files to return' },
    offset: PAGING.offset,
    include_tests: { type: 'boolean', default: false, description: 'Rank tests and generated files too' },
  },
  required: ['project_path'],
  additionalProperties: false,
} as const

/** Finds what is worth refactoring first. */
export const findHotspots = (bench: Bench): Tool =>
  tool(
    {
      name: 'find_hotspots',
      task: 'optional',
      use: fileData,
      title: 'Find Hotspots',
      description:
        'Find the files worth refactoring first: hard to understand and often changed (churn × complexity), tests, examples and generated files left out',
      readOnly: true,
      openWorld: false,
      input: INPUT,
    },
    async ({ period_days, limit, offset, include_tests, ...subject }, ctx) => {
      const found = await changes(bench, subject.project_path, period_days, ctx.signal)
      const measured = await measure(bench, subject, ctx)
      const { kept, origins } = maintained(measured.files, include_tests)
      const hotspots = joined(found, kept)
      const left = (origin: string): number => origins.filter(o => o === origin).length
      const summary = {
        period_days,
        files_analysed: kept.length,
        files_changed: hotspots.length,
        ...(!include_tests && { tests_left_out: left('test'), generated_left_out: left('generated') }),
      }
      const { items, ...page } = paged(hotspots, { limit, offset })
      return { summary, ...page, hotspots: items, ...notRead(measured) }
    },
  )

// Below this a function is no reason to touch its file, however many there are.
const EASY = 3

/** How hard a function is to understand or to test, whichever is more. */
const weight = ({ cognitive, cyclomatic, enclosing }: FunctionMetrics): number =>
  Math.max(0, (enclosing === undefined ? Math.max(cognitive, cyclomatic - 1) : cyclomatic - 1) - EASY)

/** The root of the sum of squares: a hundred easy functions weigh less than one that is hard. */
export const complexityOf = (functions: readonly FunctionMetrics[]): number =>
  Math.sqrt(functions.reduce((sum, f) => sum + weight(f) ** 2, 0))

/** What is written by hand for use, and what every file is. */
export function maintained(
  measured: readonly FileMetrics[],
  withTests: boolean,
): { readonly kept: readonly FileMetrics[]; readonly origins: readonly string[] } {
  const origins = measured.map(({ origin = 'maintained' }) => origin)
  return { kept: withTests ? measured : measured.filter((_, i) => origins[i] === 'maintained'), origins }
}

/** Files that changed and are complex, the worst first. */
export function joined({ files }: Churn, measured: readonly FileMetrics[]): Hotspot[] {
  const churned = new Map(files.map(file => [file.path, file]))
  return measured
    .flatMap(({ file, functions }) => {
      const changed = churned.get(file)
      const complexity = complexityOf(functions)
      if (!changed || complexity === 0) return []
      const rank = (f: FunctionMetrics): number => f.cognitive * 1e6 + weight(f)
      const worst = functions.reduce((most, f) => (rank(f) > rank(most) ? f : most))
      return [{ file, functions, worst, complexity, changed, score: changed.churn_score * complexity }]
    })
    .sort((a, b) => b.score - a.score || (a.file < b.file ? -1 : 1))
    .map(({ file, functions, worst, complexity, changed, score }, i) => ({
      rank: i + 1,
      file,
      score: round(score),
      churn_score: changed.churn_score,
      commit_count: changed.commit_count,
      complexity: round(complexity),
      worst_function: `${worst.name}:${worst.line}`,
      worst_cognitive: worst.cognitive,
      function_count: functions.length,
    }))
}
