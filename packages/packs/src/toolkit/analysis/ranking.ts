import type { FileMetrics, FunctionMetrics } from './measure/metrics.ts'
import { counted, mean, round } from './measure/metrics.ts'

/** One file and what makes it stand out. */
export interface RankedFile {
  readonly rank: number
  readonly file: string
  readonly function_count: number
  readonly max_cyclomatic: number
  readonly avg_cognitive: number
  /** The sum of its functions' efforts. */
  readonly halstead_effort: number
  readonly total_score: number
}

/** The most complex files, the worst first. */
export interface TopFiles {
  readonly requested: number
  readonly returned: number
  readonly rankings: readonly RankedFile[]
}

/** What the score of a file is made of. */
export interface Scored {
  readonly function_count: number
  readonly max_cyclomatic: number
  readonly avg_cognitive: number
}

/** The documented score: the worst function weighs most, then the average, then how many there are; each is capped. */
export const totalScore = ({ max_cyclomatic, avg_cognitive, function_count }: Scored): number =>
  0.8 * Math.min(max_cyclomatic, 50) + 0.4 * Math.min(avg_cognitive, 100) + 0.1 * Math.min(function_count, 100)

/** Rank the files that have functions. */
export function rank(measured: readonly FileMetrics[], requested: number): TopFiles {
  const scored = measured.filter(({ functions }) => functions.length > 0).map(scoreOf)
  const sorted = scored.sort((a, b) => totalScore(b) - totalScore(a) || (a.file < b.file ? -1 : 1))
  const rankings = sorted.slice(0, requested).map((scored, i): RankedFile => ({
    rank: i + 1,
    file: scored.file,
    function_count: scored.function_count,
    max_cyclomatic: scored.max_cyclomatic,
    avg_cognitive: round(scored.avg_cognitive),
    halstead_effort: round(scored.halstead_effort),
    total_score: round(totalScore(scored)),
  }))
  return { requested, returned: rankings.length, rankings }
}

/** What a file's functions come to, nothing rounded. */
export function scoreOf({ file, functions }: FileMetrics): Scored & { file: string; halstead_effort: number } {
  const sum = (of: (metrics: FunctionMetrics) => number): number => functions.reduce((total, f) => total + of(f), 0)
  return {
    file,
    function_count: functions.length,
    max_cyclomatic: functions.reduce((most, f) => Math.max(most, f.cyclomatic), 0),
    avg_cognitive: mean(counted(functions).map(f => f.cognitive)),
    halstead_effort: sum(f => f.halstead.effort),
  }
}
