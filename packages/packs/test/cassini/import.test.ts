import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '@causeway/engine/testing'
import { PlanError, dataFolder, importPlan, sourceOf } from '@causeway/packs/cassini'
import type { ImportOptions, Imported } from '@causeway/packs/cassini'
import { describe, expect, test } from 'vitest'
import { databases } from '../../src/cassini/plan/files.ts'
import { temporaryName } from '../../src/support/files/temporary.ts'
import { COLUMNS } from '../../src/cassini/plan/observation.ts'
import type { Fields } from '../../src/cassini/plan/observation.ts'
import { syntheticRows } from '../../src/cassini/plan/synthetic.ts'
import { call, folder, list, planned, serve } from './fixture.ts'

const HEADER = COLUMNS.join(',')
const FIRST =
  '2004-135T18:40:00,000T09:22:00,14-May-04,CAPS,Non-SPASS,Saturn,SURVEY,Magnetospheric survey,MAPS Survey,MAPS magnetospheric survey'
const SECOND =
  '2004-135T18:40:00,025T20:57:59,14-May-04,CDA,Non-SPASS,DustRAM direction,SURVEY,Magnetospheric survey,dust exploration - saturn,"Pointing, into the ""ram"""'
const THIRD = '2014-060T12:00:00,000T01:00:00,29-Feb-14,ISS,,Titan,CLOUD001,Clouds,Titan clouds,'

/** A file in a folder of its own. */
function csv(content: string | Uint8Array): { data: string; file: string } {
  const data = folder()
  const file = join(data, 'plan.csv')
  writeFileSync(file, content)
  return { data, file }
}

const load = async (
  content: string | Uint8Array,
  options: ImportOptions = {},
): Promise<Imported & { data: string }> => {
  const { data, file } = csv(content)
  return { ...(await importPlan(file, { data, ...options })), data }
}

const details = (data: string, id: number): Promise<unknown> =>
  connect(serve({ data })).call('get_observation_details', { id })

test('the plan is loaded as it is, and no longer synthetic', async () => {
  const { data, rows, bad, file, about } = await load([HEADER, FIRST, SECOND, THIRD, ''].join('\n'))
  expect(about).toEqual({
    synthetic: false,
    source: 'plan.csv',
    rows: 3,
    first: '2004-135T18:40:00',
    last: '2014-060T12:00:00',
    isPublicPlan: false,
  })
  expect({ rows, bad, file }).toEqual({ rows: 3, bad: [], file: join(data, 'cassini.db') })
  expect(await details(data, 2)).toEqual({
    id: 2,
    start_time_utc: '2004-135T18:40:00',
    duration: '025T20:57:59',
    date: '14-May-04',
    team: 'CDA',
    spass_type: 'Non-SPASS',
    target: 'DustRAM direction',
    request_name: 'SURVEY',
    library_definition: 'Magnetospheric survey',
    title: 'dust exploration - saturn',
    description: 'Pointing, into the "ram"',
    synthetic: false,
    source: 'plan.csv: 3 observations from 2004-135T18:40:00 to 2014-060T12:00:00, not the public master plan',
  })
  const server = serve({ data })
  expect(await list(server, 'query_observations_by_team', { team: 'ISS' })).toMatchObject({
    total: 1,
    synthetic: false,
  })
  expect(await list(server, 'search_observations', { query: 'clouds' })).toMatchObject({ total: 1, synthetic: false })
  const hello = await connect(server).request('server/discover')
  expect(hello.instructions).toContain('was imported')
  expect(hello.instructions).not.toContain('public')
  expect(hello.instructions).not.toContain('SYNTHETIC')
  expect(readdirSync(data).sort()).toEqual(['cassini.db', 'plan.csv'])
})

