import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { createServer, tool } from '@causeway/engine'
import type { Params, Server } from '@causeway/engine'
import { RemoteServer, httpTransport, memoryTransport } from '@causeway/engine/client'
import type { ClientTransport, Target } from '@causeway/engine/client'
import type { Upstream } from '@causeway/gateway'
import { connect } from '@causeway/engine/testing'
import { serveHttp } from '@causeway/engine/http'
import type { Authenticator, HttpService } from '@causeway/engine/http'
import { describe, expect, test, vi } from 'vitest'
import { answer, entryOf, gatewayTo, later, textOf } from '../support/world.ts'

const authenticator: Authenticator = { authenticate: ({ token = '' }) => ({ name: token }) }

async function served(server: Server, options: Parameters<typeof serveHttp>[1] = {}): Promise<HttpService> {
  const service = await serveHttp(server, { port: 0, ...options })
  later(() => service.close())
  return service
}

/** A server that counts how often anybody shook hands or asked what it is, and the calls of each session. */
async function counting(): Promise<{ entry: Params; seen: Record<string, number> }> {
  const seen: Record<string, number> = {}
  const server = createServer({ name: 'counting', version: '1.0.0', log: () => {} })
  const calls = new Map<string, number>()
  server.use((call, next) => {
    seen[call.method] = (seen[call.method] ?? 0) + 1
    return next(call)
  })
  server.add(
    tool({ name: 'session_calls', description: 'How many calls this session made' }, () => 'replaced by the policy'),
  )
  server.use((call, next) => {
    if (call.method !== 'tools/call') return next(call)
    const id = call.link.session?.id ?? ''
    calls.set(id, (calls.get(id) ?? 0) + 1)
    return { content: [{ type: 'text', text: String(calls.get(id)) }] }
  })
  const { url } = await served(server)
  return { entry: { url: `${url}/mcp` }, seen }
}

async function clientOf(url: string, who: string): Promise<RemoteServer> {
  const transport = (): ClientTransport =>
    httpTransport({ url: `${url}/mcp`, headers: { authorization: `Bearer ${who}` } })
  const remote = await RemoteServer.connect({ open: transport }, { client: { name: who, version: '1' }, answer })
  later(() => remote.close())
  return remote
}

const hundred = (client: RemoteServer, name: string): Promise<string[]> =>
  Promise.all(Array.from({ length: 100 }, () => client.callTool(name).then(textOf)))

