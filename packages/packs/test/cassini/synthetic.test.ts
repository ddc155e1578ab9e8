import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { FIRST_FLYBY, FLYBYS, MISSION, TARGETS, TEAMS } from '../../src/cassini/plan/facts.ts'
import { FORMAT } from '../../src/cassini/plan/files.ts'
import type { Observation } from '../../src/cassini/plan/observation.ts'
import { syntheticRows } from '../../src/cassini/plan/synthetic.ts'
import { readMoment, toPlanDate } from '../../src/cassini/plan/time.ts'
import { numbered } from './fixture.ts'

const rows = numbered(syntheticRows())
const tally = (values: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

test('there are as many rows as in the plan, by target and by team', () => {
  expect(rows).toHaveLength(61_873)
  expect(tally(rows.map(row => row.target))).toEqual(TARGETS)
  expect(Object.keys(TARGETS)).toHaveLength(46)
  expect(tally(rows.map(row => row.team))).toEqual(TEAMS)
  expect(TEAMS).toMatchObject({ CIRS: 11_969, UVIS: 9208, ISS: 8989, VIMS: 6376, INMS: 4747, CAPS: 3361 })
  expect(Object.keys(TEAMS).sort().join(' ')).toBe('CAPS CDA CIRS INMS ISS MAG MIMI MP PROBE RADAR RPWS RSS UVIS VIMS')
})

test('the five kinds of SPASS all occur', () => {
  expect(new Set(rows.map(row => row.spass_type))).toEqual(
    new Set(['', 'Prime', 'Non-SPASS', 'SPASS Note', 'SPASS Rider']),
  )
})

test('the rows lie within the mission, in the order of time, in the forms of the plan', () => {
  expect(rows[0]?.start_time_utc).toBe('2004-135T18:40:00')
  expect(rows.at(-1)?.start_time_utc).toBe(MISSION.end)
  expect(MISSION.end.slice(0, 8)).toBe('2017-258')
  const isRight = ({ start_time_utc: start, duration, date, id }: Observation): boolean =>
    start >= (rows[id - 2]?.start_time_utc ?? '') &&
    'moment' in readMoment(start) &&
    /^\d{3}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(duration) &&
    date === toPlanDate(start)
  expect(rows.filter(row => !isRight(row))).toEqual([])
})

test('the two rows whose words are known come first', () => {
  expect(rows[0]).toEqual({
    id: 1,
    start_time_utc: '2004-135T18:40:00',
    duration: '000T09:22:00',
    date: '14-May-04',
    team: 'CAPS',
    spass_type: 'Non-SPASS',
    target: 'Saturn',
    request_name: 'SURVEY',
    library_definition: 'Magnetospheric survey',
    title: 'MAPS Survey',
    description: 'MAPS magnetospheric survey',
  })
  expect(rows[1]).toMatchObject({ duration: '025T20:57:59', team: 'CDA', title: 'dust exploration - saturn' })
})

test('the flybys of Enceladus are at their dates', () => {
  const titled = rows.filter(row => row.title === 'Enceladus targeted flyby').map(row => row.start_time_utc.slice(0, 8))
  expect(new Set(titled)).toEqual(new Set(FLYBYS))
  const on = (day: string): typeof rows =>
    rows.filter(row => row.target === 'Enceladus' && row.start_time_utc.startsWith(day))
  expect(tally(on('2005-068').map(row => row.team))).toEqual(FIRST_FLYBY)
  expect(on('2005-068')).toHaveLength(57)
  expect(on('2005-048')).toHaveLength(44)
  for (const day of FLYBYS) expect(on(day).length).toBeGreaterThan(20)
})

test('the rows are the same every time and everywhere', () => {
  const hash = createHash('sha256')
  for (const row of rows) hash.update(JSON.stringify(row))
  const again = createHash('sha256')
  for (const row of numbered(syntheticRows())) again.update(JSON.stringify(row))
  const digest = hash.digest('hex')
  expect(again.digest('hex')).toBe(digest)
  // Rows that differ need another FORMAT, or old files would be taken for new ones.
  expect([FORMAT, digest.slice(0, 16)]).toEqual([2, 'c14afd4516648c96'])
})