test('a result of imported data says first from which file, and errors have no mark', async () => {
  const { data } = await load([HEADER, FIRST, SECOND, THIRD].join('\n'))
  const client = connect(serve({ data }))
  const { content } = await call(client, 'list_teams')
  expect(content[0]?.text).toMatch(/^Imported data \(plan\.csv: 3 observations from 2004-135T18:40:00 to 2014-060T12/)
  const { content: missing } = await call(client, 'get_observation_details', { id: 4 })
  expect(missing[0]?.text).toMatch(/No observation found with ID: 4\. The plan has 1 to 3\.$/)
  expect((await call(client, 'list_teams', { tem: 1 })).content[0]?.text).toMatch(/^Invalid arguments/)
})

test('only rows with the known totals are called the public plan', async () => {
  const rows = [...syntheticRows()]
  const quoted = (row: Fields): string => row.map(field => `"${field.replaceAll('"', '""')}"`).join(',')
  const whole = [HEADER, ...rows.map(quoted)]
  const { about } = await load(whole.join('\n'))
  expect(about).toMatchObject({ rows: 61_873, isPublicPlan: true })
  expect(about && sourceOf(about)).toMatch(/^plan\.csv: 61,873 observations .*, the public master plan$/)
  expect((await load(whole.slice(0, -1).join('\n'))).about).toMatchObject({ rows: 61_872, isPublicPlan: false })
}, 120_000)

test('a mark at the start and mixed line ends are tolerated', async () => {
  const { rows, data } = await load(`\uFEFF${HEADER}\r\n${FIRST}\n${SECOND}\r${THIRD}\r\n\n\r\n`)
  expect(rows).toBe(3)
  expect(await details(data, 3)).toMatchObject({ team: 'ISS', date: '29-Feb-14', description: '' })
})

test('lines within quotes belong to their field', async () => {
  const { rows, data } = await load(`${HEADER}\n${THIRD}"two\r\nlines"\n${FIRST}\n`)
  expect(rows).toBe(2)
  expect(await details(data, 1)).toMatchObject({ description: 'two\nlines' })
})

test('text of old spreadsheets is read too, and every letter found again', async () => {
  const line = `${HEADER}\n${THIRD}caf\u00e9 \u2013 \u00fcber`
  const { data } = await load(Buffer.from(line.replace('\u2013', '-'), 'latin1'))
  expect(await details(data, 1)).toMatchObject({ description: 'caf\u00e9 - \u00fcber' })
  const utf8 = await load(line)
  expect(await details(utf8.data, 1)).toMatchObject({ description: 'caf\u00e9 \u2013 \u00fcber' })
  expect(await list(serve({ data: utf8.data }), 'search_observations', { query: 'cafe' })).toMatchObject({ total: 1 })
})

test('columns may stand in another order', async () => {
  const { data } = await load(
    `Team,${COLUMNS.filter(column => column !== 'team').join(',')}\nISS,${THIRD.replace('ISS,', '')}\n`,
  )
  expect(await details(data, 1)).toMatchObject({ team: 'ISS', target: 'Titan', title: 'Titan clouds' })
})

test('a plan in no order is searched within a time all the same', async () => {
  const rows = ['2009', '2005', '2007', '2005'].map(year => THIRD.replace('2014-060', `${year}-060`))
  const { data } = await load([HEADER, ...rows, FIRST].join('\n'))
  const found = (args: object) => list(serve({ data }), 'search_observations', { query: 'clouds', ...args })
  expect((await found({ from: '2005-060T12:00:00', to: '2007-365' })).observations.map(({ id }) => id)).toEqual([
    2, 3, 4,
  ])
  expect(await found({ from: '2010-001' })).toMatchObject({ total: 0 })
  expect(await found({ to: '2005-365', team: 'ISS' })).toMatchObject({ total: 2 })
  const range = { start_time: '2004-001', end_time: '2010-001' }
  const listed = await list(serve({ data }), 'query_observations_by_timerange', range)
  expect(listed.observations.map(({ id }) => id)).toEqual([5, 2, 4, 3, 1])
})

describe('bad rows', () => {
  const BAD: readonly [string, string][] = [
    [THIRD.replace('2014-060', '2014-366'), 'start_time_utc names day 366, but 2014 has the days 001 to 365'],
    [THIRD.replace('2014-060', '2014-000'), 'start_time_utc names day 000'],
    [THIRD.replace('T12:00:00', 'T25:00:00'), 'start_time_utc names a time of day beyond 23:59:59'],
    [THIRD.replace('2014-060T12:00:00', '2014-03-01'), 'start_time_utc must be YYYY-DDDTHH:MM:SS'],
    [THIRD.replace('000T01:00:00', '1h'), "duration must be DDDTHH:MM:SS, got '1h'"],
    [THIRD.replace('000T01:00:00', '000T24:00:00'), 'duration must be'],
    [THIRD.replace('29-Feb-14', '2014-02-29'), 'date must be D-Mon-YY'],
    [THIRD.replace('ISS', ' '), 'team must not be empty'],
    [THIRD.replace('Titan,', ','), 'target must not be empty'],
    [`${THIRD},more`, '11 fields instead of 10'],
    ['2014-060T12:00:00,000T01:00:00', '2 fields instead of 10'],
    [`${THIRD}"x"y`, 'a quote stands where none may be'],
  ]

  test('are told with their lines, and nothing is written', async () => {
    const { data, file, bad } = await load([HEADER, FIRST, ...BAD.map(([row]) => row), SECOND].join('\n'))
    expect(file).toBeUndefined()
    expect(bad.map(({ line }) => line)).toEqual(BAD.map((_, i) => i + 3))
    expect(bad.map(({ problem }, i) => problem.includes(BAD[i]?.[1] ?? '?') || problem)).toEqual(BAD.map(() => true))
    expect(existsSync(join(data, 'cassini.db'))).toBe(false)
  })

  test('are left out when asked for', async () => {
    const content = [HEADER, FIRST, ...BAD.map(([row]) => row), SECOND].join('\n')
    const { data, rows, bad } = await load(content, { lenient: true })
    expect([rows, bad.length]).toEqual([2, BAD.length])
    expect(await details(data, 2)).toMatchObject({ team: 'CDA' })
  })

  test('have the line they begin on, whatever stands before', async () => {
    const { bad } = await load(`${HEADER}\r\n\r\n${THIRD}"a\r\nb\nc"\r\n\rnonsense\n`)
    expect(bad).toEqual([{ line: 7, problem: '1 fields instead of 10' }])
  })

  test('an open quote does not take the lines after it along', async () => {
    const content = `${HEADER}\n${FIRST}\n${THIRD}"never closed\n${FIRST}\nnonsense\n${FIRST}\n`
    const { bad, rows } = await load(content, { lenient: true })
    expect(rows).toBe(3)
    expect(bad).toEqual([
      { line: 3, problem: 'a quote is opened and never closed' },
      { line: 5, problem: '1 fields instead of 10' },
    ])
  })
})

test.each([
  ['', 'The file is empty'],
  [`${HEADER}\n`, 'no observation'],
  [`${FIRST}\n${SECOND}`, 'The first line must be the header'],
  [HEADER.replace(',team', ''), 'team missing'],
  [`${HEADER},extra`, '11 columns instead of 10'],
])('a file that is no plan is refused: %j', async (content, why) => {
  const refused = load(content)
  await expect(refused).rejects.toThrow(why)
  await expect(refused).rejects.toBeInstanceOf(PlanError)
})

test('a file that is not there is said to be so', async () => {
  await expect(importPlan(join(folder(), 'none.csv'), {})).rejects.toThrow('ENOENT')
})

test('progress rises from reading to writing', async () => {
  const seen: [number, string][] = []
  const many = Array.from({ length: 2000 }, () => FIRST).join('\n')
  await load(`${HEADER}\n${many}`, { onProgress: (done, doing) => seen.push([done, doing]) })
  const figures = seen.map(([done]) => done)
  expect(figures.length).toBeGreaterThan(20)
  expect(figures).toEqual(figures.toSorted((a, b) => a - b))
  expect([...new Set(seen.map(([, doing]) => doing))]).toEqual(['reading', 'indexing', 'writing'])
})

test('a server that runs takes up a new plan', async () => {
  const data = await planned()
  const { file } = csv(`${HEADER}\n${FIRST}\n`)
  const server = serve({ data })
  expect(await list(server, 'query_observations_by_team', { team: 'CAPS' })).toMatchObject({ synthetic: true })
  await importPlan(file, { data })
  expect(await list(server, 'query_observations_by_team', { team: 'CAPS' })).toMatchObject({
    total: 1,
    synthetic: false,
  })
  writeFileSync(file, `${HEADER}\n${FIRST}\n${FIRST}\n`)
  await importPlan(file, { data })
  expect(await list(server, 'query_observations_by_team', { team: 'CAPS' })).toMatchObject({ total: 2 })
})

test('a damaged import is told, not papered over', async () => {
  const { data, file } = await load(`${HEADER}\n${FIRST}\n`)
  const bytes = readFileSync(file ?? '')
  writeFileSync(file ?? '', bytes.subarray(0, bytes.length - 1))
  const { isError, content } = await call(connect(serve({ data })), 'list_teams')
  expect(isError).toBe(true)
  expect(content[0]?.text).toContain('is damaged or of another version. Import it again with: causeway cassini import')
})

test('a damaged or old synthetic plan is made anew', async () => {
  const data = folder()
  const { synthetic } = databases(data)
  writeFileSync(synthetic, 'SQLite format 3\0 but nothing more')
  expect(await list(serve({ data }), 'query_observations_by_team', { team: 'ISS' })).toMatchObject({ total: 8989 })
  expect(readFileSync(synthetic).length).toBeGreaterThan(1_000_000)
  expect(readdirSync(data)).toHaveLength(1)
}, 120_000)

test('damage anywhere in a plan is noticed: one that was made up is made anew, one that was imported is told', async () => {
  const spoil = (file: string): void => {
    const bytes = readFileSync(file)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    writeFileSync(file, bytes)
  }
  const data = await planned()
  const { synthetic } = databases(data)
  const whole = readFileSync(synthetic)
  spoil(synthetic)
  expect(await list(serve({ data }), 'list_teams', {})).toMatchObject({ count: 14 })
  expect(readFileSync(synthetic).equals(whole)).toBe(true)
  const { data: other, file = '' } = await load(`${HEADER}\n${FIRST}\n`)
  spoil(file)
  const { content } = await call(connect(serve({ data: other })), 'list_teams')
  expect(content[0]?.text).toContain('is damaged')
}, 120_000)

test('what a killed import left is removed by the next one', async () => {
  const { data } = await load(`${HEADER}\n${FIRST}\n`)
  const name = temporaryName()
  const left = name.replace(`-${process.pid}-`, `-${deadPid()}-`)
  for (const file of [name, left]) writeFileSync(join(data, file), 'x')
  await importPlan(csv(`${HEADER}\n${FIRST}\n`).file, { data })
  expect(readdirSync(data).toSorted()).toEqual([name, 'cassini.db', 'plan.csv'].toSorted())
})

/** The number of a process that is gone. */
const deadPid = (): number => spawnSync(process.execPath, ['-e', '']).pid

test('a folder that cannot be written is no hindrance', async () => {
  const { file } = csv('a file where a folder should be')
  expect(await list(serve({ data: join(file, 'in', 'it') }), 'list_teams', {})).toMatchObject({ count: 14 })
}, 120_000)

test("the data folder is the platform's", () => {
  expect(dataFolder({ XDG_DATA_HOME: '/x' }, 'linux')).toBe(join('/x', 'causeway'))
  expect(dataFolder({}, 'linux')).toMatch(/\.local[\\/]share[\\/]causeway$/)
  expect(dataFolder({}, 'darwin')).toMatch(/Library[\\/]Application Support[\\/]causeway$/)
  expect(dataFolder({ LOCALAPPDATA: 'C:\\x' }, 'win32')).toContain('causeway')
})