describe('handshakes', () => {
  test("a hundred calls of one principal cost one, another principal's another; their state is apart", async () => {
    const { entry, seen } = await counting()
    const { server, gateway } = await gatewayTo({ up: { ...entry, revision: '2025-11-25' } })
    await gateway.servers.get('up')?.refresh()
    const { url } = await served(server, { authenticator })
    const before = seen.initialize ?? 0
    const ada = await clientOf(url, 'ada')
    const counts = await hundred(ada, 'up__session_calls')
    expect((seen.initialize ?? 0) - before).toBe(1)
    expect(counts.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    const bob = await clientOf(url, 'bob')
    expect(textOf(await bob.callTool('up__session_calls'))).toBe('1')
    expect((seen.initialize ?? 0) - before).toBe(2)
    expect(textOf(await ada.callTool('up__session_calls'))).toBe('101')
    expect((seen.initialize ?? 0) - before).toBe(2)
  })

  test('a server whose requests stand alone is asked once what it is, whoever calls', async () => {
    const { entry, seen } = await counting()
    const { server, gateway } = await gatewayTo({ up: entry })
    await gateway.servers.get('up')?.refresh()
    const { url } = await served(server, { authenticator })
    await hundred(await clientOf(url, 'ada'), 'up__session_calls')
    await hundred(await clientOf(url, 'bob'), 'up__session_calls')
    expect(seen).toMatchObject({ 'server/discover': 1, 'tools/call': 200 })
    expect(seen.initialize).toBeUndefined()
  })

  test('over stdio a principal has a process, and another one another', async () => {
    const { server } = await gatewayTo({ up: await entryOf('sdk-v1', 'stdio') })
    const { url } = await served(server, { authenticator })
    const [ada, bob] = await Promise.all(['ada', 'bob'].map(who => clientOf(url, who)))
    if (!ada || !bob) throw new Error('no clients')
    await vi.waitFor(async () => expect((await ada.list('tools/list')).length).toBeGreaterThan(5), 10_000)
    const pids = await Promise.all([ada, bob].map(client => hundred(client, 'up__pid')))
    expect(pids.map(list => new Set(list).size)).toEqual([1, 1])
    expect(pids[0]?.[0]).not.toBe(pids[1]?.[0])
    expect([textOf(await ada.callTool('up__counter')), textOf(await ada.callTool('up__counter'))]).toEqual(['1', '2'])
    expect(textOf(await bob.callTool('up__counter'))).toBe('1')
  })
})

/** A server in this process that remembers a word for each session. */
function remembering(): Server {
  const words = new WeakMap<object, string>()
  const upstream = createServer({ name: 'memory', version: '1', log: false })
  upstream.add(tool({ name: 'whoami', description: 'Whom it knows' }, () => 'replaced by the policy'))
  upstream.use((call, next) => {
    const { session } = call.link
    if (call.method !== 'tools/call' || !session) return next(call)
    const { name } = (call.params.arguments ?? {}) as { name?: string }
    if (name !== undefined) words.set(session, name)
    return { content: [{ type: 'text', text: words.get(session) ?? 'nobody' }] }
  })
  return upstream
}

describe.each([{ command: 'in-memory' }, { url: 'http://in-memory.example/mcp' }])(
  'clients without a token, of a server that keeps sessions: %o',
  entry => {
    const start = async (): Promise<{ server: Server; upstreams: ReadonlyMap<string, Upstream> }> => {
      const upstream = remembering()
      const reach = (): Target => ({ open: () => memoryTransport(upstream) })
      const { server, gateway } = await gatewayTo({ up: { ...entry, revision: '2025-11-25' } }, { reach })
      await gateway.servers.get('up')?.refresh()
      return { server, upstreams: gateway.servers }
    }

    test('with sessions of their own have nothing in common, and what they had ends with them', async () => {
      const { server, upstreams } = await start()
      const [ada, bob] = ['ada', 'bob'].map(() => connect(server, { version: '2025-11-25' }))
      await ada?.call('up__whoami', { name: 'ALICE' })
      const before = upstreams.get('up')?.status.conversations
      expect(await bob?.call('up__whoami')).toBe('nobody')
      expect(await ada?.call('up__whoami')).toBe('ALICE')
      bob?.close()
      await vi.waitFor(() => expect(upstreams.get('up')?.status.conversations).toBe(before))
      expect(await ada?.call('up__whoami')).toBe('ALICE')
    })

    test('without sessions, at different addresses, have nothing in common', async () => {
      const { server } = await start()
      const { url } = await served(server, { host: '0.0.0.0', allowAnonymous: true })
      const whoami = (localAddress: string, args: Params): Promise<string> =>
        post(`${url.replace('0.0.0.0', '127.0.0.1')}/rpc`, localAddress, {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'up__whoami', arguments: args },
        })
      expect(await whoami('127.0.0.1', { name: 'ALICE' })).toContain('ALICE')
      expect(await whoami('127.0.0.2', {})).toContain('nobody')
      expect(await whoami('127.0.0.1', {})).toContain('ALICE')
    })
  },
)

test('a client without a token, however many sessions it opens, leaves a process to others', async () => {
  let waiting = 0
  let release = (): void => {}
  const released = new Promise<void>(resolve => (release = resolve))
  const upstream = createServer({ name: 'slow', version: '1', log: false })
  upstream.add(
    tool({ name: 'wait' }, async () => {
      waiting += 1
      await released
      return 'late'
    }),
    tool({ name: 'quick' }, () => 'at once'),
  )
  const reach = (): Target => ({ open: () => memoryTransport(upstream) })
  const entry = { command: 'in-memory', revision: '2025-11-25', processes: 4 }
  const { server, gateway } = await gatewayTo({ up: entry }, { reach })
  await gateway.servers.get('up')?.refresh()
  const { url } = await served(server, { host: '0.0.0.0', allowAnonymous: true })
  const near = url.replace('0.0.0.0', '127.0.0.1')
  const options = { client: { name: 'greedy', version: '1' }, version: '2025-11-25' }
  const greedy = await Promise.all(
    Array.from({ length: 5 }, () =>
      RemoteServer.connect({ open: () => httpTransport({ url: `${near}/mcp` }) }, options),
    ),
  )
  const calls = greedy.map(client => client.callTool('up__wait'))
  await vi.waitFor(() => expect(waiting).toBe(3))
  const params = { name: 'up__quick', arguments: {} }
  expect(await post(`${near}/rpc`, '127.0.0.2', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).toContain(
    'at once',
  )
  release()
  await Promise.all(calls)
  for (const client of greedy) await client.close()
})

/** Post as a client at an address of this machine. */
const post = (url: string, localAddress: string, body: Params): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(url, { method: 'POST', localAddress, headers }, answered => resolve(text(answered)))
    sent.on('error', reject).end(JSON.stringify(body))
  })

