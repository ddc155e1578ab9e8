import { TOOLSET_META, createServer, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Info } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import { describe, expect, test } from 'vitest'
import { scenario } from '../support/scenario.ts'
import { TOOLSETS, namesIn, someTools } from './tools.ts'

const ALL = ['read_file', 'file_size', 'delete_file', 'tell_region', 'slow_walk']
const SEARCH = ['find_tools', 'describe_tool', 'call_tool']
const listed = async (client: Client, wanted?: unknown): Promise<unknown[]> =>
  namesIn(await client.request('tools/list', wanted === undefined ? {} : { _meta: { [TOOLSET_META]: wanted } }))

describe('served and listed', () => {
  test('without a listing, everything is listed and there is nothing to search with', async () => {
    expect(await listed(connect(someTools()))).toEqual(ALL)
    await expect(connect(someTools()).call('find_tools', { query: 'file' })).rejects.toThrow('Unknown tool')
  })

  test('what is not among the listed toolsets is found by search and called by its name', async () => {
    const client = connect(someTools({ toolsets: TOOLSETS, listed: ['files', 'slow_walk'] }))
    expect(await listed(client)).toEqual(['read_file', 'file_size', 'slow_walk', ...SEARCH])
    expect(await client.call('tell_region', { region: 'here' })).toBe('here')
    expect(await client.call('find_tools', { query: 'which region is it' })).toContain('tell_region(region?: string)')
  })

  test('what belongs to no toolset is listed', async () => {
    const server = someTools({ toolsets: TOOLSETS, listed: ['files'] }).add(tool({ name: 'extra' }, () => 'extra'))
    expect(await listed(connect(server))).toEqual(['read_file', 'file_size', 'extra', ...SEARCH])
  })

  test('where all is listed, there is nothing to search for', async () => {
    expect(await listed(connect(someTools({ toolsets: TOOLSETS })))).toEqual(ALL)
  })

  test('search off: what is not listed is still called by its name', async () => {
    const client = connect(someTools({ toolsets: TOOLSETS, listed: ['files'], search: 'off' }))
    expect(await listed(client)).toEqual(['read_file', 'file_size'])
    expect(await client.call('tell_region')).toBe('none')
    await expect(client.call('call_tool', { name: 'tell_region' })).rejects.toThrow('Unknown tool')
  })

  test('search on: only what is pinned, by its name or its toolset, and the tools to search with', async () => {
    expect(await listed(connect(someTools({ search: 'on' })))).toEqual(SEARCH)
    const pinned = someTools({ toolsets: TOOLSETS, search: 'on', pinned: ['files', 'slow_walk'] })
    expect(await listed(connect(pinned))).toEqual(['read_file', 'file_size', 'slow_walk', ...SEARCH])
  })

  test('auto: search takes over where the list would cost more than the threshold, and the log says so', async () => {
    const logged: unknown[] = []
    const log = (_: string, message: string, details?: object): unknown => logged.push([message, details])
    const server = someTools({ threshold: 100, pinned: ['read_file'] }, { log: log as never })
    expect(await listed(connect(server))).toEqual(['read_file', ...SEARCH])
    expect(logged).toContainEqual([expect.stringContaining('search takes over'), { tools: 5, threshold: 100 }])
    expect(await listed(connect(someTools({ threshold: 10_000 })))).toEqual(ALL)
  })

  test('a list follows what is added and taken away', async () => {
    const server = someTools({ threshold: 700 })
    const client = connect(server)
    expect(await listed(client)).toEqual(ALL)
    for (let i = 0; i < 30; i++) server.add(tool({ name: `more_${i}`, description: 'One more of many.' }, () => ''))
    expect(await listed(client)).toEqual(SEARCH)
    for (let i = 0; i < 30; i++) server.remove('tool', `more_${i}`)
    expect(await listed(client)).toEqual(ALL)
  })

  test('output schemas can be left out of lists: results are structured all the same', async () => {
    const client = connect(someTools({ outputSchemas: false, toolsets: TOOLSETS, listed: ['files'] }))
    const { tools } = (await client.request('tools/list')) as { tools: Info[] }
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([])
    expect(await client.call('file_size', { path: 'four' })).toEqual({ bytes: 4 })
    const { outputSchema } = JSON.parse((await client.call('describe_tool', { name: 'file_size' })) as string) as Info
    expect(outputSchema).toMatchObject({ properties: { bytes: { type: 'integer' } } })
  })

  test('where nothing writes, the tool that calls others says so', async () => {
    const hints = async (
      server = createServer({ name: 's', version: '1', listing: { search: 'on' } }),
    ): Promise<unknown> => {
      const { tools } = (await connect(server.add(tool({ name: 'a', readOnly: true }, () => ''))).request(
        'tools/list',
      )) as {
        tools: Info[]
      }
      return tools.find(({ name }) => name === 'call_tool')?.annotations
    }
    expect(await hints()).toEqual({ readOnlyHint: true })
    expect(await hints(someTools({ search: 'on' }))).toEqual({ readOnlyHint: false, destructiveHint: true })
  })
})

const narrow = { server: () => someTools({ toolsets: TOOLSETS, listed: ['files'], outputSchemas: false }) }
scenario('a request may name what it wants listed, with whole definitions', narrow, async peer => {
  const asked = (wanted: unknown): Promise<Info> => peer.result('tools/list', { _meta: { [TOOLSET_META]: wanted } })
  expect(namesIn(await peer.result('tools/list'))).toEqual(['read_file', 'file_size', ...SEARCH])
  expect(namesIn(await asked('all'))).toEqual([...SEARCH, ...ALL])
  expect(namesIn(await asked(['rest', 'read_file']))).toEqual(['read_file', 'delete_file', 'tell_region', 'slow_walk'])
  const { tools } = (await asked('file_size')) as { tools: Info[] }
  expect(tools).toHaveLength(1)
  const wrong = await peer.error('tools/list', { _meta: { [TOOLSET_META]: ['read_flie'] } })
  expect(wrong.message).toContain("names 'read_flie', which is neither a toolset nor a tool. Did you mean 'read_file'?")
  expect((await peer.error('tools/list', { _meta: { [TOOLSET_META]: 5 } })).message).toContain(
    'must be "all" or an array',
  )
})

describe("the user's servers", () => {
  const ofServers = (threshold: number): Client => {
    const listing = {
      toolsets: TOOLSETS,
      pinned: ['read_file'],
      threshold,
      serverOf: (name: string) => /^(.+)__/.exec(name)?.[1],
    }
    const many = Array.from({ length: 30 }, (_, i) =>
      tool({ name: `large__t${i}`, description: 'x'.repeat(100) }, () => ''),
    )
    const few = ['one', 'two'].map(name => tool({ name: `small__${name}`, description: 'A tool.' }, () => ''))
    return connect(someTools(listing).add(...many, ...few))
  }

  test('are named by find_tools, and small ones stay listed before what is pinned (N H11)', async () => {
    const { tools } = (await ofServers(1200).request('tools/list')) as { tools: readonly Info[] }
    expect(tools.map(({ name }) => name)).toEqual(['small__one', 'small__two', 'read_file', ...SEARCH])
    expect(tools.find(({ name }) => name === 'find_tools')?.description).toMatch(
      / Servers: large \(30\), small \(2\)\.$/,
    )
  })

  test('are not named where all is listed', async () => {
    const { tools } = (await ofServers(100_000).request('tools/list')) as { tools: readonly Info[] }
    expect(tools).toHaveLength(37)
  })
})
