import { NAME_KINDS } from './names.ts'
import type { NameKind } from './names.ts'
import { SHOWN } from '../plan/observation.ts'
import type { Filter } from '../plan/observation.ts'
import { EARLIEST, LATEST, LISTED, conditionOf, numbersWithin, orderOf, page } from './queries.ts'
import type { Listed, Page } from './queries.ts'
import type { Search } from './search-words.ts'
import type { Database, Value } from './sqlite.ts'

/** What a search found, the best first, and whether all words had to be there. */
export interface FoundPage extends Page {
  readonly matched: 'all' | 'any'
}

/** Names stand in the word index too, as words that no query contains: a search within one need not leave the index. */
const facet = (kind: NameKind, name: string): string =>
  `${PREFIXES[kind]}${Buffer.from(name).toString('hex').toUpperCase()}0`

const PREFIXES: Readonly<Record<NameKind, string>> = { team: 'team', target: 'target', spass_type: 'type' }

/** The same in SQL: one word for each name. */
export const FACETS: string = NAME_KINDS.map(kind => `'${PREFIXES[kind]}' || hex(${kind}) || '0 '`).join(' || ')

// A word in the title says most, then one in the request's name; names say nothing.
const SCORE = 'bm25(word, 8.0, 1.0, 4.0, 0.0)'

/** More matches than this are not weighed one by one, which would take long: words in the title come first, else order. */
const WEIGHED = 5000

/** Part of what a search finds; if nothing has all the words, what has any of them; without words, what the filter lets through. */
export function search(db: Database, words: Search | undefined, filter: Filter, part: Listed): FoundPage {
  if (!words) return { ...page(db, filter, part), matched: 'all' }
  if (words.all === '') return { ...lacking(db, words.without, filter, part), matched: 'all' }
  const { all, any, without } = words
  const found = matching(db, { wanted: all, without }, filter, part)
  if (found.total > 0 || any === all) return { ...found, matched: 'all' }
  return { ...matching(db, { wanted: any, without }, filter, part), matched: 'any' }
}

/** What a filter lets through and does not have the words. */
function lacking(db: Database, without: string, filter: Filter, { limit, offset, sort }: Listed): Page {
  const { condition, values: narrowed } = conditionOf(db, filter)
  const from = `FROM observation WHERE ${condition} AND id NOT IN (SELECT rowid FROM word WHERE word MATCH ?)`
  const values = [...narrowed, without]
  const [[total, seconds] = []] = db.rows(`SELECT count(*), total(seconds) ${from}`, values)
  const rows = `SELECT ${SHOWN.join(', ')} ${from} ORDER BY ${sort ? orderOf(sort) : 'id'} LIMIT ? OFFSET ?`
  const observations = [String(db.value(`SELECT ${LISTED} FROM (${rows})`, [...values, limit, offset]))]
  return { total: Number(total), seconds: Number(seconds), observations }
}

interface Wanted {
  readonly wanted: string
  readonly without: string
}

function matching(db: Database, { wanted, without }: Wanted, filter: Filter, part: Listed): Page {
  const names = NAME_KINDS.flatMap(kind => (filter[kind] === undefined ? [] : facet(kind, filter[kind])))
  const narrow = names.map(name => ` AND facet : "${name}"`).join('')
  const but = without === '' ? '' : ` NOT (${without})`
  const matches = (expression: string): Matches => new Matches(db, `(${expression}${but})${narrow}`, filter)

  const { limit, offset, sort } = part
  const all = matches(wanted)
  const [total, seconds] = all.totals()
  const found = (observations: readonly string[]): Page => ({ total, seconds, observations })
  if (sort) return found([all.list(limit, offset, orderOf(sort))])
  if (total <= WEIGHED) return found([all.list(limit, offset, SCORE)])
  const titled = matches(`(title : ${wanted})`)
  const inTitle = titled.total
  const first = titled.list(limit, offset, inTitle <= WEIGHED ? SCORE : undefined)
  const left = limit - Math.min(limit, Math.max(0, inTitle - offset))
  if (left === 0) return found([first])
  const skip = Math.max(0, offset - inTitle)
  const others = matches(`(${wanted} NOT (title : ${wanted}))`).list(left, skip)
  return found([first, others])
}

/** Everything that matches an expression and starts within a range. */
class Matches {
  readonly #db: Database
  readonly #within: Within
  readonly #values: readonly Value[]

  constructor(db: Database, expression: string, filter: Filter) {
    this.#db = db
    this.#within = within(db, filter)
    this.#values = [expression, ...this.#within.values]
  }

  get total(): number {
    return Number(this.#db.value(`SELECT count(*) ${this.#within.from}`, this.#values))
  }

  /** How many there are, and how many seconds they take. */
  totals(): readonly [count: number, seconds: number] {
    const [row = []] = this.#db.rows(`SELECT count(*), total(seconds) ${this.#within.timed}`, this.#values)
    return [Number(row[0]), Number(row[1])]
  }

  /** Some of them as JSON: the best score first, or in an order of the observation's own columns, then in that of the plan. */
  list(limit: number, offset: number, order?: string): string {
    const values = [...this.#values, limit, offset]
    const columns = SHOWN.join(', ')
    if (order !== undefined && order !== SCORE) {
      const rows = `SELECT ${columns} ${this.#within.joined} ORDER BY ${order} LIMIT ? OFFSET ?`
      return String(this.#db.value(`SELECT ${LISTED} FROM (${rows})`, values))
    }
    const score = order ?? 'NULL'
    const by = order === undefined ? 'word.rowid' : 'score, word.rowid'
    const best = `SELECT word.rowid AS id, ${score} AS score ${this.#within.from} ORDER BY ${by} LIMIT ? OFFSET ?`
    const rows = `SELECT ${columns} FROM (${best}) JOIN observation USING (id) ORDER BY score, id`
    return String(this.#db.value(`SELECT ${LISTED} FROM (${rows})`, values))
  }
}

/** Where to look: among the words alone if possible, with durations beside them, and with whole observations. */
interface Within {
  readonly from: string
  readonly timed: string
  readonly joined: string
  readonly values: readonly Value[]
}

// The other way round SQLite would run the search anew for each observation.
const joining = (table: 'observation' | 'length', more = ''): string =>
  `FROM (SELECT rowid AS match FROM word WHERE word MATCH ?${more}) CROSS JOIN ${table} ON ${table}.id = match`

/** The word index knows ranges of numbers, but not of time. */
function within(db: Database, { from, to }: Filter): Within {
  const isRange = from !== undefined || to !== undefined
  const numbers = isRange ? numbersWithin(db, { from, to }) : undefined
  if (!isRange || numbers) {
    const more = numbers ? ' AND word.rowid BETWEEN ? AND ?' : ''
    return {
      from: `FROM word WHERE word MATCH ?${more}`,
      timed: joining('length', more),
      joined: joining('observation', more),
      values: numbers ?? [],
    }
  }
  const joined = `${joining('observation')} WHERE start_time_utc BETWEEN ? AND ?`
  const crossed = 'FROM word CROSS JOIN observation ON observation.id = word.rowid WHERE word MATCH ?'
  const values = [from ?? EARLIEST, to ?? LATEST]
  return { from: `${crossed} AND start_time_utc BETWEEN ? AND ?`, timed: joined, joined, values }
}
