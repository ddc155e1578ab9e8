import { BUCKETS, startOf } from './buckets.ts'
import type { Bucket } from './buckets.ts'
import type { Filter } from '../plan/observation.ts'
import type { Database } from './sqlite.ts'
import { toDate } from '../plan/time.ts'

/** By what observations are counted: a name, or the bucket of time their start lies in. */
export type Group = 'team' | 'target' | 'spass_type' | Bucket

/** Counts the observations of a database. */
export interface Counter {
  /** How many each group has and how many seconds they take, as JSON text, by name; those of time by the first day of the bucket. */
  count(group: Group, filter: Filter): string
}

/** A column whose values are few: each stands once among the names, and the rows have its number. */
interface Column {
  readonly names: readonly string[]
  readonly codes: Uint32Array
}

interface Columns extends Record<Group, Column> {
  readonly starts: Float64Array
  readonly seconds: Float64Array
}

/** Count in memory: a plan does not change while it is open, and SQL would look up and group the same rows every time. */
export function createCounter(db: Database): Counter {
  let columns: Columns | undefined
  return {
    count(group, filter) {
      columns ??= readColumns(db)
      const { names } = columns[group]
      const { counts, seconds } = countEach(columns, group, filter)
      const groups = Array.from(counts, (count, code) => [names[code] ?? '', count, seconds[code] ?? 0] as const)
      const found = groups.filter(([, count]) => count > 0)
      return JSON.stringify(found.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}

interface Counts {
  readonly counts: Uint32Array
  readonly seconds: Float64Array
}

function countEach(columns: Columns, group: Group, filter: Filter): Counts {
  const { names, codes } = columns[group]
  const isMeant = matchingAll(columns, filter)
  const counts = new Uint32Array(names.length)
  const seconds = new Float64Array(names.length)
  for (let row = 0; row < codes.length; row++) {
    if (!isMeant(row)) continue
    const code = codes[row] ?? 0
    counts[code] = (counts[code] ?? 0) + 1
    seconds[code] = (seconds[code] ?? 0) + (columns.seconds[row] ?? 0)
  }
  return { counts, seconds }
}

function matchingAll({ starts, ...columns }: Columns, { from, to, ...named }: Filter): (row: number) => boolean {
  const earliest = from === undefined ? -Infinity : toNumber(from)
  const latest = to === undefined ? Infinity : toNumber(to)
  const isTeam = matching(columns.team, named.team)
  const isTarget = matching(columns.target, named.target)
  const isType = matching(columns.spass_type, named.spass_type)
  return row => {
    const start = starts[row] ?? 0
    return start >= earliest && start <= latest && isTeam(row) && isTarget(row) && isType(row)
  }
}

/** Whether a row has a name, if one is asked for. */
function matching({ names, codes }: Column, name: string | undefined): (row: number) => boolean {
  if (name === undefined) return () => true
  const wanted = names.indexOf(name)
  return row => codes[row] === wanted
}

/** A moment as a number of the same order: 2005-068T14:00:00 is 2005068140000. */
const toNumber = (moment: string): number =>
  Number(moment.slice(0, 4) + moment.slice(5, 8) + moment.slice(9, 11) + moment.slice(12, 14) + moment.slice(15))

/** How many rows are read at once: as one text, since each value by itself takes long to cross from SQLite. */
const SLICE = 50_000
const READ = ['start_time_utc', 'seconds', 'team', 'target', 'spass_type']
  .map(column => `json_group_array(${column})`)
  .join(', ')

type Slice = readonly [starts: string[], seconds: number[], teams: string[], targets: string[], types: string[]]

function readColumns(db: Database): Columns {
  const rows = Number(db.value('SELECT count(*) FROM observation'))
  const starts = new Float64Array(rows)
  const seconds = new Float64Array(rows)
  const [team, target, spass_type, day] = [draft(rows), draft(rows), draft(rows), draft(rows)]
  for (let first = 0; first < rows; first += SLICE) {
    const text = db.value(`SELECT json_array(${READ}) FROM observation WHERE id BETWEEN ? AND ?`, [
      first + 1,
      first + SLICE,
    ])
    const [moments, durations, teams, targets, types] = JSON.parse(String(text)) as Slice
    seconds.set(durations, first)
    for (const [i, moment] of moments.entries()) {
      starts[first + i] = toNumber(moment)
      day.set(first + i, moment.slice(0, 8))
      team.set(first + i, teams[i] ?? '')
      target.set(first + i, targets[i] ?? '')
      spass_type.set(first + i, types[i] ?? '')
    }
  }
  const names = { team: team.column, target: target.column, spass_type: spass_type.column }
  return { starts, seconds, ...names, ...buckets(day.column) }
}

interface Draft {
  readonly column: Column
  set(row: number, name: string): void
}

function draft(rows: number): Draft {
  const names: string[] = []
  const known = new Map<string, number>()
  const codes = new Uint32Array(rows)
  return {
    column: { names, codes },
    set(row, name) {
      const code = known.get(name) ?? names.push(name) - 1
      known.set(name, code)
      codes[row] = code
    },
  }
}

/** Buckets of every length, from the days of the year the rows start on. */
function buckets({ names, codes }: Column): Record<Bucket, Column> {
  const dates = names.map(toDate)
  const inBuckets = (bucket: Bucket): Column => {
    const starts = dates.map(date => startOf(date, bucket))
    const distinct = [...new Set(starts)]
    const places = new Map(distinct.map((start, code) => [start, code]))
    const codeOf = starts.map(start => places.get(start) ?? 0)
    return { names: distinct, codes: codes.map(code => codeOf[code] ?? 0) }
  }
  return Object.fromEntries(BUCKETS.map(bucket => [bucket, inBuckets(bucket)])) as Record<Bucket, Column>
}
