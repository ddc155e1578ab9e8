import { versions } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { RpcError } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import { FLYBYS, TARGETS, TEAMS } from '../../src/cassini/plan/facts.ts'
import { call, list, planned, serve } from './fixture.ts'

const data = await planned()
const server = serve({ data })
// What preset `cassini` does with errors.
const dialect = {
  errors: { 'unknown-tool': -32001, 'invalid-arguments': -32602, 'tool-failed': -32002, timeout: -32002 },
}

/** The revisions whose results carry data beside blocks. */
const structured = new Set(versions.filter(version => version >= '2025-06-18'))

/** The first thing a client of the stateful era says, as the document has it. */
const initialize = async (version: string): Promise<Record<string, unknown>> => {
  const clientInfo = { name: 'client-name', version: '1.0.0' }
  const params = { protocolVersion: version, capabilities: {}, clientInfo }
  const answer = await connect(server).raw(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }))
  const { result } = JSON.parse(answer ?? '') as { result: Record<string, unknown> }
  expect(result.protocolVersion).toBe(version)
  return result
}

const failure = async (name: string, args: object): Promise<RpcError> => {
  const refused = await connect(serve({ data }, dialect))
    .request('tools/call', { name, arguments: { ...args } })
    .then(result => new Error(`answered with ${JSON.stringify(result)}`))
    .catch((error: unknown) => error)
  return refused as RpcError
}

const said = async (name: string, args: object): Promise<string> => {
  const { content, isError } = await call(connect(server), name, args)
  expect(isError).toBe(true)
  expect(content).toHaveLength(1)
  return content[0]?.text ?? ''
}

test('the tools are those of the document and those beyond it', async () => {
  const { tools } = (await connect(server).request('tools/list')) as {
    tools: { name: string; inputSchema: { required: string[] }; annotations: object }[]
  }
  expect(tools.map(({ name, inputSchema }) => [name, inputSchema.required])).toEqual([
    ['query_observations_by_team', ['team']],
    ['query_observations_by_target', ['target']],
    ['query_observations_by_timerange', ['start_time', 'end_time']],
    ['get_observation_details', ['id']],
    ['search_observations', []],
    ['get_statistics', ['group_by']],
    ['get_timeline', ['bucket']],
    ['list_teams', []],
    ['list_targets', []],
  ])
  expect(tools.every(({ annotations }) => 'readOnlyHint' in annotations)).toBe(true)
})

