import { existsSync } from 'node:fs'
import type { Pack } from '@causeway/engine'
import { databases } from './plan/files.ts'
import type { ImportOptions, Imported } from './plan/import.ts'
import { byId, bySearch, byTarget, byTeam, byTimerange } from './listings.ts'
import { markErrors } from './mark-errors.ts'
import { flybyReport, missionSummary } from './prompts.ts'
import { resources } from './resources.ts'
import { withViews } from '../support/views.ts'
import type { ViewName } from '../support/views.ts'
import { createStore } from './database/store.ts'
import { listTargets, listTeams, statistics, timeline } from './summaries.ts'
import { withKeywords } from '../support/keywords.ts'
import { KEYWORDS } from './keywords.ts'

export type { BadRow, ImportOptions, Imported } from './plan/import.ts'
export { PlanError, dataFolder } from './plan/files.ts'
export { sourceOf } from './plan/provenance.ts'
export type { Provenance } from './plan/provenance.ts'

/** Where the plan is kept. */
export interface CassiniOptions {
  /** The folder with the databases; default: the platform's folder for data. */
  readonly data?: string | undefined
  /** The module of the database thread, for those who bundle this pack themselves; default: beside this one. */
  readonly worker?: URL
}

/** Load the public master plan from a CSV file; the database changes at the very end, all at once. */
export const importPlan = async (path: string, options: ImportOptions = {}): Promise<Imported> =>
  (await import('./plan/import.ts')).importPlan(path, options)

const VIEWS: Readonly<Record<string, ViewName>> = { get_timeline: 'cassini', list_targets: 'cassini' }

const IMPORTED =
  'The data was imported; every result says from which file, how many observations it has, and from when to when.'
const SYNTHETIC =
  'THE CASSINI DATA IS SYNTHETIC: a generated set of the size and shape of the real plan, not the plan. Every result says "synthetic": true first. ' +
  'Tell the user so, and draw no conclusion about the real mission. ' +
  'An operator can load the public plan with: causeway cassini import FILE.csv.'

const HOW =
  'The Cassini mission plan at Saturn: what each team was to observe, and when. ' +
  'Times are UTC as year and day of year (2005-068T14:00:00); calendar dates are accepted too. ' +
  'Names of teams and targets are read without regard to case, instruments by their names too: list_teams and list_targets have them. ' +
  'Lists give 100 observations unless limit (1 to 1000) says otherwise; offset pages through total, sort_by and order sort.'

/** The observations of the Cassini mission: by team, target, time and words. */
export function cassini({ data, worker }: CassiniOptions = {}): Pack {
  const store = createStore(data, worker)
  const isSynthetic = (): boolean => !existsSync(databases(data).imported)
  const use = [markErrors(isSynthetic)]
  const tools = [byTeam, byTarget, byTimerange, byId, bySearch, statistics, timeline, listTeams, listTargets]
  return {
    name: 'cassini',
    instructions: `${isSynthetic() ? SYNTHETIC : IMPORTED} ${HOW}`,
    features: withViews(
      withKeywords(
        [
          ...tools.map(make => Object.assign(make(store), { use })),
          ...resources(store),
          missionSummary(store),
          flybyReport(store),
        ],
        KEYWORDS,
      ),
      VIEWS,
    ),
  }
}
