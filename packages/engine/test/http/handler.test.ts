import { once } from 'node:events'
import { createServer as createListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { httpHandler, serveHttp } from '@causeway/engine/http'
import type {
  Authenticator,
  Exchange,
  HttpHandler,
  HttpHandlerOptions,
  RefusedRequest,
  Route,
} from '@causeway/engine/http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { RouteTable } from '../../src/transports/http/routes.ts'
import { Gates } from '../support/gates.ts'
import { Stateful, ask, call } from '../support/http-client.ts'
import { JSON_HEADERS, exchange } from '../support/http-exchange.ts'
import { Raw, raw, spelled } from '../support/raw-http.ts'
import { shopForTest, workshop } from '../support/workshop.ts'
import { UPGRADE, WsClient } from '../support/ws-client.ts'

interface Mounted {
  readonly url: string
  readonly port: number
  readonly mcp: HttpHandler
  readonly gates: Gates
}

/** A workshop in somebody's own HTTP server, which answers what the handler leaves alone. */
async function mounted(options: HttpHandlerOptions = {}): Promise<Mounted> {
  const gates = new Gates()
  const mcp = httpHandler(workshop(gates), { drainMs: 2000, ...options })
  const listener = createListener((request, response) => mcp.handle(request, response, () => response.end('theirs')))
  listener.on('upgrade', (request, socket, head) => {
    if (!mcp.upgrade(request, socket, head)) socket.end('HTTP/1.1 418 Theirs\r\nConnection: close\r\n\r\n')
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    gates.openAll()
    await mcp.drain()
    listener.close().closeAllConnections()
  })
  const { port } = listener.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, mcp, gates }
}

const ping = (path: string): { path: string; headers: typeof JSON_HEADERS; body: unknown } => ({
  path,
  headers: JSON_HEADERS,
  body: ask(1, 'ping'),
})

describe('a handler in somebody else’s server', () => {
  test('serves its own paths and leaves the others alone', async () => {
    const { url, port, mcp } = await mounted()
    const session = await Stateful.open(url)
    expect(await session.request('ping')).toMatchObject({ result: {} })
    expect(await exchange(url, ping('/rpc'))).toMatchObject({ status: 200 })
    expect((await exchange(url, { method: 'GET', path: '/other' })).text).toBe('theirs')
    expect(mcp.open).toEqual({ sessions: 1, streams: 0, sockets: 0 })
    const h2c = { ...UPGRADE, upgrade: 'h2c' }
    expect(await raw(port, { method: 'GET', path: '/other', headers: h2c })).toMatchObject({ status: 418 })
    const socket = await WsClient.open(url)
    expect(mcp.open.sockets).toBe(1)
    await socket.close()
  })

  test('stands under a prefix', async () => {
    const { url, port, mcp } = await mounted({ prefix: '/ai' })
    expect(mcp.paths).toContain('/ai/mcp')
    expect(await exchange(url, ping('/ai/rpc'))).toMatchObject({ status: 200 })
    for (const path of ['/rpc', '/aim/rpc', '/ai', '/other/ai/rpc']) {
      expect((await exchange(url, ping(path))).text, path).toBe('theirs')
    }
    expect(await raw(port, { method: 'GET', path: '/ai/ws', headers: UPGRADE })).toMatchObject({ status: 101 })
    expect(await raw(port, { method: 'GET', path: '/ws', headers: UPGRADE })).toMatchObject({ status: 404 })
  })

  test('drains: what runs finishes, nothing new is taken, all is closed, twice is once', async () => {
    const { url, mcp, gates } = await mounted()
    const session = await Stateful.open(url)
    const stream = await session.listen()
    const socket = await WsClient.open(url)
    const held = session.post(call(1, 'hold', { key: 'k' }))
    await gates.entered('k')
    const drained = [mcp.drain(), mcp.drain()]
    expect(await exchange(url, ping('/rpc'))).toMatchObject({ status: 503 })
    expect(await exchange(url, { method: 'GET', path: '/health/ready' })).toMatchObject({ status: 503 })
    expect(await exchange(url, { method: 'GET', path: '/health/live' })).toMatchObject({ status: 200 })
    gates.open('k')
    expect((await held).text).toContain('released k')
    await Promise.all(drained)
    await stream.ended
    expect(await socket.closed).toBe(1001)
    expect(mcp.open).toEqual({ sessions: 0, streams: 0, sockets: 0 })
  })

  test('an address that others can reach needs a token or a word', () => {
    const server = workshop(new Gates())
    expect(() => httpHandler(server, { host: '0.0.0.0' })).toThrow(/authenticator/)
    const open = httpHandler(server, { host: '0.0.0.0', allowAnonymous: true })
    onTestFinished(() => open.drain())
    expect(open.open.sessions).toBe(0)
  })
})

