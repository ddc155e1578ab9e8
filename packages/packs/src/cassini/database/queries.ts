import { NAME_KINDS } from './names.ts'
import type { NameKind } from './names.ts'
import { COLUMNS, SHOWN } from '../plan/observation.ts'
import type { Filter, Observation } from '../plan/observation.ts'
import type { Provenance } from '../plan/provenance.ts'
import type { Database, Value } from './sqlite.ts'

/** Which part of a long list is meant. */
export interface Part {
  readonly limit: number
  readonly offset: number
}

/** What lists can be sorted by. */
export const SORTS = ['start_time_utc', 'duration', 'team', 'target', 'title'] as const

/** The order of a list, where it is not the usual one. */
export interface Sort {
  readonly by: (typeof SORTS)[number]
  readonly order: 'asc' | 'desc'
}

/** Which part of a list is meant, in which order. */
export interface Listed extends Part {
  readonly sort?: Sort | undefined
}

/** Part of a list: how many there are in all and how long they take, and the observations as JSON texts, which cross threads cheaply. */
export interface Page {
  readonly total: number
  /** The durations of all of them. */
  readonly seconds: number
  readonly observations: readonly string[]
}

/** A name of the plan, how often it occurs, how long that takes, and when for the first and the last time. */
export interface Name {
  readonly name: string
  readonly count: number
  readonly seconds: number
  readonly first: string
  readonly last: string
}

const object = (columns: readonly string[]): string =>
  `json_object(${columns.map(column => `'${column}', ${column}`).join(', ')})`
/** Observations as lists show them, as JSON: a list for each of `SHOWN`, half as much to write and to read as objects. */
export const LISTED: string = `json_array(${SHOWN.map(column => `json_group_array(${column})`).join(', ')})`
const ALL = object(['id', ...COLUMNS])

/** The columns of an `ORDER BY`; observations that are equal stay in the order of the plan. */
export function orderOf({ by, order }: Sort, id = 'id'): string {
  const column = by === 'duration' ? 'seconds' : by
  return `${column} ${order === 'desc' ? 'DESC' : 'ASC'}, ${id}`
}

/** Observations in their order, from a condition. */
function list(db: Database, condition: string, values: readonly Value[]): string {
  const some = `SELECT ${SHOWN.join(', ')} FROM observation WHERE ${condition}`
  return String(db.value(`SELECT ${LISTED} FROM (${some})`, values))
}

/** Part of the observations a filter lets through: those of a range in the order of time, others in that of the plan. */
export function page(db: Database, filter: Filter, part: Listed): Page {
  const names = NAME_KINDS.filter(kind => filter[kind] !== undefined)
  const { from, to } = filter
  const isRange = from !== undefined || to !== undefined
  if (names.length === 0 && isRange) return pageWithin(db, filter, part)
  const { condition, values } = conditionOf(db, filter)
  const [total, seconds] =
    names[0] !== undefined && names.length === 1 && !isRange
      ? totalOf(db, names[0], filter[names[0]] ?? '')
      : totalWhere(db, condition, values)
  return { total, seconds, observations: [sorted(db, condition, values, part)] }
}

/** The same, in an order of one's own if one is named. */
function sorted(db: Database, condition: string, values: readonly Value[], { limit, offset, sort }: Listed): string {
  return list(db, `${condition} ORDER BY ${sort ? orderOf(sort) : 'id'} LIMIT ? OFFSET ?`, [...values, limit, offset])
}

type Total = readonly [count: number, seconds: number]

function totalOf(db: Database, kind: NameKind, name: string): Total {
  const [row = []] = db.rows('SELECT count, seconds FROM name WHERE kind = ? AND name = ?', [kind, name])
  return [Number(row[0] ?? 0), Number(row[1] ?? 0)]
}

function totalWhere(db: Database, condition: string, values: readonly Value[]): Total {
  const [row = []] = db.rows(`SELECT count(*), total(seconds) FROM observation WHERE ${condition}`, values)
  return [Number(row[0]), Number(row[1])]
}

/** Earlier than every moment. */
export const EARLIEST = ''
/** Later than every moment. */
export const LATEST = '~'

