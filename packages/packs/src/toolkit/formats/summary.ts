import type { FileMetrics, FunctionMetrics } from '../analysis/measure/metrics.ts'
import type { Report } from '../analysis/report.ts'
import type { Thresholds } from '../analysis/thresholds.ts'
import type { Churn } from '../churn/churn.ts'
import { notReadNote } from './not-read.ts'
import { columns } from './text.ts'

const MOST = 10
const FAULTS = 3

/** A complexity report on one page: the figures, then the worst first. */
export function complexitySummary(report: Report, measured: readonly FileMetrics[], limits: Thresholds): string {
  const { summary: s, violations, top_files, unparsable = [], not_read: unread = {} } = report
  const { cyclomatic, cognitive } = limits
  const worst = worstFunctions(measured, limits)
  const above = new Set(violations.map(v => `${v.file}:${v.line} ${v.function}`)).size
  return lines([
    `${count(s.total_functions, 'function')} in ${count(s.total_files, 'file')}, ${count(s.total_lines, 'line')}.`,
    `Cyclomatic: mean ${s.avg_cyclomatic}, median ${s.median_cyclomatic}, 90th percentile ${s.p90_cyclomatic}, max ${s.max_cyclomatic}.`,
    `Cognitive: mean ${s.avg_cognitive}, median ${s.median_cognitive}, 90th percentile ${s.p90_cognitive}, max ${s.max_cognitive}.`,
    `${count(s.errors, 'error')} (above ${cyclomatic.fail} cyclomatic or ${cognitive.fail} cognitive), ${count(s.warnings, 'warning')} (above ${cyclomatic.warn} or ${cognitive.warn}); technical debt ${s.technical_debt_hours} h.`,
    '',
    above === 0
      ? `No function is above a threshold; the worst ${worst.length}:`
      : `Worst ${worst.length}; ${count(above, 'function')} above a threshold:`,
    ...columns([
      ['cyclomatic', 'cognitive', 'lines', 'function'],
      ...worst.map(({ file, f }) => [f.cyclomatic, f.cognitive, f.lines, `${f.name} ${file}:${f.line}`]),
    ]),
    ...(top_files
      ? [
          '',
          `Most complex files (${Math.min(MOST, top_files.returned)} of ${top_files.returned} ranked):`,
          ...columns([
            ['score', 'max cyclomatic', 'mean cognitive', 'functions', 'file'],
            ...top_files.rankings
              .slice(0, MOST)
              .map(r => [r.total_score, r.max_cyclomatic, r.avg_cognitive, r.function_count, r.file]),
          ]),
        ]
      : []),
    ...(unparsable.length > 0 ? ['', `Not measured, or not completely: ${count(unparsable.length, 'file')}.`] : []),
    ...unparsable.slice(0, FAULTS).map(f => `  ${f.file}${f.line === undefined ? '' : `:${f.line}`}: ${f.reason}`),
    ...notReadNote({ unread }),
    '',
    'Format json has every violation, full every function.',
  ])
}

/** The functions furthest above what is allowed. */
function worstFunctions(
  measured: readonly FileMetrics[],
  { cyclomatic, cognitive }: Thresholds,
): { file: string; f: FunctionMetrics }[] {
  const excess = (f: FunctionMetrics): number =>
    Math.max(f.cyclomatic / Math.max(1, cyclomatic.fail), f.cognitive / Math.max(1, cognitive.fail))
  return measured
    .flatMap(({ file, functions }) => functions.map(f => ({ file, f })))
    .sort((a, b) => excess(b.f) - excess(a.f) || (a.file < b.file ? -1 : 1))
    .slice(0, MOST)
}

/** A history on one page: the figures, then the files that change most. */
export function churnSummary({ summary: s, files }: Churn): string {
  const authors = s.author_contributions
  return lines([
    `${count(s.total_commits, 'commit')} by ${count(authors.length, 'author')} in ${count(s.period_days, 'day')}: ` +
      `${count(s.total_files_changed, 'file')} changed, +${s.total_additions} −${s.total_deletions} lines.`,
    ...(s.deleted_files === undefined ? [] : [`${count(s.deleted_files, 'more file')} changed and deleted since.`]),
    ...(s.shallow ? ['The repository is shallow: older commits could not be counted.'] : []),
    '',
    ...(files.length === 0
      ? ['No file changed.']
      : [`Files that change most (${Math.min(MOST, files.length)} of ${files.length}):`]),
    ...columns([
      ['score', 'commits', 'authors', 'added', 'deleted', 'last', 'file'],
      ...files
        .slice(0, MOST)
        .map(f => [
          f.churn_score.toFixed(3),
          f.commit_count,
          f.unique_authors,
          f.additions,
          f.deletions,
          f.last_modified.slice(0, 10),
          f.path,
        ]),
    ]).slice(files.length === 0 ? 1 : 0),
    ...(authors.length === 0
      ? []
      : [
          '',
          `Authors: ${authors
            .slice(0, MOST)
            .map(a => `${a.author} (${a.commits})`)
            .join(', ')}${authors.length > MOST ? `, and ${authors.length - MOST} more` : ''}.`,
        ]),
    '',
    'Format json has every file.',
  ])
}

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`

function count(n: number, noun: string): string {
  return `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`
}
