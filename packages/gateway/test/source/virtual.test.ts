import { createServer, prompt, resource, tool, versions } from '@causeway/engine'
import type { Params, Server, View } from '@causeway/engine'
import { RemoteServer, httpTransport } from '@causeway/engine/client'
import type { RemoteOptions, ServerChange } from '@causeway/engine/client'
import { serveHttp } from '@causeway/engine/http'
import { Gateway, parseVirtual, readVirtual, viewOf } from '@causeway/gateway'
import { describe, expect, test, vi } from 'vitest'
import { answer, configsOf, entryOf, later, textOf } from '../support/world.ts'

interface Place {
  readonly url: string
  readonly server: Server
  readonly views: Map<string, View>
}

/** A server with tools of its own and of another one, and two virtual servers; everyone has a token, which is their name. */
async function place(): Promise<Place> {
  const server = createServer({ name: 'whole', version: '1.0.0', instructions: 'All of it.', log: () => {} })
  server.add(
    tool({ name: 'own_one', description: 'One', aliases: ['first'] }, () => 'one'),
    tool({ name: 'own_two', description: 'Two' }, () => 'two'),
    prompt({ name: 'hail', description: 'Hails' }, () => 'Hail'),
    resource({ name: 'note', uri: 'own://note' }, () => 'a note'),
  )
  const gateway = new Gateway(server)
  later(() => gateway.close())
  await gateway.apply(configsOf({ up: await entryOf('sdk-v1', 'stdio') }))
  await gateway.servers.get('up')?.refresh()
  const selections = {
    few: { tools: ['own_one', 'up__e*', 'up__a*'], exclude: ['up__ec*'], instructions: 'A few.' },
    notes: { tools: ['own_two', 'up__touch'], prompts: ['*'], resources: ['note://*'] },
  }
  const views = new Map(Object.entries(selections).map(([name, selection]) => [name, viewOf(name, selection)]))
  const service = await serveHttp(server, {
    port: 0,
    authenticator: { authenticate: ({ token = 'bad' }) => (token === 'bad' ? undefined : { name: token }) },
    views: { find: name => views.get(name), names: ['few', 'notes'] },
  })
  later(() => service.close())
  return { url: service.url, server, views }
}

async function clientAt(url: string, options: Partial<RemoteOptions> = {}, who = 'ada'): Promise<RemoteServer> {
  const headers = { authorization: `Bearer ${who}` }
  const remote = await RemoteServer.connect(
    { open: () => httpTransport({ url, headers }) },
    { client: { name: 'near', version: '1' }, answer, ...options },
  )
  later(() => remote.close())
  return remote
}

const namesOf = async (client: RemoteServer, list: Parameters<RemoteServer['list']>[0]): Promise<unknown[]> =>
  (await client.list(list)).map(({ name, uri }) => (list === 'resources/list' ? uri : name))

describe.each([...versions])('a virtual server for a client of %s', version => {
  test('has what was selected, own and of others, and nothing else', async () => {
    const { url } = await place()
    const client = await clientAt(`${url}/mcp/few`, { version })
    expect(client.instructions).toBe('A few.')
    expect(await namesOf(client, 'tools/list')).toEqual(['own_one', 'up__ask'])
    expect(await client.list('prompts/list')).toEqual([])
    expect(await client.list('resources/list')).toEqual([])
    expect(textOf(await client.callTool('own_one'))).toBe('one')
    expect(textOf(await client.callTool('first'))).toBe('one')
    for (const name of ['own_two', 'up__echo', 'up__runs', 'up__none'])
      await expect(client.callTool(name)).rejects.toThrow(/^Unknown tool: \w+/)
    await expect(client.request('prompts/get', { name: 'hail' })).rejects.toThrow(/hail/)
    await expect(client.request('resources/read', { uri: 'own://note' })).rejects.toThrow('not found')
    await expect(client.request('resources/read', { uri: 'note://one' })).rejects.toThrow('not found')
  })

  test('asks, and has prompts and resources where they were selected', async () => {
    const { url } = await place()
    const few = await clientAt(`${url}/mcp/few`, { version })
    expect(textOf(await few.callTool('up__ask'))).toMatch(version < '2025-06-18' ? /elicitation/ : /First.*Last/)
    const notes = await clientAt(`${url}/mcp/notes`, { version })
    expect(await namesOf(notes, 'prompts/list')).toEqual(['hail', 'up__greet'])
    expect(await namesOf(notes, 'resources/list')).toEqual(['note://one'])
    for (const uri of ['note://one', 'note://more/3'])
      expect(JSON.stringify(await notes.request('resources/read', { uri }))).toContain('note')
    expect(notes.instructions).toBeUndefined()
  })

  test('hears of changes: of the other server, and of the selection', async () => {
    const { url, server, views } = await place()
    const changes: ServerChange[] = []
    const client = await clientAt(`${url}/mcp/notes`, { version, onChange: change => changes.push(change) })
    await client.subscribe('note://one')
    await vi.waitFor(async () => {
      await client.callTool('up__touch')
      expect(changes).toContainEqual({ uri: 'note://one' })
    }, 10_000)
    changes.length = 0
    views.set('notes', viewOf('notes', { tools: ['own_one'] }))
    server.changed('tools')
    await vi.waitFor(() => expect(changes).toContainEqual({ list: 'tools' }), 10_000)
    expect(await namesOf(client, 'tools/list')).toEqual(['own_one'])
    await expect(client.callTool('own_two')).rejects.toThrow('Unknown tool')
  })
})

const post = (url: string, body: Params, headers: Record<string, string>): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  })

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}
const ADA = { authorization: 'Bearer ada' }

