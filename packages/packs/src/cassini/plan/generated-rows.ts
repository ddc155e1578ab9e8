import { COLUMNS } from './observation.ts'
import type { Fields } from './observation.ts'
import { GENERATED_FROM, syntheticRows } from './synthetic.ts'

// Of a plan that was not generated, hardly any row is the same by chance.
const MOST_BY_CHANCE = 0.2
const KEY = (['start_time_utc', 'team', 'target'] as const).map(column => COLUMNS.indexOf(column))

const keyOf = (fields: Fields): string => KEY.map(i => fields[i]).join(' ')

let known: ReadonlySet<string> | undefined

function generatedKeys(): ReadonlySet<string> {
  known ??= new Set([...syntheticRows()].slice(GENERATED_FROM).map(keyOf))
  return known
}

/** Counts rows that the generator made. Its words may have been replaced: when who looks at what is its mark. */
export class GeneratedRows {
  readonly #keys = generatedKeys()
  #seen = 0
  #generated = 0

  see(fields: Fields): void {
    this.#seen += 1
    if (this.#keys.has(keyOf(fields))) this.#generated += 1
  }

  /** Are too many of the rows that were seen generated? */
  get areMany(): boolean {
    return this.#generated > this.#seen * MOST_BY_CHANCE
  }
}
