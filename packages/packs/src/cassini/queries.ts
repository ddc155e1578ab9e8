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

/** Part of the observations a filter lets through, in the order of the plan or of time. */
export function page(db: Database, filter: Filter, order: 'plan' | 'time', { limit, offset }: Part): Page {
  const { sql, values } = where(filter)
  const by = order === 'plan' ? 'id' : 'start_time_utc, id'
  const part = `SELECT ${SHOWN.join(', ')} FROM observation ${sql} ORDER BY ${by} LIMIT ? OFFSET ?`
  return {
    total: Number(db.value(`SELECT count(*) FROM observation ${sql}`, values)),
    observations: String(db.value(`SELECT json_group_array(${LISTED}) FROM (${part})`, [...values, limit, offset])),
  }
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