describe('routes', () => {
  const named = (path: string, method?: string): Route => ({
    path,
    ...(method !== undefined && { method }),
    handle: () => {},
  })

  test('an exact path goes before a prefix, a longer prefix before a shorter, a method before none', () => {
    const routes = [named('/*'), named('/a/*'), named('/a/b'), named('/a/b', 'GET'), named('/c', 'PUT'), named('/c')]
    const table = new RouteTable(routes)
    const found = (method: string, path: string): number => routes.indexOf(table.find(method, path) as Route)
    expect(found('GET', '/a/b')).toBe(2)
    expect(found('GET', '/a/x')).toBe(1)
    expect(found('GET', '/a')).toBe(0)
    expect(found('PUT', '/c')).toBe(4)
    expect(found('GET', '/c')).toBe(5)
    expect(found('GET', '')).toBe(-1)
    expect([table.has('/zzz'), new RouteTable([named('/a')]).has('/a/')]).toEqual([true, false])
  })

  test('are added to the table: with and without a token, by method, as a prefix, in place of a built-in one', async () => {
    const seen: string[] = []
    const answer =
      (text: string) =>
      (at: Exchange): void => {
        seen.push(`${at.method} ${at.path} ${at.principal?.name ?? 'nobody'}`)
        at.reply(200, text, { 'Content-Type': 'text/plain' })
      }
    const authenticator: Authenticator = {
      authenticate: ({ token }) => (token === undefined ? undefined : { name: token }),
    }
    const shop = await shopForTest({
      authenticator,
      routes: [
        { path: '/metrics', method: 'GET', handle: answer('count 1') },
        { path: '/.well-known/*', public: true, handle: answer('{}') },
        { path: '/health/live', public: true, handle: answer('mine') },
      ],
    })
    const get = (path: string, token?: string, method = 'GET'): ReturnType<typeof exchange> =>
      exchange(shop.url, { method, path, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
    expect(await get('/metrics')).toMatchObject({ status: 401 })
    expect(await get('/metrics', 'ada')).toMatchObject({ status: 200, text: 'count 1' })
    expect(await get('/metrics', 'ada', 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET' } })
    expect(await get('/.well-known/oauth-protected-resource')).toMatchObject({ status: 200, text: '{}' })
    expect(await get('/health/live')).toMatchObject({ text: 'mine' })
    expect(await get('/nothing', 'ada')).toMatchObject({ status: 404 })
    expect(seen).toEqual([
      'GET /metrics ada',
      'GET /.well-known/oauth-protected-resource nobody',
      'GET /health/live nobody',
    ])
    // A page of somewhere else reaches no route, public or not.
    const foreign = { origin: 'https://evil.example.com' }
    for (const path of ['/metrics', '/.well-known/x', '/health/live']) {
      expect(await exchange(shop.url, { method: 'GET', path, headers: foreign })).toMatchObject({ status: 403 })
    }
  })

  test('one that fails is answered with 500, and the rest goes on', async () => {
    const boom = (): never => {
      throw new Error('secret words')
    }
    const routes: Route[] = [
      { path: '/throws', handle: boom },
      { path: '/rejects', handle: () => Promise.reject(new Error('secret words')) },
    ]
    const shop = await shopForTest({ routes })
    for (const { path } of routes) {
      const answer = await exchange(shop.url, { method: 'GET', path })
      expect(answer.status).toBe(500)
      expect(answer.text).not.toContain('secret')
    }
    expect(await exchange(shop.url, ping('/rpc'))).toMatchObject({ status: 200 })
  })
})

test('[S-AUTH-07] every refusal is told to the observer, whatever the observer does', async () => {
  const refused: RefusedRequest[] = []
  const gates = new Gates()
  const service = await serveHttp(workshop(gates), {
    port: 0,
    maxBody: 1000,
    maxSessions: 1,
    authenticator: { authenticate: ({ token }) => (token === 'right' ? { name: 'ada' } : undefined) },
    onRefused: refusal => {
      refused.push(refusal)
      throw new Error('an observer that breaks')
    },
  })
  onTestFinished(() => service.close())
  const authorization = 'Bearer right'
  const headers = { ...JSON_HEADERS, authorization }
  const { url, port } = service
  await exchange(url, ping('/rpc'))
  await exchange(url, { ...ping('/mcp'), headers: { ...headers, origin: 'https://evil.example.com' } })
  await exchange(url, { path: '/rpc', headers, body: 'x'.repeat(2000) })
  await raw(port, { method: 'GET', path: '/ws', headers: { ...UPGRADE, authorization: 'Bearer wrong' } })
  await raw(port, { method: 'GET', path: '/mcp', headers: { ...UPGRADE, authorization } })
  const session = await Stateful.open(url, { token: 'right' })
  const stream = await session.listen()
  await exchange(url, { path: '/mcp', headers, body: ask(1, 'initialize', { protocolVersion: '2025-11-25' }) })
  stream.hangUp()
  const nonsense = await Raw.open(port)
  nonsense.write('NONSENSE\r\n\r\n')
  await nonsense.ended()
  nonsense.hangUp()
  expect(refused.map(({ status, path, principal }) => [status, path, principal?.name])).toEqual([
    [401, '/rpc', undefined],
    [403, '/mcp', undefined],
    [413, '/rpc', 'ada'],
    [401, '/ws', undefined],
    [404, '/mcp', 'ada'],
    [503, '/mcp', 'ada'],
    [400, '', undefined],
  ])
  expect(refused.filter(({ reason, address }) => reason === '' || address !== '127.0.0.1')).toEqual([])
})

describe('an offer to go on in HTTP/2', () => {
  const offer = spelled({
    path: '/rpc',
    headers: { ...JSON_HEADERS, connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' },
    body: JSON.stringify(ask('offer', 'ping')),
  })

  test('behind a request that is being served is answered in its turn', async () => {
    const shop = await shopForTest()
    const connection = await Raw.open(shop.port)
    const body = JSON.stringify(call('first', 'hold', { key: 'k' }))
    connection.write(spelled({ path: '/rpc', headers: JSON_HEADERS, body }))
    await shop.gates.entered('k')
    connection.write(offer)
    shop.gates.open('k')
    await connection.reads(() => connection.text.includes('"offer"'))
    expect([...connection.text.matchAll(/"id":"(\w+)"/g)].map(([, id]) => id)).toEqual(['first', 'offer'])
    // And what comes after it.
    connection.write(spelled({ path: '/rpc', headers: JSON_HEADERS, body: JSON.stringify(ask('third', 'ping')) }))
    await connection.reads(() => connection.text.includes('"third"'))
    connection.hangUp()
  })

  test('behind several, all sent at once', async () => {
    const shop = await shopForTest()
    const connection = await Raw.open(shop.port)
    const held = JSON.stringify(call('a', 'hold', { key: 'k' }))
    const next = spelled({ path: '/rpc', headers: JSON_HEADERS, body: JSON.stringify(ask('b', 'ping')) })
    connection.write(spelled({ path: '/rpc', headers: JSON_HEADERS, body: held }) + next + offer)
    await shop.gates.entered('k')
    shop.gates.open('k')
    await connection.reads(() => connection.text.includes('"offer"'))
    expect([...connection.text.matchAll(/"id":"(\w+)"/g)].map(([, id]) => id)).toEqual(['a', 'b', 'offer'])
    connection.hangUp()
  })

  test('a WebSocket behind a request opens in its turn', async () => {
    const shop = await shopForTest()
    const connection = await Raw.open(shop.port)
    const body = JSON.stringify(call('first', 'hold', { key: 'k' }))
    connection.write(spelled({ path: '/rpc', headers: JSON_HEADERS, body }))
    await shop.gates.entered('k')
    connection.write(spelled({ method: 'GET', path: '/ws', headers: UPGRADE }))
    shop.gates.open('k')
    await connection.reads(() => connection.text.includes('101 Switching'))
    expect(connection.text.indexOf('released k')).toBeLessThan(connection.text.indexOf('101 Switching'))
    connection.hangUp()
  })
})
