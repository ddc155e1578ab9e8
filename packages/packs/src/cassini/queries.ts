import { COLUMNS, SHOWN } from './observation.ts'
import type { Observation } from './observation.ts'
import type { Database, Value } from './sqlite.ts'

/** Which part of a long list is meant. */
export interface Part {
  readonly limit: number
  readonly offset: number
}

/** Part of a list: how many there are in all, and the observations as JSON texts, which cross threads cheaply. */
export interface Page {
  readonly total: number
  readonly observations: readonly string[]
}

/** A name of the plan, how often it occurs, and when for the first and the last time. */
export interface Name {
  readonly name: string
  readonly count: number
  readonly first: string
  readonly last: string
}

/** What is known of a database as a whole. */
export interface About {
  readonly synthetic: boolean
  readonly source: string
  readonly rows: number
  readonly first: string
  readonly last: string
}

const object = (columns: readonly string[]): string =>
  `json_object(${columns.map(column => `'${column}', ${column}`).join(', ')})`
/** Observations as lists show them, as JSON: a list for each of `SHOWN`, half as much to write and to read as objects. */
export const LISTED: string = `json_array(${SHOWN.map(column => `json_group_array(${column})`).join(', ')})`
const ALL = object(['id', ...COLUMNS])

/** Observations in their order, from a condition. */
function list(db: Database, condition: string, values: readonly Value[]): string {
  const some = `SELECT ${SHOWN.join(', ')} FROM observation WHERE ${condition}`
  return String(db.value(`SELECT ${LISTED} FROM (${some})`, values))
}

/** Part of the observations of a team or on a target, in the order of the plan. */
export function pageBy(db: Database, kind: 'team' | 'target', name: string, { limit, offset }: Part): Page {
  const total = db.value('SELECT count FROM name WHERE kind = ? AND name = ?', [kind, name])
  const observations = list(db, `${kind} = ? ORDER BY id LIMIT ? OFFSET ?`, [name, limit, offset])
  return { total: Number(total ?? 0), observations: [observations] }
}

/** Part of the observations that start within a range, in the order of time. */
export function pageWithin(db: Database, from: string, to: string, { limit, offset }: Part): Page {
  const numbers = numbersWithin(db, from, to)
  if (!numbers) {
    const inside = 'start_time_utc BETWEEN ? AND ?'
    const total = Number(db.value(`SELECT count(*) FROM observation WHERE ${inside}`, [from, to]))
    const part = [from, to, limit, offset]
    return { total, observations: [list(db, `${inside} ORDER BY start_time_utc, id LIMIT ? OFFSET ?`, part)] }
  }
  const [first, last] = numbers
  const total = Math.max(0, last - first + 1)
  const start = first + Math.min(offset, total)
  return { total, observations: [list(db, 'id BETWEEN ? AND ? ORDER BY id LIMIT ?', [start, last, limit])] }
}

/** In a plan that is in the order of time, a range of time is a range of numbers: these, if the plan is so. */
export function numbersWithin(db: Database, from: string, to: string): readonly [number, number] | undefined {
  if (db.value("SELECT value FROM about WHERE name = 'ordered'") !== 'true') return undefined
  const one = 'SELECT id FROM observation WHERE start_time_utc'
  const first = db.value(`${one} >= ? ORDER BY start_time_utc, id LIMIT 1`, [from])
  const last = db.value(`${one} <= ? ORDER BY start_time_utc DESC, id DESC LIMIT 1`, [to])
  return typeof first === 'number' && typeof last === 'number' ? [first, last] : [1, 0]
}

/** One observation with all its fields. */
export function details(db: Database, id: number): Observation | undefined {
  const found = db.value(`SELECT ${ALL} FROM observation WHERE id = ?`, [id])
  return typeof found === 'string' ? (JSON.parse(found) as Observation) : undefined
}

/** The names of one kind, the most frequent first. */
export function names(db: Database, kind: 'team' | 'target'): readonly Name[] {
  const rows = db.rows('SELECT name, count, first, last FROM name WHERE kind = ? ORDER BY count DESC, name', [kind])
  return rows.map(([name, count, first, last]) => ({
    name: String(name),
    count: Number(count),
    first: String(first),
    last: String(last),
  }))
}

/** What is known of the database as a whole. */
export function about(db: Database): About {
  const said = new Map(db.rows('SELECT name, value FROM about').map(([name, value]) => [name, String(value)]))
  const [first, last] = db.rows("SELECT min(first), max(last) FROM name WHERE kind = 'team'")[0] ?? []
  return {
    synthetic: said.get('synthetic') === 'true',
    source: said.get('source') ?? '',
    rows: Number(said.get('rows') ?? 0),
    first: String(first),
    last: String(last),
  }
}
