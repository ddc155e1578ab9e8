import { COLUMNS, SHOWN } from './observation.ts'
import type { Filter, Observation } from './observation.ts'
import type { Database, Value } from './sqlite.ts'

/** Which part of a long list is meant. */
export interface Part {
  readonly limit: number
  readonly offset: number
}

/** Part of a list: how many there are in all, and the observations as JSON text, which crosses threads cheaply. */
export interface Page {
  readonly total: number
  readonly observations: string
}

/** By what statistics are grouped. */
export type Group = 'team' | 'target' | 'spass_type' | 'year' | 'day'

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
/** An observation as lists show it, as JSON. */
export const LISTED: string = object(SHOWN)
const ALL = object(['id', ...COLUMNS])

/** Conditions are put together from constants; what the caller sent is only ever a parameter. */
export function where(filter: Filter, prefix = 'WHERE'): { readonly sql: string; readonly values: readonly Value[] } {
  const conditions: readonly (readonly [string, string | undefined])[] = [
    ['team = ?', filter.team],
    ['target = ?', filter.target],
    ['spass_type = ?', filter.spass_type],
    ['start_time_utc >= ?', filter.from],
    ['start_time_utc <= ?', filter.to],
  ]
  const used = conditions.filter((pair): pair is readonly [string, string] => pair[1] !== undefined)
  if (used.length === 0) return { sql: '', values: [] }
  return { sql: `${prefix} ${used.map(([sql]) => sql).join(' AND ')}`, values: used.map(([, value]) => value) }
}

/** Observations in their order, from a condition. */
function list(db: Database, condition: string, values: readonly Value[]): string {
  const some = `SELECT ${SHOWN.join(', ')} FROM observation WHERE ${condition}`
  return String(db.value(`SELECT json_group_array(${LISTED}) FROM (${some})`, values))
}

/** Part of the observations of a team or on a target, in the order of the plan. */
export function pageBy(db: Database, kind: 'team' | 'target', name: string, { limit, offset }: Part): Page {
  const total = db.value('SELECT count FROM name WHERE kind = ? AND name = ?', [kind, name])
  const observations = list(db, `${kind} = ? ORDER BY id LIMIT ? OFFSET ?`, [name, limit, offset])
  return { total: Number(total ?? 0), observations }
}

/** Part of the observations that start within a range, in the order of time. */
export function pageWithin(db: Database, from: string, to: string, { limit, offset }: Part): Page {
  const numbers = numbersWithin(db, from, to)
  if (!numbers) {
    const inside = 'start_time_utc BETWEEN ? AND ?'
    const total = Number(db.value(`SELECT count(*) FROM observation WHERE ${inside}`, [from, to]))
    const part = [from, to, limit, offset]
    return { total, observations: list(db, `${inside} ORDER BY start_time_utc, id LIMIT ? OFFSET ?`, part) }
  }
  const [first, last] = numbers
  const total = Math.max(0, last - first + 1)
  const start = first + Math.min(offset, total)
  return { total, observations: list(db, 'id BETWEEN ? AND ? ORDER BY id LIMIT ?', [start, last, limit]) }
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

const GROUPS: Readonly<Record<Group, string>> = {
  team: 'team',
  target: 'target',
  spass_type: 'spass_type',
  year: 'substr(start_time_utc, 1, 4)',
  day: 'substr(start_time_utc, 1, 8)',
}

/** How many observations each group has, as JSON text: pairs by name. Of the whole plan that was counted at its making. */
export function counts(db: Database, group: Group, filter: Filter): string {
  const { sql, values } = where(filter)
  const kept = 'SELECT substr(name, 1, ?) AS name, sum(count) AS count FROM name WHERE kind = ?'
  const counted = `SELECT ${GROUPS[group]} AS name, count(*) AS count FROM observation ${sql}`
  const groups = `${sql === '' ? kept : counted} GROUP BY 1 ORDER BY 1`
  const pairs = `SELECT json_group_array(json_array(name, count)) FROM (${groups})`
  return String(db.value(pairs, sql === '' ? KEPT[group] : values))
}

/** How much of which kept name makes a group. */
const KEPT: Readonly<Record<Group, readonly [letters: number, kind: string]>> = {
  team: [1e6, 'team'],
  target: [1e6, 'target'],
  spass_type: [1e6, 'spass_type'],
  year: [4, 'day'],
  day: [8, 'day'],
}

/** The names of one kind, the most frequent first. */
export function names(db: Database, kind: 'team' | 'target' | 'spass_type'): readonly Name[] {
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
