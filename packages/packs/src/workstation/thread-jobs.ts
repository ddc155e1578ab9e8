import type { Jobs } from '../support/threads/thread.ts'
import { edit } from './edit/edit-job.ts'
import { notebook } from './files/notebook-job.ts'
import { extractLines } from './search/extract-lines.ts'
import { report } from './build/reports/report.ts'
import { scanFile, scanLines } from './search/scan-lines.ts'
import { removeLeftovers } from './files/remove-leftovers.ts'
import { tree } from './files/directory-tree-job.ts'

/** What the pack's threads can do. */
export const JOBS: Jobs = { scanLines, scanFile, extractLines, tree, edit, notebook, removeLeftovers, report }
