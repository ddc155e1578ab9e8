import { BUCKETS, startOf } from './buckets.ts'
import type { Bucket } from './buckets.ts'
import type { Filter } from './observation.ts'
import type { Database } from './sqlite.ts'
import { toDate } from './time.ts'

/** By what observations are counted: a name, or the bucket of time their start lies in. */
export type Group = 'team' | 'target' | 'spass_type' | Bucket

/** Counts the observations of a database. */
export interface Counter {
  /** How many each group has, as JSON text: pairs by name, those of time by the first day of the bucket. */
  count(group: Group, filter: Filter): string
}

/** A column whose values are few: each stands once among the names, and the rows have its number. */
interface Column {
  readonly names: readonly string[]
  readonly codes: Uint32Array
}

interface Columns extends Record<Group, Column> {
  readonly starts: Float64Array
}

/** Count in memory: a plan does not change while it is open, and SQL would look up and group the same rows every time. */
export function createCounter(db: Database): Counter {
  let columns: Columns | undefined
  return {
    count(group, filter) {
      columns ??= readColumns(db)
      const { names } = columns[group]
      const pairs = Array.from(countEach(columns, group, filter), (count, code) => [names[code] ?? '', count] as const)
      const found = pairs.filter(([, count]) => count > 0)
      return JSON.stringify(found.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}

function countEach(columns: Columns, group: Group, { from, to, ...named }: Filter): Uint32Array {
  const { starts, team, target, spass_type } = columns
  const { names, codes } = columns[group]
  const earliest = from === undefined ? -Infinity : toNumber(from)
  const latest = to === undefined ? Infinity : toNumber(to)
  const isTeam = matching(team, named.team)
  const isTarget = matching(target, named.target)
  const isType = matching(spass_type, named.spass_type)
  const counts = new Uint32Array(names.length)
  for (let row = 0; row < starts.length; row++) {
    const start = starts[row] ?? 0
    if (start < earliest || start > latest || !isTeam(row) || !isTarget(row) || !isType(row)) continue
    const code = codes[row] ?? 0
    counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
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
const READ = ['start_time_utc', 'team', 'target', 'spass_type'].map(column => `json_group_array(${column})`).join(', ')

function readColumns(db: Database): Columns {
  const rows = Number(db.value('SELECT count(*) FROM observation'))
  const starts = new Float64Array(rows)
  const [team, target, spass_type, day] = [draft(rows), draft(rows), draft(rows), draft(rows)]
  for (let first = 0; first < rows; first += SLICE) {
    const text = db.value(`SELECT json_array(${READ}) FROM observation WHERE id BETWEEN ? AND ?`, [
      first + 1,
      first + SLICE,
    ])
    const [moments = [], teams = [], targets = [], types = []] = JSON.parse(String(text)) as string[][]
    for (const [i, moment] of moments.entries()) {
      starts[first + i] = toNumber(moment)
      day.set(first + i, moment.slice(0, 8))
      team.set(first + i, teams[i] ?? '')
      target.set(first + i, targets[i] ?? '')
      spass_type.set(first + i, types[i] ?? '')
    }
  }
  return { starts, team: team.column, target: target.column, spass_type: spass_type.column, ...buckets(day.column) }
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
