import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { churnCsv, churnMarkdown } from '../formats/churn.ts'
import { churnSummary } from '../formats/summary.ts'
import { PERIOD_DAYS, PROJECT_PATH, changes } from './analysis.ts'
import type { Bench } from './analysis.ts'
import { fileData } from '../../support/file-data.ts'

/** Measures which files change most. */
export const analyzeCodeChurn = (bench: Bench): Tool =>
  tool(
    {
      name: 'analyze_code_churn',
      task: 'optional',
      use: fileData,
      title: 'Analyze Code Churn',
      description: 'Analyze git history for code churn metrics: which files change most, and by whom',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          project_path: PROJECT_PATH,
          period_days: PERIOD_DAYS,
          format: {
            type: 'string',
            enum: ['summary', 'json', 'markdown', 'csv'],
            default: 'summary',
            description: 'summary: one page; json: everything',
          },
        },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ project_path, period_days, format }, ctx) => {
      const found = await changes(bench, project_path, period_days, ctx.signal)
      if (format === 'csv') return churnCsv(found)
      if (format === 'summary') return churnSummary(found)
      return format === 'markdown' ? churnMarkdown(found) : found
    },
  )
