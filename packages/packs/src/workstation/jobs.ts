import type { Jobs } from '../support/thread.ts'
import { edit } from './edit-job.ts'
import { extract } from './extract.ts'
import { report } from './reports/report.ts'
import { scan, scanFile } from './scan.ts'
import { sweep } from './sweep.ts'
import { tree } from './tree-job.ts'

/** What the pack's threads can do. */
export const JOBS: Jobs = { scan, scanFile, extract, tree, edit, sweep, report }
