import { text, tool } from '@causeway/engine'
import type { AnyToolOutput, Tool } from '@causeway/engine'
import { TOOLCHAINS } from '../analysis/parse/grammar.ts'
import type { FileMetrics } from '../analysis/measure/metrics.ts'
import { report } from '../analysis/report.ts'
import type { ReportOptions } from '../analysis/report.ts'
import { thresholds } from '../analysis/thresholds.ts'
import { complexityCsv, complexityMarkdown } from '../formats/complexity.ts'
import { complexitySummary } from '../formats/summary.ts'
import { notReadNote } from '../formats/not-read.ts'
import { sarif } from '../formats/sarif.ts'
import { PROJECT_PATH, measure } from './analysis.ts'
import type { Bench } from './analysis.ts'
import { fileData } from '../../support/file-data.ts'

const FORMATS = ['summary', 'full', 'json', 'sarif', 'markdown', 'csv'] as const
const PATTERNS = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 1000 }, maxItems: 100 } as const

const INPUT = {
  type: 'object',
  properties: {
    project_path: PROJECT_PATH,
    toolchain: { type: 'string', enum: Object.keys(TOOLCHAINS), description: 'Project toolchain' },
    format: {
      type: 'string',
      enum: FORMATS,
      default: 'summary',
      description: 'Output format: summary is one page, json has every violation, full every function',
    },
    max_cyclomatic: { type: 'number', minimum: 1, description: 'Cyclomatic threshold: above it is an error' },
    max_cognitive: { type: 'number', minimum: 0, description: 'Cognitive threshold: above it is an error' },
    top_files: {
      type: 'number',
      minimum: 0,
      maximum: 10_000,
      default: 0,
      description: 'Number of top complex files to show (0 = all violations, no ranking)',
    },
    include: { ...PATTERNS, description: 'Only files that match one of these, such as src/** or *.ts' },
    exclude: { ...PATTERNS, description: 'No files that match one of these' },
  },
  required: ['project_path', 'toolchain'],
  additionalProperties: false,
} as const

/** Measures how complex a project's functions are. */
export const analyzeComplexity = (bench: Bench): Tool =>
  tool(
    {
      name: 'analyze_complexity',
      task: 'optional',
      use: fileData,
      title: 'Analyze Complexity',
      description:
        'Analyze code complexity metrics (cyclomatic, cognitive, Halstead, maintainability) with optional file ranking',
      readOnly: true,
      openWorld: false,
      input: INPUT,
    },
    async ({ format, max_cyclomatic, max_cognitive, top_files, ...subject }, ctx) => {
      const { files: measured, unread } = await measure(bench, subject, ctx)
      const limits = thresholds(max_cyclomatic, max_cognitive)
      const options = { thresholds: limits, topFiles: Math.floor(top_files), full: format === 'full', unread }
      return reply(format, measured, options, bench)
    },
  )

function reply(
  format: (typeof FORMATS)[number],
  measured: readonly FileMetrics[],
  options: ReportOptions,
  { server }: Bench,
): AnyToolOutput {
  if (format === 'csv') {
    // A table has no place for a note.
    const notes = notReadNote({ unread: options.unread ?? {} })
    const table = complexityCsv(measured)
    return notes.length === 0 ? table : { content: [text(table), ...notes.map(note => text(note))] }
  }
  const made = report(measured, options)
  if (format === 'summary') return complexitySummary(made, measured, options.thresholds)
  if (format === 'markdown') return complexityMarkdown(made)
  if (format !== 'sarif') return made
  const document = sarif(made, server)
  return { content: [text(JSON.stringify(document))], structuredContent: document }
}
