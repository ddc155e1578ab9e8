import { fault } from '@causeway/engine'
import type { Context } from '@causeway/engine'
import { stat } from 'node:fs/promises'
import { quote } from '../../support/quote.ts'
import { inRepository } from '../../support/git.ts'
import type { Jail } from '../../support/jail.ts'
import { TOOLCHAINS } from '../analysis/grammar.ts'
import type { FileMetrics } from '../analysis/metrics.ts'
import type { Pool } from '../analysis/pool.ts'
import { measureProject } from '../analysis/project.ts'
import { churn } from '../churn/churn.ts'
import type { Churn } from '../churn/churn.ts'
import { readHistory } from '../churn/history.ts'

/** What the tools that look at code share. */
export interface Bench {
  readonly jail: Jail
  readonly pool: Pool
  /** Who made a report. */
  readonly server: { readonly name: string; readonly version: string }
}

/** Which code to look at. */
export interface Subject {
  readonly project_path: string
  readonly toolchain?: string
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
}

/** The argument every such tool has. */
export const PROJECT_PATH = { type: 'string', minLength: 1, description: 'Path to analyze' } as const
/** How far back to look. */
export const PERIOD_DAYS = {
  type: 'integer',
  minimum: 1,
  maximum: 36_500,
  default: 30,
  description: 'Days to analyze (default: 30)',
} as const

const DAY_MS = 24 * 60 * 60 * 1000
// What git may write about the history of one period.
const MOST_BYTES = 256 * 1024 * 1024

/** Measure the code of a project, telling how far it is. */
export async function measure({ jail, pool }: Bench, subject: Subject, ctx: Context): Promise<FileMetrics[]> {
  const { project_path, toolchain, include, exclude } = subject
  const root = await directory(jail, project_path)
  return measureProject(root, {
    languages: toolchain === undefined ? undefined : TOOLCHAINS[toolchain],
    include,
    exclude,
    top: jail.below(root).root,
    pool,
    signal: ctx.signal,
    progress: (done, total) => ctx.progress(done, `${done} of ${total} files analysed`, total),
  })
}

async function directory(jail: Jail, path: string): Promise<string> {
  const real = await jail.resolve(path, 'project_path')
  const found = await stat(real).catch(() => undefined)
  if (found?.isDirectory()) return real
  const what = found ? 'is not a directory' : 'does not exist'
  throw fault('invalid-arguments', `Parameter 'project_path' ${what}, got ${quote(path)}`)
}

/** Read the history of a project. */
export async function changes({ jail }: Bench, path: string, days: number, signal: AbortSignal): Promise<Churn> {
  await directory(jail, path)
  const since = new Date(Date.now() - days * DAY_MS)
  const asked = { path, argument: 'project_path' }
  const options = { signal, keep: MOST_BYTES }
  return churn(await inRepository(jail, asked, repository => readHistory(repository, since), options), days)
}