describe.each(versions)('in %s', version => {
  const client = connect(server, { version })

  test('the handshake says that the data is made up', async () => {
    const hello = version === versions[0] ? await client.request('server/discover') : await initialize(version)
    expect(hello.instructions).toContain('THE CASSINI DATA IS SYNTHETIC')
    expect(JSON.stringify(hello)).toContain('"name":"cassini-mcp-server","version":"1.0.0"')
  })

  const calls: readonly [string, object, string][] = [
    ['query_observations_by_team', { team: 'ISS', limit: 10 }, 'cassini://observations/team/ISS'],
    ['query_observations_by_team', { team: 'NASA' }, 'cassini://observations/team/NASA'],
    [
      'query_observations_by_target',
      { target: 'DustRAM direction', limit: 1 },
      'cassini://observations/target/DustRAM%20direction',
    ],
    [
      'query_observations_by_timerange',
      { start_time: '2005-068', end_time: '2005-03-10' },
      'cassini://observations/timerange?start=2005-068T00:00:00&end=2005-069T23:59:59',
    ],
    ['get_observation_details', { id: 1 }, 'cassini://observations/1'],
    ['search_observations', { query: 'plume', limit: 3 }, 'cassini://observations/search?query=plume'],
    ['get_statistics', { group_by: 'team' }, 'cassini://statistics/team'],
    ['get_timeline', { bucket: 'year' }, 'cassini://timeline/year'],
    ['list_teams', {}, 'cassini://teams'],
    ['list_targets', {}, 'cassini://targets'],
  ]
  test.each(calls)('%s %j is a text block and a resource block', async (name, args, uri) => {
    const result = await call(client, name, args)
    expect(result.isError).not.toBe(true)
    expect(result.content.map(({ type }) => type)).toEqual(['text', 'resource'])
    const [words, block] = result.content
    expect(words?.text).toMatch(/^SYNTHETIC DATA: generated, not the real mission plan\. \S/)
    expect(words?.text?.length).toBeLessThan(400)
    expect(block?.resource).toMatchObject({ uri, mimeType: 'application/json' })
    expect(block?.resource?.text).toMatch(/^\{"synthetic":true,"source":"generated, not the real mission plan",/)
    const value = JSON.parse(block?.resource?.text ?? '') as object
    expect(result.structuredContent).toEqual(structured.has(version) ? value : undefined)
  })

  test('an unknown number is a success in words, the mark first', async () => {
    const { content, isError } = await call(client, 'get_observation_details', { id: 61_874 })
    expect(isError).not.toBe(true)
    expect(content).toEqual([
      {
        type: 'text',
        text: 'SYNTHETIC DATA: generated, not the real mission plan. No observation found with ID: 61874. The plan has 1 to 61873.',
      },
    ])
  })

  test('an error has the mark first', async () => {
    const { content, isError } = await call(client, 'query_observations_by_team', { tem: 'ISS' })
    expect(isError).toBe(true)
    expect(content[0]?.text).toMatch(
      /^SYNTHETIC DATA: generated, not the real mission plan\. Invalid arguments for tool 'query_observations_by_team'/,
    )
  })
})

test('a protocol error has the mark in its words and first in its data', async () => {
  const { code, message, data } = await failure('query_observations_by_team', {})
  expect(code).toBe(-32602)
  expect(message).toMatch(/^SYNTHETIC DATA: .* Missing required parameter 'team'/)
  expect(Object.entries(data as object)[0]).toEqual(['synthetic', true])
})

test('a listing has the members of the document', async () => {
  const listed = await list(server, 'query_observations_by_team', { team: 'ISS', limit: 2 })
  const { next, ...members } = listed as typeof listed & { next?: number }
  expect(next).toBe(2)
  expect(Object.keys(members)).toEqual(
    'synthetic source count total total_hours offset limit team observations'.split(' '),
  )
  expect(listed).toMatchObject({ count: 2, total: 8989, offset: 0, limit: 2, team: 'ISS' })
  expect(Object.keys(listed.observations[0] ?? {})).toEqual(
    'id start_time_utc duration date team spass_type target request_name title'.split(' '),
  )
  const whole = await connect(server).call('get_observation_details', { id: 61_873 })
  expect(Object.keys(whole as object).sort()).toEqual(
    'date description duration id library_definition request_name source spass_type start_time_utc synthetic target team title'.split(
      ' ',
    ),
  )
})

test('without a limit there are 100', async () => {
  const listed = await list(server, 'query_observations_by_target', { target: 'Titan' })
  expect(listed).toMatchObject({ count: 100, total: 9503, offset: 0, limit: 100 })
})

test.each([0, -1, 1001, 5000])('a limit of %i is refused with the range', async limit => {
  for (const [name, args] of [
    ['query_observations_by_team', { team: 'ISS' }],
    ['query_observations_by_target', { target: 'Titan' }],
    ['query_observations_by_timerange', { start_time: '2005-001', end_time: '2005-002' }],
    ['search_observations', { query: 'plume' }],
  ] as const) {
    expect(await said(name, { ...args, limit })).toContain(`Parameter 'limit' must be between 1 and 1000, got ${limit}`)
    expect(await failure(name, { ...args, limit })).toMatchObject({
      code: -32602,
      message: expect.stringContaining('between 1 and 1000') as string,
    })
  }
})

test.each(['1', 1.5, null, 1e300])('a limit of %j is refused', async limit => {
  expect(await said('query_observations_by_team', { team: 'ISS', limit })).toContain("Parameter 'limit'")
})

test('offsets beyond the end give nothing but the total', async () => {
  const listed = await list(server, 'query_observations_by_team', { team: 'PROBE', offset: 12 })
  expect(listed).toMatchObject({ count: 0, total: 12, observations: [] })
  const far = await list(server, 'query_observations_by_team', { team: 'PROBE', offset: Number.MAX_SAFE_INTEGER })
  expect(far).toMatchObject({ count: 0, total: 12 })
  expect(await said('query_observations_by_team', { team: 'PROBE', offset: -1 })).toContain("Parameter 'offset'")
})

test.each([
  ['team', 'ISSS', ['ISS']],
  ['team', 'CIRSS', ['CIRS']],
  ['target', 'Enceledus', ['Enceladus']],
  ['target', 'dust', ['DustRAM direction']],
])('the unknown %s %s is answered with the nearest names', async (kind, name, expected) => {
  const listed = await list(server, `query_observations_by_${kind}`, { [kind]: name })
  expect(listed).toMatchObject({ count: 0, total: 0, observations: [], synthetic: true })
  expect(listed.suggestions).toEqual(expect.arrayContaining(expected))
  expect(listed.message).toContain(`There is no ${kind} '${name}'`)
  expect(listed.message).toContain(expected[0])
})

test.each([
  ['team', 'ISS', 'ISS', undefined],
  ['team', 'iss', 'ISS', undefined],
  ['team', 'imaging', 'ISS', "The team 'imaging' was read as 'ISS'."],
  ['team', 'Composite Infrared Spectrometer', 'CIRS', expect.stringContaining("read as 'CIRS'") as string],
  ['team', 'huygens', 'PROBE', expect.stringContaining("read as 'PROBE'") as string],
  ['target', 'titan', 'Titan', undefined],
  ['target', 'TITAN', 'Titan', undefined],
  ['target', 'rings', 'rings(general)', expect.stringContaining("read as 'rings(general)'") as string],
  ['target', 'Ring A', 'RingA', undefined],
  ['target', 'a ring', 'RingA', expect.stringContaining("read as 'RingA'") as string],
  ['target', 'solar wind', 'SolarWind', undefined],
  ['target', 'dustram direction', 'DustRAM direction', undefined],
])('the %s %s is read as %s', async (kind, name, meant, message) => {
  const listed = await list(server, `query_observations_by_${kind}`, { [kind]: name, limit: 1 })
  const { total } = await list(server, `query_observations_by_${kind}`, { [kind]: meant, limit: 1 })
  expect(listed).toMatchObject({ count: 1, total, [kind]: meant })
  expect(listed.message).toEqual(message)
  expect(await list(server, 'search_observations', { [kind]: name })).toMatchObject({ total })
  const grouped = await connect(server).call('get_statistics', { group_by: 'year', [kind]: name })
  expect(grouped).toMatchObject({ total })
})

test('SPASS types are names too', async () => {
  const prime = await list(server, 'search_observations', { spass_type: 'Prime' })
  expect(prime.total).toBeGreaterThan(1000)
  for (const spass_type of ['prime', 'PRIME']) {
    expect(await list(server, 'search_observations', { spass_type })).toMatchObject({ total: prime.total })
  }
  expect((await list(server, 'search_observations', { spass_type: '' })).total).toBeGreaterThan(1000)
  expect(await list(server, 'search_observations', { spass_type: 'Secondary' })).toMatchObject({
    total: 0,
    message: expect.stringContaining("There is no spass_type 'Secondary'") as string,
  })
})

test('a name that is near none is answered with where to look', async () => {
  const team = await list(server, 'query_observations_by_team', { team: 'x'.repeat(5000) })
  expect(team.suggestions).toEqual([])
  for (const name of Object.keys(TEAMS)) expect(team.message).toContain(name)
  expect(team.message?.length).toBeLessThan(400)
  const target = await list(server, 'query_observations_by_target', { target: 'qqqq' })
  expect(target.message).toContain('list_targets')
})

test('names are only ever parameters', async () => {
  for (const name of ["ISS' OR '1'='1", '"; DROP TABLE observation; --', '%', '_SS', 'ISS\u0000']) {
    expect(await list(server, 'query_observations_by_team', { team: name })).toMatchObject({ total: 0 })
    expect(await list(server, 'query_observations_by_target', { target: name })).toMatchObject({ total: 0 })
    expect(await list(server, 'search_observations', { query: 'plume', team: name })).toMatchObject({ total: 0 })
    expect(await connect(server).call('get_statistics', { group_by: 'team', target: name })).toMatchObject({ total: 0 })
  }
  expect(await list(server, 'query_observations_by_team', { team: 'ISS' })).toMatchObject({ total: 8989 })
})

describe('time', () => {
  const total = async (start_time: string, end_time: string): Promise<number> =>
    (await list(server, 'query_observations_by_timerange', { start_time, end_time })).total

  test('day of year and calendar find the same', async () => {
    const found = await total('2005-068', '2005-070T12:00:00')
    expect(found).toBeGreaterThan(57)
    expect(await total('2005-03-09', '2005-03-11T12:00:00')).toBe(found)
    expect(await total('2005-03-09T00:00:00Z', '2005-070T12:00')).toBe(found)
    expect(await total('2004-366', '2005-001')).toBe(await total('2004-12-31', '2005-01-01'))
  })

  test('both ends are included', async () => {
    expect(await total('2004-135T18:40:00', '2004-135T18:40:00')).toBe(2)
    expect(await total('2004-135T18:39:59', '2004-135T18:40:00')).toBe(2)
    expect(await total('2004-135T18:40:01', '2004-135T18:40:01')).toBe(0)
    expect(await total('2004-135T18:40:00.5', '2004-135T18:40:30')).toBe(0)
    expect(await total('2004-001', '2018-001')).toBe(61_873)
  })

  test('an end without a time is the whole day', async () => {
    const day = await total('2005-03-09', '2005-03-09')
    expect(day).toBe(await total('2005-068T00:00:00', '2005-068T23:59:59'))
    expect(day).toBeGreaterThan(57)
    expect(await list(server, 'search_observations', { from: '2005-068', to: '2005-068' })).toMatchObject({
      total: day,
    })
    const counted = await connect(server).call('get_statistics', { group_by: 'team', from: '2005-068', to: '2005-068' })
    expect(counted).toMatchObject({ total: day })
  })

  test.each([
    [
      '2030-001',
      '2031-001',
      /^The range begins after the mission ends\. .* from 2004-135T18:40:00 to 2017-258T10:30:00/,
    ],
    ['1999-001', '2000-001', /^The range ends before the mission begins\./],
    [
      '2004-135T18:40:01',
      '2004-135T18:40:02',
      /^No observation starts within the range: the last one before it at 2004-135T18:40:00, the first one after it at 2004-/,
    ],
  ])('the empty range %s to %s says why', async (start_time, end_time, why) => {
    const listed = await list(server, 'query_observations_by_timerange', { start_time, end_time })
    expect(listed).toMatchObject({ total: 0, message: expect.stringMatching(why) as string })
  })

  test('so do an empty search and empty statistics', async () => {
    const outside = { from: '2030-001', message: expect.stringContaining('after the mission ends') as string }
    const { from, message } = outside
    expect(await list(server, 'search_observations', { query: 'plume', from })).toMatchObject({ total: 0, message })
    expect(await list(server, 'search_observations', { team: 'ISS', from })).toMatchObject({ total: 0, message })
    expect(await connect(server).call('get_statistics', { group_by: 'team', from })).toMatchObject({ message })
    expect(await connect(server).call('get_timeline', { bucket: 'year', from, to: '2031-001' })).toMatchObject({
      message,
    })
    const inside = { query: 'plume', team: 'PROBE', from: '2010-001', to: '2010-002' }
    expect((await list(server, 'search_observations', inside)).message).toContain('Nothing of that starts within')
  })

  test('a range that ends before it begins is empty, and said to be', async () => {
    const args = { start_time: '2006-001', end_time: '2005-001' }
    const listed = await list(server, 'query_observations_by_timerange', args)
    expect(listed).toMatchObject({ count: 0, total: 0, message: 'The range ends before it begins.' })
  })

  test('impossible days are refused, all at once', async () => {
    const args = { start_time: '2005-366', end_time: '2005-02-30' }
    const words = await said('query_observations_by_timerange', args)
    expect(words).toContain("Parameter 'start_time' names day 366, but 2005 has the days 001 to 365, got '2005-366'.")
    expect(words).toContain("Parameter 'end_time' names day 30, but February 2005 has the days 01 to 28")
    expect(await failure('query_observations_by_timerange', args)).toMatchObject({ code: -32602 })
    for (const [name, more] of [
      ['search_observations', { query: 'plume' }],
      ['get_statistics', { group_by: 'team' }],
      ['get_timeline', { bucket: 'year' }],
    ] as const) {
      expect(await said(name, { ...more, from: '2005-000', to: 'soon' })).toMatch(
        /'from' names day 000[^]*'to' must be/,
      )
    }
  })
})

describe('search', () => {
  const search = (args: object) => list(server, 'search_observations', args)

  test('the best match comes first', async () => {
    const { observations, total, matched } = await search({ query: 'Enceladus targeted flyby', limit: 30 })
    expect(matched).toBe('all')
    expect(total).toBeGreaterThan(FLYBYS.length)
    expect(observations.slice(0, FLYBYS.length).every(({ title }) => title === 'Enceladus targeted flyby')).toBe(true)
  })

  test('words are found in any form', async () => {
    expect((await search({ query: 'flyby' })).total).toBe((await search({ query: 'FLYBYS' })).total)
  })

  test('it can be narrowed by team, target and time', async () => {
    const all = await search({ query: 'plume', limit: 1000 })
    const args = { query: 'plume', team: 'CDA', target: 'Enceladus', from: '2008-001', to: '2009-001' }
    const some = await search({ ...args, limit: 1000 })
    expect(some.total).toBeGreaterThan(0)
    expect(some.total).toBeLessThan(all.total)
    for (const { team, target, start_time_utc } of some.observations) {
      expect([team, target, start_time_utc.slice(0, 4)]).toEqual(['CDA', 'Enceladus', '2008'])
    }
    for (const outside of [{ from: '2018-001' }, { to: '2004-001' }, { from: '2006-001', to: '2005-001' }]) {
      expect(await search({ query: 'plume', ...outside })).toMatchObject({ total: 0, observations: [] })
    }
    expect(await search({ query: 'plume', team: 'cdaa' })).toMatchObject({ total: 0, suggestions: ['CDA'] })
  })

  test('if nothing has all the words, some are enough', async () => {
    const found = await search({ query: 'Enceladus zebra' })
    expect(found.matched).toBe('any')
    expect(found.total).toBe((await search({ query: 'enceladus' })).total)
    expect(await search({ query: 'zebra' })).toMatchObject({ total: 0, matched: 'all' })
  })

  test('large results have the words in the title first, and pages that fit together', async () => {
    const first = await search({ query: 'polar', limit: 1000 })
    expect(first.total).toBeGreaterThan(5000)
    const pages = await Promise.all([0, 400, 800].map(offset => search({ query: 'polar', limit: 400, offset })))
    const ids = pages.flatMap(page => page.observations.map(({ id }) => id)).slice(0, 1000)
    expect(ids).toEqual(first.observations.map(({ id }) => id))
    expect(new Set(ids).size).toBe(1000)
  })

  test('a filter without a word is a query like any other', async () => {
    const both = await search({ team: 'ISS', target: 'Titan' })
    expect(both.total).toBeGreaterThan(100)
    expect(both).toMatchObject({ count: 100, query: '', matched: 'all' })
    expect(both.observations.every(({ team, target }) => team === 'ISS' && target === 'Titan')).toBe(true)
    expect(await search({ query: ' ', team: 'ISS' })).toMatchObject({ total: 8989 })
    expect(await search({})).toMatchObject({ total: 61_873 })
    const { total } = await search({ query: 'plume', target: 'Enceladus' })
    expect(await search({ query: '-plume', target: 'Enceladus' })).toMatchObject({ total: 1626 - total })
  })

  test('what is found can be sorted', async () => {
    for (const args of [{ query: 'plume' }, { query: '-plume' }, { target: 'Enceladus' }, { from: '2010-001' }]) {
      const { observations } = await search({ ...args, sort_by: 'duration', order: 'desc', limit: 200 })
      const durations = observations.map(({ duration }) => duration)
      expect(durations).toEqual(durations.toSorted().toReversed())
      const latest = await search({ ...args, order: 'desc', limit: 200 })
      const starts = latest.observations.map(({ start_time_utc }) => start_time_utc)
      expect(starts).toEqual(starts.toSorted().toReversed())
      expect(latest.total).toBe((await search(args)).total)
    }
    expect(await said('search_observations', { sort_by: 'length' })).toContain('start_time_utc, duration, team')
  })

  test('what cannot be looked for is refused', async () => {
    expect(await said('search_observations', { query: '&&' })).toContain('no word to look for. Leave it out')
    expect(await said('search_observations', { query: 'x'.repeat(501) })).toContain("Parameter 'query'")
    for (const query of ['a AND', 'NEAR(', '"unclosed', 'x:y', '^^', "'", '(((', 'rings -', '*']) {
      const { isError, content } = await call(connect(server), 'search_observations', { query })
      expect(isError ? content[0]?.text : 'found').toMatch(/^found$|no word to look for/)
    }
  })
})

describe('statistics', () => {
  const groups = async (args: object): Promise<Record<string, number>> => {
    const answer = (await connect(server).call('get_statistics', { ...args })) as {
      groups: { name: string; count: number }[]
    }
    return Object.fromEntries(answer.groups.map(({ name, count }) => [name, count]))
  }

  test('by team, target and type', async () => {
    expect(await groups({ group_by: 'team' })).toEqual(TEAMS)
    expect(await groups({ group_by: 'target' })).toEqual(TARGETS)
    expect(Object.keys(await groups({ group_by: 'spass_type' }))).toHaveLength(5)
    expect(
      await groups({ group_by: 'team', target: 'Enceladus', from: '2005-03-09', to: '2005-03-09T23:59:59' }),
    ).toEqual({
      CIRS: 14,
      UVIS: 12,
      VIMS: 12,
      ISS: 7,
      CDA: 3,
      INMS: 3,
      MAG: 2,
      RADAR: 1,
      RPWS: 1,
      MIMI: 1,
      CAPS: 1,
    })
  })

  test('hours are added up, and groups can be sorted by them', async () => {
    const ask = async (args: object) =>
      (await connect(server).call('get_statistics', { group_by: 'team', ...args })) as {
        total_hours: number
        groups: { name: string; count: number; hours: number }[]
      }
    const { groups: byHours, total_hours } = await ask({ sort_by: 'hours' })
    expect(byHours.map(({ hours }) => hours)).toEqual(byHours.map(({ hours }) => hours).toSorted((a, b) => b - a))
    expect(byHours.reduce((sum, { hours }) => sum + hours, 0)).toBeCloseTo(total_hours, 0)
    expect((await ask({ sort_by: 'name', order: 'desc' })).groups[0]?.name).toBe('VIMS')
    expect((await ask({ order: 'asc' })).groups[0]?.name).toBe('PROBE')
    const { teams } = (await connect(server).call('list_teams')) as { teams: { name: string; hours: number }[] }
    expect(teams.find(({ name }) => name === 'ISS')?.hours).toBe(byHours.find(({ name }) => name === 'ISS')?.hours)
  })

  test('by year and month, in order', async () => {
    const years = Object.keys(await groups({ group_by: 'year' }))
    expect(years).toEqual(Array.from({ length: 14 }, (_, i) => String(2004 + i)))
    const months = await groups({ group_by: 'month', from: '2005-001', to: '2005-365T23:59:59' })
    expect(Object.keys(months)).toHaveLength(12)
    expect(Object.keys(months)[0]).toBe('2005-01')
    const all = Object.values(months).reduce((sum, n) => sum + n, 0)
    expect(all).toBe((await groups({ group_by: 'year' }))['2005'])
  })

  test('other groups are refused with those there are', async () => {
    expect(await said('get_statistics', { group_by: 'moon' })).toContain('team, target, spass_type, year, month')
    expect(await said('get_statistics', { group_by: 'years' })).toContain("Did you mean 'year'?")
  })
})

describe('timeline', () => {
  const buckets = async (args: object): Promise<{ start: string; count: number }[]> =>
    ((await connect(server).call('get_timeline', { ...args })) as { buckets: { start: string; count: number }[] })
      .buckets

  test('empty buckets are there too', async () => {
    const days = await buckets({ bucket: 'day', team: 'PROBE', from: '2004-12-20', to: '2005-01-20' })
    expect(days).toHaveLength(32)
    expect(days[0]).toEqual({ start: '2004-12-20', count: 0, hours: 0 })
    expect(days.at(-1)).toEqual({ start: '2005-01-20', count: 0, hours: 0 })
    expect(days.reduce((sum, { count }) => sum + count, 0)).toBe(12)
  })

  test('weeks begin on Monday, months and years on their first day', async () => {
    const range = { from: '2005-03-09', to: '2005-04-05' }
    expect((await buckets({ bucket: 'week', ...range })).map(({ start }) => start)).toEqual([
      '2005-03-07',
      '2005-03-14',
      '2005-03-21',
      '2005-03-28',
      '2005-04-04',
    ])
    expect((await buckets({ bucket: 'month', ...range })).map(({ start }) => start)).toEqual([
      '2005-03-01',
      '2005-04-01',
    ])
    expect((await buckets({ bucket: 'year' })).map(({ start }) => start)[13]).toBe('2017-01-01')
  })

  test('all buckets together are all observations', async () => {
    for (const bucket of ['week', 'month', 'year']) {
      const all = await buckets({ bucket, target: 'Titan' })
      expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(9503)
    }
  })

  test('too many buckets are refused', async () => {
    expect(await said('get_timeline', { bucket: 'day' })).toContain('more than 1000 buckets')
    expect(await said('get_timeline', { bucket: 'day', from: '0001-001', to: '9999-365' })).toContain('more than 1000')
  })

  test('where there is nothing there are no buckets', async () => {
    expect(await connect(server).call('get_timeline', { bucket: 'year', team: 'NASA' })).toMatchObject({
      count: 0,
      total: 0,
      buckets: [],
      message: expect.stringContaining("There is no team 'NASA'") as string,
    })
  })
})

test('errors have the codes of the document in its dialect', async () => {
  expect(await failure('query_observations_by_moon', {})).toMatchObject({ code: -32001 })
  expect(await failure('query_observations_by_team', {})).toMatchObject({
    code: -32602,
    message: expect.stringContaining("Missing required parameter 'team'") as string,
  })
  for (const id of [0, -1, 'x', 1.5, undefined]) {
    expect(await failure('get_observation_details', { id })).toMatchObject({ code: -32602 })
  }
  expect(await failure('query_observations_by_team', { team: 'ISS', tem: 1 })).toMatchObject({
    code: -32602,
    data: { problems: [{ hint: "Did you mean 'team'?" }] },
  })
})

describe('resources', () => {
  const read = async (uri: string): Promise<Record<string, unknown>> => {
    const { contents } = (await connect(server).request('resources/read', { uri })) as {
      contents: { uri: string; mimeType: string; text: string }[]
    }
    expect(contents).toMatchObject([{ uri, mimeType: 'application/json' }])
    return JSON.parse(contents[0]?.text ?? '') as Record<string, unknown>
  }

  test('teams, targets and observations can be read', async () => {
    expect(await read('cassini://teams')).toMatchObject({ count: 14, total: 61_873, synthetic: true })
    expect(await read('cassini://targets')).toMatchObject({ count: 46, total: 61_873, synthetic: true })
    expect(await read('cassini://observations/1')).toEqual(
      await connect(server).call('get_observation_details', { id: 1 }),
    )
  })

  test('so can the lists whose URIs results carry', async () => {
    expect(await read('cassini://observations/team/PROBE')).toMatchObject({ count: 12, total: 12, team: 'PROBE' })
    expect(await read('cassini://observations/target/rings(general)?limit=3&offset=5')).toMatchObject({
      count: 3,
      offset: 5,
      total: 5808,
    })
    const range = 'cassini://observations/timerange?start=2004-135T18:40:00&end=2004-135T18:40:00'
    expect(await read(range)).toMatchObject({ count: 2, total: 2 })
  })

  test.each([
    'cassini://observations/0',
    'cassini://observations/61874',
    'cassini://observations/x',
    'cassini://observations/1e3',
    'cassini://observations/team/NASA',
    'cassini://observations/team/ISS?limit=1001',
    'cassini://observations/team/ISS?offset=-1',
    'cassini://observations/timerange?start=2005-366&end=2006-001',
    'cassini://observations/timerange',
    'cassini://moons',
  ])('%s is not found', async uri => {
    await expect(connect(server).request('resources/read', { uri })).rejects.toThrow('Resource not found')
  })

  test('they are listed', async () => {
    const client = connect(server)
    const { resources } = (await client.request('resources/list')) as { resources: { uri: string }[] }
    expect(resources.map(({ uri }) => uri)).toEqual(['cassini://teams', 'cassini://targets'])
    const { resourceTemplates } = (await client.request('resources/templates/list')) as {
      resourceTemplates: { uriTemplate: string }[]
    }
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('cassini://observations/{id}')
  })
})

describe('completion', () => {
  const complete = async (ref: object, name: string, value: string, context?: object): Promise<string[]> => {
    const { completion } = (await connect(server).request('completion/complete', {
      ref,
      argument: { name, value },
      ...(context && { context }),
    })) as { completion: { values: string[] } }
    return completion.values
  }
  const template = (uri: string) => ({ type: 'ref/resource', uri })
  const prompt = (name: string) => ({ type: 'ref/prompt', name })

  test('of numbers', async () => {
    const ids = template('cassini://observations/{id}')
    expect(await complete(ids, 'id', '6187')).toEqual(['6187', '61870', '61871', '61872', '61873'])
    expect(await complete(ids, 'id', '')).toHaveLength(100)
    for (const typed of ['0', 'x', '61874', '999999999999999999999'])
      expect(await complete(ids, 'id', typed)).toEqual([])
  })

  test('of names', async () => {
    const teams = template('cassini://observations/team/{team}{?limit,offset}')
    expect(await complete(teams, 'team', 'r')).toEqual(['RPWS', 'RADAR', 'RSS'])
    expect(await complete(prompt('mission-summary'), 'target', 'ring')).toContain('rings(general)')
  })

  test('of dates, where the flybys are known', async () => {
    const report = prompt('plan-a-flyby-report')
    const enceladus = { arguments: { target: 'Enceladus' } }
    expect(await complete(report, 'date', '2005', enceladus)).toEqual(['2005-02-17', '2005-03-09', '2005-07-14'])
    expect(await complete(report, 'date', '', { arguments: { target: 'Titan' } })).toEqual([])
  })
})

describe('prompts', () => {
  const get = async (name: string, args: object): Promise<string> => {
    const { messages } = (await connect(server).request('prompts/get', { name, arguments: { ...args } })) as {
      messages: { role: string; content: { text?: string } }[]
    }
    expect(messages.every(({ role }) => role === 'user')).toBe(true)
    return messages.map(({ content }) => content.text ?? '').join('\n')
  }

  test('a summary brings the numbers with it', async () => {
    const words = await get('mission-summary', { team: 'ISS', audience: 'pupils' })
    expect(words).toContain('61873 observations')
    expect(words).toContain('team "ISS"')
    expect(words).toContain('for pupils')
    expect(words).toMatch(/^SYNTHETIC DATA/)
  })

  test('a report knows its day', async () => {
    const words = await get('plan-a-flyby-report', { target: 'Enceladus', date: '2005-03-09' })
    expect(words).toContain('from 2005-068T00:00:00 to 2005-068T23:59:59')
    expect(words).toMatch(/^SYNTHETIC DATA/)
    expect(await get('plan-a-flyby-report', { target: 'Rhea' })).toContain('Ask me which one')
    await expect(get('plan-a-flyby-report', { target: 'Rhea', date: '2005-366' })).rejects.toThrow('001 to 365')
    await expect(get('plan-a-flyby-report', {})).rejects.toThrow("Missing required argument 'target'")
  })
})
