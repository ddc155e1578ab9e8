import type { Jobs } from '../support/threads/thread.ts'
import { edit } from './edit/edit-job.ts'
import { extract } from './search/extract-lines.ts'
import { report } from './build/reports/report.ts'
import { scan, scanFile } from './search/scan-lines.ts'
import { sweep } from './files/remove-leftovers.ts'
import { tree } from './files/directory-tree-job.ts'

/** What the pack's threads can do. */
export const JOBS: Jobs = { scan, scanFile, extract, tree, edit, sweep, report }
