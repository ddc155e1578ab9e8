import { SHOWN } from './observation.ts'
import type { Filter } from './observation.ts'
import { LISTED, numbersWithin } from './queries.ts'
import type { Page, Part } from './queries.ts'
import type { Search } from './search-words.ts'
import type { Database, Value } from './sqlite.ts'

/** What a search found, the best first, and whether all words had to be there. */
export interface Found extends Page {
  readonly matched: 'all' | 'any'
}

type Named = 'team' | 'target'

/** Teams and targets stand in the word index too, as words nobody types: a search within one need not leave the index. */
const facet = (kind: Named, name: string): string => `${kind}${Buffer.from(name).toString('hex').toUpperCase()}0`

/** The same in SQL: one word for the team, one for the target. */
export const FACETS = "'team' || hex(team) || '0 target' || hex(target) || '0'"

// A word in the title says most, then one in the request's name; teams and targets say nothing.
const SCORE = 'bm25(word, 8.0, 1.0, 4.0, 0.0)'

/** More matches than this are not weighed one by one, which would take long: words in the title come first, else order. */
const WEIGHED = 5000

/** Part of what a search finds; if nothing has all the words, what has any of them. */
export function search(db: Database, words: Search, filter: Filter, part: Part): Found {
  const found = matching(db, words.all, words.without, { ...filter, ...part })
  if (found.total > 0 || words.any === words.all) return { ...found, matched: 'all' }
  return { ...matching(db, words.any, words.without, { ...filter, ...part }), matched: 'any' }
}

function matching(db: Database, wanted: string, without: string, asked: Filter & Part): Page {
  const { team, target, from, to, limit, offset } = asked
  const narrow = [
    ...(team === undefined ? [] : [` AND facet : "${facet('team', team)}"`]),
    ...(target === undefined ? [] : [` AND facet : "${facet('target', target)}"`]),
  ].join('')
  const matches = (expression: string): Matches => new Matches(db, `(${expression}${without})${narrow}`, { from, to })

  const all = matches(wanted)
  const { total } = all
  if (total <= WEIGHED) return { total, observations: [all.list(limit, offset, SCORE)] }
  const titled = matches(`(title : ${wanted})`)
  const { total: inTitle } = titled
  const first = titled.list(limit, offset, inTitle <= WEIGHED ? SCORE : 'NULL')
  const left = limit - Math.min(limit, Math.max(0, inTitle - offset))
  if (left === 0) return { total, observations: [first] }
  const skip = Math.max(0, offset - inTitle)
  const others = matches(`(${wanted} NOT (title : ${wanted}))`).list(left, skip, 'NULL')
  return { total, observations: [first, others] }
}

/** Everything that matches an expression and starts within a range. */
class Matches {
  readonly #db: Database
  readonly #from: string
  readonly #values: readonly Value[]

  constructor(db: Database, expression: string, filter: Filter) {
    const { from, values } = within(db, filter)
    this.#db = db
    this.#from = from
    this.#values = [expression, ...values]
  }

  get total(): number {
    return Number(this.#db.value(`SELECT count(*) ${this.#from}`, this.#values))
  }

  /** Some of them as JSON, the best score first, then in the order of the plan. */
  list(limit: number, offset: number, score: string): string {
    const order = score === 'NULL' ? 'word.rowid' : 'score, word.rowid'
    const best = `SELECT word.rowid AS id, ${score} AS score ${this.#from} ORDER BY ${order} LIMIT ? OFFSET ?`
    const rows = `SELECT ${SHOWN.join(', ')} FROM (${best}) JOIN observation USING (id) ORDER BY score, id`
    return String(this.#db.value(`SELECT ${LISTED} FROM (${rows})`, [...this.#values, limit, offset]))
  }
}

const MATCH = 'WHERE word MATCH ?'

/** Earlier than every moment, and later. */
const [EARLIEST, LATEST] = ['', '~']

/** Where to look: the word index knows ranges of numbers, but not of time. */
function within(db: Database, { from, to }: Filter): { readonly from: string; readonly values: readonly Value[] } {
  if (from === undefined && to === undefined) return { from: `FROM word ${MATCH}`, values: [] }
  const range = [from ?? EARLIEST, to ?? LATEST] as const
  const numbers = numbersWithin(db, ...range)
  if (numbers) return { from: `FROM word ${MATCH} AND word.rowid BETWEEN ? AND ?`, values: numbers }
  // The other way round SQLite would run the search anew for each observation.
  const joined = `FROM word CROSS JOIN observation ON observation.id = word.rowid ${MATCH}`
  return { from: `${joined} AND start_time_utc BETWEEN ? AND ?`, values: range }
}
