import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { TOOLCHAINS } from '../analysis/grammar.ts'
import { round } from '../analysis/metrics.ts'
import type { FileMetrics } from '../analysis/metrics.ts'
import { scoreOf, totalScore } from '../analysis/ranking.ts'
import type { Churn } from '../churn/churn.ts'
import { PERIOD_DAYS, PROJECT_PATH, changes, measure } from './analysis.ts'
import type { Bench } from './analysis.ts'

/** A file that is complex and changes often. */
interface Hotspot {
  readonly rank: number
  readonly file: string
  /** Its churn score times its complexity score. */
  readonly score: number
  readonly churn_score: number
  readonly commit_count: number
  readonly complexity_score: number
  readonly max_cyclomatic: number
  readonly avg_cognitive: number
  readonly function_count: number
}

/** Finds what is worth refactoring first. */
export const findHotspots = (bench: Bench): Tool =>
  tool(
    {
      name: 'find_hotspots',
      title: 'Find Hotspots',
      description: 'Find the files worth refactoring first: complex ones that change often (churn × complexity)',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          project_path: PROJECT_PATH,
          toolchain: {
            type: 'string',
            enum: Object.keys(TOOLCHAINS),
            description: 'Project toolchain; without one, every language',
          },
          period_days: PERIOD_DAYS,
          limit: { type: 'integer', minimum: 1, maximum: 1000, default: 10, description: 'How many files to return' },
        },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ period_days, limit, ...subject }, ctx) => {
      const found = await changes(bench, subject.project_path, period_days, ctx.signal)
      const measured = await measure(bench, subject, ctx)
      const hotspots = join(found, measured)
      const summary = { period_days, files_analysed: measured.length, files_changed: hotspots.length }
      return { summary, hotspots: hotspots.slice(0, limit) }
    },
  )

function join({ files }: Churn, measured: readonly FileMetrics[]): Hotspot[] {
  const churned = new Map(files.map(file => [`./${file.path}`, file]))
  return measured
    .flatMap(metrics => {
      const changed = churned.get(metrics.file)
      if (!changed || metrics.functions.length === 0) return []
      const scored = scoreOf(metrics)
      return [{ scored, changed, score: changed.churn_score * totalScore(scored) }]
    })
    .sort((a, b) => b.score - a.score || (a.scored.file < b.scored.file ? -1 : 1))
    .map(({ scored, changed, score }, i) => ({
      rank: i + 1,
      file: scored.file,
      score: round(score),
      churn_score: changed.churn_score,
      commit_count: changed.commit_count,
      complexity_score: round(totalScore(scored)),
      max_cyclomatic: scored.max_cyclomatic,
      avg_cognitive: round(scored.avg_cognitive),
      function_count: scored.function_count,
    }))
}
