import type { FileMetrics } from '../analysis/measure/metrics.ts'
import type { Report } from '../analysis/report.ts'
import { notReadNote } from './not-read.ts'
import { csv, table } from './text.ts'

/** Every function, one line each. */
export const complexityCsv = (measured: readonly FileMetrics[]): string =>
  csv([
    [
      'file',
      'line',
      'function',
      'cyclomatic',
      'cognitive',
      'nesting',
      'lines',
      'parameters',
      'halstead_volume',
      'halstead_difficulty',
      'halstead_effort',
      'maintainability',
    ],
    ...measured.flatMap(({ file, functions }) =>
      functions.map(f => [
        file,
        f.line,
        f.name,
        f.cyclomatic,
        f.cognitive,
        f.nesting,
        f.lines,
        f.parameters,
        f.halstead.volume,
        f.halstead.difficulty,
        f.halstead.effort,
        f.maintainability,
      ]),
    ),
  ])

/** A report for people. */
export function complexityMarkdown({
  summary,
  violations,
  top_files,
  unparsable = [],
  not_read: unread = {},
}: Report): string {
  const sections = [
    '# Complexity analysis',
    ...(top_files
      ? ['## Top files by complexity', table([TOP, ...top_files.rankings.map(r => Object.values(r))])]
      : []),
    '## Summary',
    table([['Metric', 'Value'], ...Object.entries(summary)]),
    '## Violations',
    violations.length === 0 ? 'None.' : table([VIOLATIONS, ...violations.map(row)]),
    ...(unparsable.length > 0 ? ['## Not measured', unparsable.map(fault).join('\n')] : []),
    ...notReadNote({ unread }),
  ]
  return `${sections.join('\n\n')}\n`
}

const TOP = ['Rank', 'File', 'Functions', 'Max cyclomatic', 'Avg cognitive', 'Halstead effort', 'Score']
const VIOLATIONS = ['Severity', 'File', 'Line', 'Function', 'Rule', 'Value', 'Threshold']

const row = (v: Report['violations'][number]): (string | number)[] => [
  v.severity,
  v.file,
  v.line,
  v.function,
  v.rule,
  v.value,
  v.threshold,
]

const fault = ({ file, line, reason }: NonNullable<Report['unparsable']>[number]): string =>
  `- ${file}${line === undefined ? '' : `:${line}`}: ${reason}`