describe.each(['stdio', 'http'])('parked calls over %s', door => {
  test('past its time the server hears that the call is cancelled', async () => {
    const { server } = await gatewayTo({ up: await entryOf('sdk-v1', door) }, { parkedMs: 100 })
    const { url } = await served(server)
    const request = await byHand(url)
    const asked = await request({ name: 'up__ask', arguments: {} })
    expect(asked.resultType).toBe('input_required')
    await vi.waitFor(async () => {
      const stopped = await request({ name: 'up__stopped', arguments: {} })
      expect(textOf(stopped)).toBe('1')
    }, 10_000)
    const late = request({ name: 'up__ask', arguments: {}, requestState: asked.requestState, inputResponses: {} })
    await expect(late).rejects.toThrow('The call that asked is gone')
  })

  test('another principal cannot go on with it', async () => {
    const { server } = await gatewayTo({ up: await entryOf('sdk-v1', door) })
    const { url } = await served(server, { authenticator })
    const asked = await (await byHand(url, 'ada'))({ name: 'up__ask', arguments: {} })
    const [key = ''] = Object.keys(asked.inputRequests as Params)
    const inputResponses = { [key]: { action: 'accept', content: { value: 'mine' } } }
    const retry = { name: 'up__ask', arguments: {}, requestState: asked.requestState, inputResponses }
    await expect((await byHand(url, 'bob'))(retry)).rejects.toThrow('was not issued for this request')
    const next = await (await byHand(url, 'ada'))(retry)
    expect(JSON.stringify(next.inputRequests)).toContain('Last?')
  })
})

/** A client of the stateless era that answers nothing by itself. */
async function byHand(url: string, who = 'ada'): Promise<(params: Params) => ReturnType<RemoteServer['request']>> {
  const transport = (): ClientTransport =>
    httpTransport({ url: `${url}/mcp`, headers: { authorization: `Bearer ${who}` } })
  const capabilities = { elicitation: { form: {} } }
  const remote = await RemoteServer.connect({ open: transport }, { client: { name: who, version: '1' }, capabilities })
  later(() => remote.close())
  await vi.waitFor(async () => expect((await remote.list('tools/list')).length).toBeGreaterThan(5), 10_000)
  return params => remote.request('tools/call', params)
}

describe('a server whose processes are all in use', () => {
  test('serves whoever waits once there is room, though nobody gives back what they use', async () => {
    const { server, gateway } = await gatewayTo({ up: { ...(await entryOf('sdk-v1', 'stdio')), processes: 1 } })
    const { url } = await served(server, { authenticator })
    const [ada, bob] = await Promise.all(['ada', 'bob'].map(who => clientOf(url, who)))
    if (!ada || !bob) throw new Error('no clients')
    await vi.waitFor(async () => expect((await ada.list('tools/list')).length).toBeGreaterThan(5), 10_000)
    const ending = new AbortController()
    const held = new Promise(resolve => {
      const options = { signal: ending.signal, onProgress: resolve }
      ada.callTool('up__forever', {}, options).catch(() => {})
    })
    await held
    const waiting = bob.callTool('up__echo', { text: 'at last' })
    const pool = gateway.servers.get('up')?.pool
    await vi.waitFor(() => expect(pool?.waiting).toBe(1), 10_000)
    await pool?.restart()
    expect(textOf(await waiting)).toBe('at last')
    ending.abort()
  })

  test('lets go of whoever does not want to wait any longer', async () => {
    const { server, gateway } = await gatewayTo({ up: { ...(await entryOf('sdk-v1', 'stdio')), processes: 1 } })
    const { url } = await served(server, { authenticator })
    const [ada, bob] = await Promise.all(['ada', 'bob'].map(who => clientOf(url, who)))
    if (!ada || !bob) throw new Error('no clients')
    await vi.waitFor(async () => expect((await ada.list('tools/list')).length).toBeGreaterThan(5), 10_000)
    const held = new AbortController()
    await new Promise(resolve => {
      ada.callTool('up__forever', {}, { signal: held.signal, onProgress: resolve }).catch(() => {})
    })
    const leaving = new AbortController()
    const waiting = bob.callTool('up__echo', { text: 'never' }, { signal: leaving.signal })
    const pool = gateway.servers.get('up')?.pool
    await vi.waitFor(() => expect(pool?.waiting).toBe(1), 10_000)
    leaving.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await vi.waitFor(() => expect(pool?.waiting).toBe(0), 10_000)
    held.abort()
  })
})
