import { connect } from '@causeway/engine/testing'
import { expect, test } from 'vitest'
import { createBuilder } from '../../src/cassini/plan/builder.ts'
import { TARGETS, TEAMS } from '../../src/cassini/plan/facts.ts'
import { databases, writeWhole } from '../../src/cassini/plan/files.ts'
import { COLUMNS, SHOWN } from '../../src/cassini/plan/observation.ts'
import type { Filter, Observation } from '../../src/cassini/plan/observation.ts'
import { Random } from '../../src/cassini/plan/random.ts'
import { syntheticRows } from '../../src/cassini/plan/synthetic.ts'
import { toDate } from '../../src/cassini/plan/time.ts'
import { folder, list, numbered, plannedFrom, serve } from './fixture.ts'
import type { Listed } from './fixture.ts'

// Every tenth row: what is compared is the logic, and plain code takes long over all of them.
const sample = [...syntheticRows()].filter((_, i) => i % 10 === 0)
const rows = numbered(sample)
const SOURCE = 'generated, not the real mission plan'
const server = serve({ data: await plannedFrom(sample) })
const random = new Random(20_041_015)

const shown = (row: Observation): object => Object.fromEntries(SHOWN.map(key => [key, row[key]]))
const someRow = (): Observation => random.pick(rows)
const someTeam = (): string => random.pick([...Object.keys(TEAMS), 'NOBODY'])
const someTarget = (): string => random.pick([...Object.keys(TARGETS), 'Nothing'])

/** A row's start or a moment beside it, by day of year or by calendar, with or without the time: as an end, a day is whole. */
function someMoment(end: 'start' | 'end'): { said: string; meant: string } {
  const at = someRow().start_time_utc
  const meant = random.next(3) === 0 ? `${at.slice(0, 8)}T00:00:00` : at
  const isDate = meant.endsWith('T00:00:00') && random.next(2) === 0
  const said = random.next(2) === 0 ? meant : `${toDate(meant)}${meant.slice(8)}`
  if (!isDate) return { said, meant }
  return { said: said.split('T')[0] ?? '', meant: end === 'end' ? `${meant.slice(0, 8)}T23:59:59` : meant }
}

interface Case {
  readonly tool: string
  readonly args: object
  readonly found: readonly Observation[]
}

const known = new Map<string, readonly Observation[]>()

/** The rows of a team or on a target: looked for once, since the same names come again and again. */
function named(column: 'team' | 'target', name: string): readonly Observation[] {
  const found = known.get(column + name) ?? rows.filter(row => row[column] === name)
  known.set(column + name, found)
  return found
}

const cases: readonly (() => Case)[] = [
  () => {
    const team = someTeam()
    return { tool: 'query_observations_by_team', args: { team }, found: named('team', team) }
  },
  () => {
    const target = someTarget()
    return { tool: 'query_observations_by_target', args: { target }, found: named('target', target) }
  },
  () => {
    const [start, end] = [someMoment('start'), someMoment('end')]
    return {
      tool: 'query_observations_by_timerange',
      args: { start_time: start.said, end_time: end.said },
      found: rows.filter(row => row.start_time_utc >= start.meant && row.start_time_utc <= end.meant),
    }
  },
]

/** As text, since comparing large lists member by member takes long. */
const part = (found: readonly Observation[], limit: number, offset: number): string =>
  JSON.stringify({
    count: Math.max(0, Math.min(limit, found.length - offset)),
    total: found.length,
    observations: found.slice(offset, offset + limit).map(shown),
  })

const seconds = new Map<string, number>()
for (const { duration } of rows) {
  const [days = 0, hour = 0, minute = 0, second = 0] = duration.split(/[T:]/).map(Number)
  seconds.set(duration, ((days * 24 + hour) * 60 + minute) * 60 + second)
}
const secondsOf = (row: Observation): number => seconds.get(row.duration) ?? 0
const hours = (found: readonly Observation[]): number =>
  Math.round(found.reduce((sum, row) => sum + secondsOf(row), 0) / 36) / 100

test('300 random questions are answered as plain code answers them, paging included', async () => {
  for (let i = 0; i < 300; i++) {
    const { tool, args, found } = random.pick(cases)()
    const limit = 1 + random.next(random.next(10) === 0 ? 1000 : 120)
    const offset = random.next(3) === 0 ? 0 : random.next(found.length + 20)
    const { count, total, observations, ...rest } = await list(server, tool, { ...args, limit, offset })
    expect(JSON.stringify({ count, total, observations })).toBe(part(found, limit, offset))
    expect(rest).toMatchObject({ limit, offset, synthetic: true, total_hours: hours(found) })
  }
})

