import { KNOWN_TEAMS, TARGETS, TEAMS } from './facts.ts'

/** Where the rows of a database are from, and what they cover. */
export interface Provenance {
  readonly synthetic: boolean
  /** The name of the imported file. */
  readonly source: string
  readonly rows: number
  readonly first: string
  readonly last: string
  /** Has it the known totals of the public master plan? */
  readonly isPublicPlan: boolean
}

/** Stands first in everything that comes from generated data. */
export const SYNTHETIC_MARK = 'SYNTHETIC DATA: generated, not the real mission plan.'

/** The provenance as a result states it. */
export function sourceOf({ synthetic, source, rows, first, last, isPublicPlan }: Provenance): string {
  if (synthetic) return 'generated, not the real mission plan'
  const what = isPublicPlan ? 'the public master plan' : 'not the public master plan'
  return `${source}: ${counted(rows, 'observation')} from ${first} to ${last}, ${what}`
}

/** The sentence that opens the text of a result. */
export const openingOf = (about: Provenance): string =>
  about.synthetic ? SYNTHETIC_MARK : `Imported data (${sourceOf(about)}).`

/** 1,234 observations, 1 observation. */
export const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`

type Counts = ReadonlyMap<string, number>

/** Are these the known totals of the public master plan? */
export function isPublicPlan(teams: Counts, targets: Counts): boolean {
  const has = (counts: Counts, known: Readonly<Record<string, number>>): boolean =>
    Object.entries(known).every(([name, count]) => counts.get(name) === count)
  const isComplete = Object.keys(TEAMS).every(team => teams.has(team)) && teams.size === Object.keys(TEAMS).length
  return isComplete && targets.size === Object.keys(TARGETS).length && has(teams, KNOWN_TEAMS) && has(targets, TARGETS)
}