test('who has no token learns nothing, who has one which there are', async () => {
  const { url } = await place()
  expect((await post(`${url}/mcp/few`, INITIALIZE, {})).status).toBe(401)
  expect((await post(`${url}/mcp/few`, INITIALIZE, { authorization: 'Bearer bad' })).status).toBe(401)
  const stranger = await post(`${url}/mcp/fewer`, INITIALIZE, {})
  expect([stranger.status, await stranger.text()]).toEqual([401, expect.not.stringContaining('notes')])
  const known = await post(`${url}/mcp/fewer`, INITIALIZE, ADA)
  expect(known.status).toBe(404)
  expect(await known.text()).toContain("no virtual server 'fewer'. Virtual servers: few, notes.")
})

test.each([
  ['are shown to this machine', [], true],
  ['are not shown to other machines behind a proxy', ['mcp.example'], false],
])('without tokens, the names of virtual servers %s', async (_, allowedHosts, isShown) => {
  const server = createServer({ name: 'open', version: '1.0.0', log: () => {} })
  const service = await serveHttp(server, { port: 0, allowedHosts, views: { find: () => undefined, names: ['docs'] } })
  later(() => service.close())
  const answered = await post(`${service.url}/mcp/x`, INITIALIZE, {})
  expect(answered.status).toBe(404)
  expect((await answered.text()).includes('Virtual servers: docs.')).toBe(isShown)
})

test('a session belongs to the virtual server it was opened with, and to its principal', async () => {
  const { url } = await place()
  const opened = await post(`${url}/mcp/few`, INITIALIZE, ADA)
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', ...ADA }
  const list = { method: 'tools/list', params: {} }
  expect((await post(`${url}/mcp/few`, list, session)).status).toBe(200)
  expect((await post(`${url}/mcp`, list, session)).status).toBe(404)
  expect((await post(`${url}/mcp/notes`, list, session)).status).toBe(404)
  expect((await post(`${url}/mcp/few`, list, { ...session, authorization: 'Bearer bob' })).status).toBe(404)
  const ended = await fetch(`${url}/mcp/few`, { method: 'DELETE', headers: session })
  expect(ended.status).toBe(200)
  expect((await post(`${url}/mcp/few`, list, session)).status).toBe(404)
})

describe('selections', () => {
  test('are read from a file, and what is wrong is said', () => {
    const { views, problems } = readVirtual(
      {
        virtual: {
          good: { tools: ['a*'], exclude: ['ab'] },
          'no/good': { tools: ['a'] },
          empty: {},
          wrong: { tool: ['a'] },
          text: { tools: 'a' },
          number: 5,
        },
      },
      'f.json',
    )
    expect(views.map(({ name }) => name)).toEqual(['good'])
    expect(['a', 'ab', 'b'].map(key => views[0]?.offers('tools', key))).toEqual([true, false, false])
    expect(problems.join('\n')).toMatch(
      /'no\/good': its name must.*'empty': selects nothing.*'wrong': unknown key 'tool'. Did you mean 'tools'\?.*'text': 'tools' must be a list.*'number': must be an object/s,
    )
    expect(readVirtual({ virtual: 5 }, 'f.json').problems).toHaveLength(1)
    expect(readVirtual({}, 'f.json')).toEqual({ views: [], problems: [] })
  })

  test('are read from a command line', () => {
    const view = parseVirtual('docs=read_*+search')
    expect([view?.name, view?.offers('tools', 'read_file'), view?.offers('tools', 'write')]).toEqual([
      'docs',
      true,
      false,
    ])
    expect(view?.offers('prompts', 'read_me')).toBe(false)
    for (const wrong of ['docs', 'docs=', '=a', 'a/b=c', 'docs=+']) expect(parseVirtual(wrong)).toBeUndefined()
  })
})

test('search finds, describes and calls what was selected, and nothing else', async () => {
  const server = createServer({ name: 'whole', version: '1.0.0', log: () => {}, listing: { search: 'on' } })
  server.add(
    tool({ name: 'paint_wall', description: 'Paint a wall' }, () => 'painted'),
    tool({ name: 'paint_door', description: 'Paint a door' }, () => 'painted'),
  )
  const search = viewOf('search', { tools: ['paint_wall', 'find_tools', 'describe_tool', 'call_tool'] })
  const plain = viewOf('plain', { tools: ['paint_wall'] })
  const views = { find: (name: string): View | undefined => ({ search, plain })[name], names: ['search', 'plain'] }
  const service = await serveHttp(server, { port: 0, views })
  later(() => service.close())
  const client = await clientAt(`${service.url}/mcp/search`)
  expect(await namesOf(client, 'tools/list')).toEqual(['find_tools', 'describe_tool', 'call_tool'])
  const found = textOf(await client.callTool('find_tools', { query: 'paint a door' }))
  expect(found).toContain('paint_wall')
  expect(found).not.toContain('paint_door')
  expect(textOf(await client.callTool('describe_tool', { name: 'paint_door' }))).toContain('There is no tool named')
  expect(textOf(await client.callTool('call_tool', { name: 'paint_wall' }))).toBe('painted')
  expect(textOf(await client.callTool('call_tool', { name: 'paint_door' }))).not.toBe('painted')
  // Where nothing is there to search with, everything is listed.
  expect(await namesOf(await clientAt(`${service.url}/mcp/plain`), 'tools/list')).toEqual(['paint_wall'])
})

test('a file may write virtual servers as a command line does', () => {
  const { views, problems } = readVirtual({ virtual: ['docs=read_*+search_*, git=git_*', 'nothing', 1] }, 'f')
  expect(views.map(({ name }) => name)).toEqual(['docs', 'git'])
  expect(views[0]?.offers('tools', 'search_files')).toBe(true)
  expect(problems).toEqual([expect.stringContaining('got "nothing"'), expect.stringContaining('got 1')])
})
