import { createHash } from 'node:crypto'

/** Where the rows of a database are from, and what they cover. */
export interface Provenance {
  readonly synthetic: boolean
  /** The name of the imported file. */
  readonly source: string
  readonly rows: number
  readonly first: string
  readonly last: string
  /** Is it the public master plan, byte for byte? */
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

// The file that several public repositories have, by its name in Git LFS; 13,784,400 bytes.
const PUBLIC_PLAN_SHA256 = 'c3aa0db216bd9320a1d791979f9431550c85cb200e71c87f67a4e48208d17b83'

/** Is it the public master plan? Totals would not do: the generated plan has the same. */
export const isPublicPlan = (file: Uint8Array, sha256: string = PUBLIC_PLAN_SHA256): boolean =>
  createHash('sha256').update(file).digest('hex') === sha256