test('200 random ranges of a plan in no order are answered as plain code answers them', async () => {
  const mixed = Array.from({ length: 3000 }, (_, i): Observation => ({ ...someRow(), id: i + 1 }))
  const builder = await createBuilder()
  for (const row of mixed) builder.add(COLUMNS.map(column => row[column]))
  const data = folder()
  await writeWhole(databases(data).imported, builder.finish({ synthetic: false, source: 'imported' }).bytes)
  const imported = serve({ data })
  const inTime = mixed.toSorted((a, b) => a.start_time_utc.localeCompare(b.start_time_utc) || a.id - b.id)
  for (let i = 0; i < 200; i++) {
    const [start, end] = [someMoment('start'), someMoment('end')]
    const found = inTime.filter(row => row.start_time_utc >= start.meant && row.start_time_utc <= end.meant)
    const [limit, offset] = [1 + random.next(100), random.next(found.length + 5)]
    const args = { start_time: start.said, end_time: end.said, limit, offset }
    const { count, total, observations, total_hours } = await list(imported, 'query_observations_by_timerange', args)
    expect(JSON.stringify({ count, total, observations })).toBe(part(found, limit, offset))
    expect(total_hours).toBe(hours(found))
  }
})

test('pages are disjoint and together everything', async () => {
  const ids: number[] = []
  let page: Listed
  do {
    const args = { target: 'Enceladus', limit: 333, offset: ids.length }
    page = await list(server, 'query_observations_by_target', args)
    ids.push(...page.observations.map(({ id }) => id))
  } while (page.count > 0)
  expect(ids).toEqual(rows.filter(({ target }) => target === 'Enceladus').map(({ id }) => id))
})

test('100 random observations have the fields they were made with', async () => {
  const client = connect(server)
  for (let i = 0; i < 100; i++) {
    const row = someRow()
    expect(await client.call('get_observation_details', { id: row.id })).toEqual({
      ...row,
      synthetic: true,
      source: SOURCE,
    })
  }
})

/** The filter of a search or of statistics, in plain code. */
const passes = ({ team, target, spass_type, from = '', to = '9' }: Filter): ((row: Observation) => boolean) => {
  return row =>
    (team === undefined || row.team === team) &&
    (target === undefined || row.target === target) &&
    (spass_type === undefined || row.spass_type === spass_type) &&
    row.start_time_utc >= from &&
    row.start_time_utc <= to
}

const words = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? []

test('100 random searches find the rows that have the words', async () => {
  const texts = rows.map(row => new Set(words(`${row.title} ${row.description} ${row.request_name}`)))
  for (let i = 0; i < 100; i++) {
    const row = someRow()
    // Words with digits, which have no other forms.
    const numbers = words(`${row.request_name} ${row.description}`).filter(word => /\d/.test(word))
    const query = [random.pick(numbers), random.pick(numbers)].join(' ')
    const filter: Filter = random.pick([
      {},
      { team: row.team },
      { target: row.target },
      { from: row.start_time_utc },
      { team: row.team, to: row.start_time_utc },
    ])
    const isIn = passes(filter)
    const found = rows.filter((other, at) => words(query).every(word => texts[at]?.has(word)) && isIn(other))
    const answer = await list(server, 'search_observations', { query, ...filter, limit: 1000 })
    expect(answer).toMatchObject({ matched: 'all', total: found.length, count: Math.min(1000, found.length) })
    expect(answer.total_hours).toBe(hours(found))
    const ids = new Set(found.map(({ id }) => id))
    expect(answer.observations.filter(({ id }) => !ids.has(id))).toEqual([])
  }
})