/** The filter in SQL. */
export function conditionOf(db: Database, filter: Filter): { condition: string; values: readonly Value[] } {
  const { from, to } = filter
  const names = NAME_KINDS.filter(kind => filter[kind] !== undefined)
  const numbers = from === undefined && to === undefined ? undefined : numbersWithin(db, filter)
  const range = numbers ? ['id BETWEEN ? AND ?'] : from === undefined && to === undefined ? [] : [INSIDE]
  const condition = [...names.map(kind => `${kind} = ?`), ...range].join(' AND ')
  const ends = numbers ?? (range.length > 0 ? [from ?? EARLIEST, to ?? LATEST] : [])
  return { condition: condition || 'true', values: [...names.map(kind => filter[kind] ?? ''), ...ends] }
}

const INSIDE = 'start_time_utc BETWEEN ? AND ?'

/** Part of the observations that start within a range, in the order of time. */
function pageWithin(db: Database, filter: Filter, part: Listed): Page {
  const { condition, values } = conditionOf(db, filter)
  const numbers = numbersWithin(db, filter)
  if (!numbers || part.sort) {
    const [total, seconds] = totalWhere(db, condition, values)
    return { total, seconds, observations: [sorted(db, condition, values, { sort: BY_TIME, ...part })] }
  }
  const [first, last] = numbers
  const total = Math.max(0, last - first + 1)
  const start = first + Math.min(part.offset, total)
  const observations = [list(db, 'id BETWEEN ? AND ? ORDER BY id LIMIT ?', [start, last, part.limit])]
  return { total, seconds: total === 0 ? 0 : elapsed(db, last) - elapsed(db, first - 1), observations }
}

const BY_TIME: Sort = { by: 'start_time_utc', order: 'asc' }

const elapsed = (db: Database, id: number): number =>
  Number(db.value('SELECT elapsed FROM observation WHERE id = ?', [id]) ?? 0)

/** In a plan that is in the order of time, a range of time is a range of numbers: these, if the plan is so. */
export function numbersWithin(
  db: Database,
  { from = EARLIEST, to = LATEST }: Filter,
): readonly [number, number] | undefined {
  if (db.value("SELECT value FROM about WHERE name = 'ordered'") !== 'true') return undefined
  const one = 'SELECT id FROM observation WHERE start_time_utc'
  const first = db.value(`${one} >= ? ORDER BY start_time_utc, id LIMIT 1`, [from])
  const last = db.value(`${one} <= ? ORDER BY start_time_utc DESC, id DESC LIMIT 1`, [to])
  return typeof first === 'number' && typeof last === 'number' ? [first, last] : [1, 0]
}

/** When the last observation before a moment and the first one after another start; undefined where there is none. */
export function around(db: Database, { from = EARLIEST, to = LATEST }: Filter): readonly (string | undefined)[] {
  const [[before, after] = []] = db.rows(
    'SELECT (SELECT max(start_time_utc) FROM observation WHERE start_time_utc < ?), ' +
      '(SELECT min(start_time_utc) FROM observation WHERE start_time_utc > ?)',
    [from, to],
  )
  return [before, after].map(moment => (typeof moment === 'string' ? moment : undefined))
}

/** One observation with all its fields. */
export function details(db: Database, id: number): Observation | undefined {
  const found = db.value(`SELECT ${ALL} FROM observation WHERE id = ?`, [id])
  return typeof found === 'string' ? (JSON.parse(found) as Observation) : undefined
}

/** The names of one kind, the most frequent first. */
export function names(db: Database, kind: NameKind): readonly Name[] {
  const columns = 'name, count, seconds, first, last'
  const rows = db.rows(`SELECT ${columns} FROM name WHERE kind = ? ORDER BY count DESC, name`, [kind])
  return rows.map(([name, count, seconds, first, last]) => ({
    name: String(name),
    count: Number(count),
    seconds: Number(seconds),
    first: String(first),
    last: String(last),
  }))
}

/** Where the data is from, and what it covers. */
export function about(db: Database): Provenance {
  const said = new Map(db.rows('SELECT name, value FROM about').map(([name, value]) => [name, String(value)]))
  return {
    synthetic: said.get('synthetic') === 'true',
    source: said.get('source') ?? '',
    rows: Number(said.get('rows') ?? 0),
    first: said.get('first') ?? '',
    last: said.get('last') ?? '',
    isPublicPlan: said.get('isPublicPlan') === 'true',
  }
}
