import { APPS, APPS_CAPABILITY, VIEW_TYPE, createServer, resource, tool, versions, view } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Client } from '@causeway/engine/testing'
import { describe, expect, test } from 'vitest'

const chart = view(
  {
    uri: 'ui://demo/chart.html',
    name: 'chart',
    csp: { connectDomains: ['https://api.example.com'] },
    prefersBorder: true,
  },
  '<!doctype html><title>Chart</title>',
)
const UI = { csp: { connectDomains: ['https://api.example.com'] }, prefersBorder: true }

const forecast = (withView: boolean): ReturnType<typeof tool> =>
  tool({ name: 'forecast', description: 'Temperature', ...(withView && { view: chart }) }, () => 'warm')
const rows = tool({ name: 'forecast_rows', visibility: ['app'] }, () => ({ rows: [1, 2] }))

const server = (withViews = true, search: 'on' | 'off' = 'off'): Server => {
  const made = createServer({ name: 's', version: '1', log: () => {}, listing: { search } })
  made.add(
    forecast(withViews),
    resource({ uri: 'note://a', name: 'a' }, () => 'a'),
  )
  return withViews ? made.add(rows, chart) : made
}

const apps = (version: string, served = server()): Client =>
  connect(served, { version, capabilities: { extensions: APPS_CAPABILITY } })
const plain = (version: string, served = server(), extensions?: object): Client =>
  connect(served, { version, ...(extensions && { capabilities: { extensions } }) })

const declared = async (client: Client, version: string): Promise<unknown> => {
  const method = version >= '2026' ? 'server/discover' : 'initialize'
  const hello = {
    protocolVersion: version,
    capabilities: { extensions: APPS_CAPABILITY },
    clientInfo: { name: 'c', version: '1' },
  }
  const params = method === 'initialize' ? { params: hello } : undefined
  if (!params) return (await client.request(method)).capabilities
  const text = await client.raw(JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...params }))
  return (JSON.parse(text ?? '') as { result: { capabilities: unknown } }).result.capabilities
}

describe.each(versions)('views in %s', version => {
  test('a client that shows views sees them, their rules and the tools they call', async () => {
    const client = apps(version)
    const { tools } = (await client.request('tools/list')) as { tools: unknown[] }
    expect(tools).toMatchObject([
      { name: 'forecast', _meta: { ui: { resourceUri: 'ui://demo/chart.html' } } },
      { name: 'forecast_rows', _meta: { ui: { visibility: ['app'] } } },
    ])
    const { resources } = (await client.request('resources/list')) as { resources: unknown[] }
    expect(resources).toMatchObject([
      { uri: 'note://a' },
      { uri: 'ui://demo/chart.html', mimeType: VIEW_TYPE, _meta: { ui: UI } },
    ])
    expect(await client.request('resources/read', { uri: 'ui://demo/chart.html' })).toMatchObject({
      contents: [{ mimeType: VIEW_TYPE, text: expect.stringContaining('<title>Chart'), _meta: { ui: UI } }],
    })
    const rows = await client.call('forecast_rows')
    expect(typeof rows === 'string' ? JSON.parse(rows) : rows).toEqual({ rows: [1, 2] })
    expect(await declared(apps(version), version)).toMatchObject({ extensions: { [APPS]: {} } })
  })

  test.each([
    ['no extension', undefined],
    ['the extension without the type of views', { [APPS]: { mimeTypes: ['text/plain'] } }],
    ['the extension malformed', { [APPS]: { mimeTypes: 'text/html;profile=mcp-app' } }],
  ])('a client with %s gets exactly what it got without views', async (_, extensions) => {
    const ask = async (client: Client): Promise<unknown> => {
      const [tools, resources] = [await client.request('tools/list'), await client.request('resources/list')]
      const gone = await client.request('tools/call', { name: 'forecast_row' }).catch((error: Error) => error.message)
      const hidden = await client
        .request('tools/call', { name: 'forecast_rows' })
        .catch((error: Error) => error.message)
      const read = await client.request('resources/read', { uri: chart.uri }).catch((error: Error) => error.message)
      return [tools, resources, gone, hidden, read]
    }
    expect(await ask(plain(version, server(), extensions))).toEqual(
      await ask(plain(version, server(false), extensions)),
    )
  })
})

test('the extension is declared only to clients that declare it', async () => {
  const { capabilities } = await plain('2026-07-28').request('server/discover')
  expect(capabilities).not.toHaveProperty('extensions')
  expect(await declared(apps('2026-07-28', server(false)), '2026-07-28')).not.toHaveProperty('extensions')
})

test('a search finds no tool that is for views, and none is called through another tool', async () => {
  const client = apps('2026-07-28', server(true, 'on'))
  expect(await client.call('find_tools', { query: 'forecast rows' })).not.toContain('forecast_rows')
  await expect(client.call('describe_tool', { name: 'forecast_rows' })).rejects.toThrow(/no tool named/)
  await expect(client.call('call_tool', { name: 'forecast_rows', arguments: {} })).rejects.toThrow(/Unknown tool/)
  // What nobody can call from there is not suggested either.
  for (const name of ['forecast_rows', 'forecast_row'])
    await expect(client.call('call_tool', { name, arguments: {} })).rejects.not.toThrow(/mean[^?]*'forecast_rows'/)
  await expect(client.call('forecast_row')).rejects.not.toThrow(/mean[^?]*'forecast_rows'/)
  const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] }
  expect(tools.map(({ name }) => name)).toContain('forecast_rows')
})

test('pages that differ between clients are not shared', async () => {
  const made = createServer({ name: 's', version: '1', log: () => {}, cache: { ttlMs: 1000, cacheScope: 'public' } })
  made.add(forecast(true), chart)
  expect(await apps('2026-07-28', made).request('tools/list')).toMatchObject({ cacheScope: 'private' })
})

test.each([
  [{ uri: 'https://a/b' }, /must begin with ui:\/\//],
  [{ csp: { connectDomains: ["https://a.example; script-src 'unsafe-eval'"] } }, /takes a list of origins/],
  [{ csp: { connectDomains: 'https://a.example' } }, /takes a list of origins/],
  [{ csp: { connectDomain: [] } }, /Did you mean 'connectDomains'/],
  [{ permissions: ['cameras'] }, /Did you mean 'camera'/],
  [{ borders: true }, /there is no 'borders'/],
])('a malformed view is refused: %j', (wrong, message) => {
  expect(() => view({ uri: 'ui://a/b', name: 'a', ...wrong } as never, '')).toThrow(message)
})

test('a malformed reference to a view is refused', () => {
  const add = (spec: object) => () => server(false).add(tool({ name: 'x', ...spec }, () => ''))
  expect(add({ view: 'https://a/b' })).toThrow(/'view' takes what view\(\) made/)
  expect(add({ visibility: ['apps'] })).toThrow(/'visibility' must be/)
  expect(add({ visibility: [] })).toThrow(/'visibility' must be/)
  expect(() => view({ uri: 'ui://a/b', name: 'a' }, undefined as never)).toThrow(/needs its HTML/)
})