test('50 random filters without a word list what plain code lists, in every order', async () => {
  const columns = { start_time_utc: 'start_time_utc', team: 'team', target: 'target', title: 'title' } as const
  const by: Readonly<Record<string, (row: Observation) => string | number>> = {
    ...Object.fromEntries(Object.values(columns).map(column => [column, (row: Observation) => row[column]])),
    duration: secondsOf,
  }
  for (let i = 0; i < 50; i++) {
    const [from, to] = [someRow().start_time_utc, someRow().start_time_utc].sort()
    const row = someRow()
    const filter: Filter = random.pick([
      { team: row.team, target: row.target },
      { target: row.target, from, to },
      { spass_type: row.spass_type, from },
      { team: row.team, to },
      { from, to },
    ])
    const [sort_by, keyOf] = random.pick(Object.entries(by))
    const order = random.pick(['asc', 'desc'])
    const sign = order === 'asc' ? 1 : -1
    const found = rows.filter(passes(filter)).sort((a, b) => {
      const [x, y] = [keyOf(a), keyOf(b)]
      return (x < y ? -sign : x > y ? sign : 0) || a.id - b.id
    })
    const [limit, offset] = [1 + random.next(100), random.next(found.length + 5)]
    const args = { ...filter, sort_by, order, limit, offset }
    const { count, total, observations, total_hours } = await list(server, 'search_observations', args)
    expect(JSON.stringify({ count, total, observations })).toBe(part(found, limit, offset))
    expect(total_hours).toBe(hours(found))
  }
})

const someFilter = (from: string | undefined, to: string | undefined): Filter =>
  random.pick([
    {},
    { team: someTeam() },
    { target: someTarget(), from },
    { spass_type: someRow().spass_type, to },
    { from, to },
  ])

const DAY_MS = 86_400_000

/** The calendar date of each row, worked out once. */
const dates = new Map<string, string>()
const dateOf = ({ start_time_utc }: Observation): string => {
  const day = start_time_utc.slice(0, 8)
  const date = dates.get(day) ?? toDate(day)
  dates.set(day, date)
  return date
}

test('100 random timelines count what plain code counts', async () => {
  const buckets: Readonly<Record<string, (date: string) => string>> = {
    day: date => date,
    // 5 January 1970 was a Monday.
    week: date =>
      new Date(Date.parse(date) - ((Date.parse(date) / DAY_MS + 3) % 7) * DAY_MS).toISOString().slice(0, 10),
    month: date => `${date.slice(0, 7)}-01`,
    year: date => `${date.slice(0, 4)}-01-01`,
  }
  for (let i = 0; i < 100; i++) {
    const [bucket, startOf] = random.pick(Object.entries(buckets))
    const first = random.next(rows.length - 900)
    const [from, to] = [rows[first], rows[first + random.next(900)]].map(row => row?.start_time_utc)
    const filter = bucket === 'day' ? { from, to } : someFilter(from, to)
    const counts: Record<string, number> = {}
    const found = rows.filter(passes(filter))
    for (const row of found) {
      const start = startOf(dateOf(row))
      counts[start] = (counts[start] ?? 0) + 1
    }
    const answer = (await connect(server).call('get_timeline', { bucket, ...filter })) as {
      total_hours: number
      buckets: { start: string; count: number }[]
    }
    expect(answer.total_hours).toBe(hours(found))
    const filled = answer.buckets.filter(({ count }) => count > 0).map(({ start, count }) => [start, count])
    expect(Object.fromEntries(filled)).toEqual(counts)
    const starts = answer.buckets.map(({ start }) => start)
    expect(starts).toEqual([...new Set(starts)].sort())
  }
})

test('100 random statistics count what plain code counts', async () => {
  const groups: Readonly<Record<string, (row: Observation) => string>> = {
    team: row => row.team,
    target: row => row.target,
    spass_type: row => row.spass_type,
    year: row => row.start_time_utc.slice(0, 4),
    month: row => dateOf(row).slice(0, 7),
  }
  for (let i = 0; i < 100; i++) {
    const [by, nameOf] = random.pick(Object.entries(groups))
    const [from, to] = [someRow().start_time_utc, someRow().start_time_utc].sort()
    const filter = someFilter(from, to)
    const counts: Record<string, number> = {}
    for (const name of rows.filter(passes(filter)).map(nameOf)) counts[name] = (counts[name] ?? 0) + 1
    const answer = (await connect(server).call('get_statistics', { group_by: by, ...filter })) as {
      total: number
      groups: { name: string; count: number }[]
    }
    expect(Object.fromEntries(answer.groups.map(({ name, count }) => [name, count]))).toEqual(counts)
    expect(answer.total).toBe(Object.values(counts).reduce((sum, n) => sum + n, 0))
  }
})
