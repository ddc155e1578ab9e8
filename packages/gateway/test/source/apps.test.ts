import { APPS, APPS_CAPABILITY, createServer, tool, view } from '@causeway/engine'
import { memoryTransport } from '@causeway/engine/client'
import { connect } from '@causeway/engine/testing'
import type { Client } from '@causeway/engine/testing'
import type { Feature, Server } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import { gatewayTo } from '../support/world.ts'

const SHOWS = { capabilities: { extensions: APPS_CAPABILITY } }

/** Two servers, both with a view and a tool for it under the same names. */
function weather(place: string): Server {
  const page = view({ uri: 'ui://weather/main.html', name: 'main' }, `<title>${place}</title>`)
  return createServer({ name: place, version: '1', log: false }).add(
    page,
    tool({ name: 'forecast', view: page, description: 'Forecast', _meta: { 'a/b': 1 } }, () => `warm in ${place}`),
    tool({ name: 'rows', visibility: ['app'] }, () => `rows of ${place}`),
    tool({ name: 'plain' }, () => `plain in ${place}`),
    tool({ name: 'for_model', visibility: ['model'] }, () => place),
    tool({ name: `only_${place}`, visibility: ['app'] }, () => `only ${place}`),
  )
}

async function behind(revision: string, own: readonly Feature[] = []): Promise<Server> {
  const servers: Record<string, Server> = { oslo: weather('oslo'), 'my rome': weather('rome') }
  const reach = ({ name }: { name: string }): { open: () => ReturnType<typeof memoryTransport> } => ({
    open: () => memoryTransport(servers[name] as Server),
  })
  const entry = { command: 'in-memory', revision }
  const { server, gateway } = await gatewayTo({ oslo: entry, 'my rome': entry }, { reach }, own)
  for (const upstream of gateway.servers.values()) await upstream.refresh()
  return server
}

const read = async (client: Client, server: string): Promise<string> => {
  const uri = `ui://upstream/${server}/weather/main.html`
  const { contents } = (await client.request('resources/read', { uri })) as {
    contents: { uri: string; text: string }[]
  }
  expect(contents[0]?.uri).toBe(uri)
  return contents[0]?.text ?? ''
}

interface Listed {
  readonly tools: readonly { name: string; _meta?: object }[]
  readonly resources: readonly { uri: string }[]
}

describe.each(['2025-11-25', '2026-07-28'])('views of servers that speak %s', revision => {
  test.each(['2025-11-25', '2026-07-28'])('two with one URI are told apart, for clients of %s', async version => {
    const client = connect(await behind(revision), { version, ...SHOWS })
    const { tools } = (await client.request('tools/list')) as unknown as Listed
    const forecast = tools.filter(({ name }) => name.endsWith('__forecast'))
    expect(forecast).toMatchObject([
      { _meta: { 'a/b': 1, ui: { resourceUri: 'ui://upstream/oslo/weather/main.html' } } },
      { _meta: { ui: { resourceUri: 'ui://upstream/my%20rome/weather/main.html' } } },
    ])
    expect(tools.find(({ name }) => name === 'oslo__rows')?._meta).toEqual({ ui: { visibility: ['app'] } })
    expect(await read(client, 'oslo')).toContain('oslo')
    expect(await read(client, 'my%20rome')).toContain('rome')
    const { resources } = (await client.request('resources/list')) as unknown as Listed
    expect(resources.map(({ uri }) => uri)).toEqual([
      'ui://upstream/oslo/weather/main.html',
      'ui://upstream/my%20rome/weather/main.html',
    ])
  })

  test.each(['2025-11-25', '2026-07-28'])('a client of %s that shows none sees nothing of them', async version => {
    const client = connect(await behind(revision), { version })
    const { tools } = (await client.request('tools/list')) as unknown as Listed
    expect(tools.map(({ name }) => name.replace('my_rome', 'oslo')).slice(0, 3)).toEqual([
      'oslo__forecast',
      'oslo__plain',
      'oslo__for_model',
    ])
    expect(JSON.stringify(tools)).not.toContain('ui')
    await expect(client.call('oslo__rows')).rejects.toThrow(/Unknown tool/)
    await expect(read(client, 'oslo')).rejects.toThrow(/not found/)
    // Names without a prefix are for views.
    await expect(client.call('only_oslo')).rejects.toThrow(/Unknown tool/)
  })
})

describe('a call that comes from a view', () => {
  const opened = async (own: readonly Feature[] = []): Promise<Client> =>
    connect(await behind('2026-07-28', own), { version: '2025-11-25', ...SHOWS })

  test('goes to the only server that has the name', async () => {
    expect(await (await opened()).call('only_rome')).toBe('only rome')
  })

  test('goes to the server whose view the session has read', async () => {
    const client = await opened()
    await read(client, 'my%20rome')
    expect(await client.call('rows')).toBe('rows of rome')
  })

  test('names the choices where neither says which', async () => {
    const client = await opened()
    await expect(client.call('rows')).rejects.toThrow(/Several servers have .*'oslo__rows', 'my_rome__rows'/)
    await read(client, 'oslo')
    await read(client, 'my%20rome')
    await expect(client.call('rows')).rejects.toThrow(/Several servers/)
  })

  test('takes no name from a tool of our own, and reaches no tool that is for the model alone', async () => {
    const client = await opened([tool({ name: 'rows' }, () => 'our own')])
    await read(client, 'oslo')
    expect(await client.call('rows')).toBe('our own')
    await expect(client.call('for_model')).rejects.toThrow(/Unknown tool/)
  })

  test('is seen by policies under the name that the tool has here', async () => {
    const names: unknown[] = []
    const server = await behind('2026-07-28')
    server.use((call, next) => {
      if (call.method === 'tools/call') names.push(call.params.name)
      return next(call)
    })
    await connect(server, SHOWS).call('only_oslo')
    expect(names).toEqual(['oslo__only_oslo'])
  })

  test('the extension is declared where a server has views, to clients that declare it', async () => {
    const server = await behind('2025-11-25')
    expect(await connect(server, SHOWS).request('server/discover')).toMatchObject({
      capabilities: { extensions: { [APPS]: {} } },
    })
    const { capabilities } = await connect(server).request('server/discover')
    expect(capabilities).not.toHaveProperty('extensions')
  })
})
