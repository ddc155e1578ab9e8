import { createServer, tool } from '@causeway/engine'
import { audit, observe } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Principal } from '@causeway/engine'
import type { AuditEntry } from '@causeway/engine/policies'
import type { Authenticator } from '@causeway/engine/http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { EndpointUrls } from '../../src/transports/protected/endpoint-urls.ts'
import { Admission } from '../../src/transports/http/admission.ts'
import type { AdmissionNeeds } from '../../src/transports/http/admission.ts'
import { Stateful, Stateless, ask, call } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, open } from '../support/http-exchange.ts'
import { raw } from '../support/raw-http.ts'
import { shopForTest } from '../support/workshop.ts'
import { UPGRADE, WsClient } from '../support/ws-client.ts'

afterEach(() => {
  vi.useRealTimers()
})

const HOUR = 3_600_000
const EXPIRED = 'Bearer error="invalid_token", error_description="The token has expired"'

/** Knows a token for each name, after a turn. */
const slow = (principals: Record<string, Principal>): Authenticator => ({
  authenticate: async ({ token = '' }) => {
    await new Promise(resolve => void setImmediate(resolve))
    return principals[token]
  },
  challenge: why => `Bearer realm="test", why="${why}"`,
})

const visitor = (token: string): Parameters<Admission['authenticate']>[0] => ({
  method: 'POST',
  path: '/mcp',
  address: 'local',
  tlsPeer: undefined,
  principal: undefined,
  header: () => `Bearer ${token}`,
})
const needs = (): AdmissionNeeds => ({ urls: new EndpointUrls(undefined), scopes: () => [], log: () => {} })
const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` })

describe('an authenticator that waits', () => {
  const authenticator = slow({ a: { name: 'ada', scopes: ['read'], claims: { tenant: 7 } } })

  test('lets in over every transport, and its challenge is sent', async () => {
    const shop = await shopForTest({ authenticator })
    const session = await Stateful.open(shop.url, { token: 'a' })
    expect(await session.call('whoami')).toMatchObject({ result: { content: [{ text: 'ada' }] } })
    const socket = await WsClient.open(shop.url, 'mcp', { headers: bearer('a') })
    socket.send(call(1, 'whoami'))
    expect(JSON.stringify(await socket.answered(1))).toContain('ada')
    await socket.close()
    const tried = async (authorization?: string): Promise<unknown[]> => {
      const sent = { headers: { ...JSON_HEADERS, authorization }, body: '{}' }
      const heads = [
        await raw(shop.port, sent),
        await raw(shop.port, { method: 'GET', path: '/ws', headers: { ...UPGRADE, authorization } }),
      ]
      return heads.map(({ status, headers }) => [status, headers['www-authenticate']])
    }
    const refused = (why: string): unknown[] => [1, 2].map(() => [401, `Bearer realm="test", why="${why}"`])
    expect(await tried()).toEqual(refused('missing'))
    expect(await tried('Bearer b')).toEqual(refused('invalid'))
  })

  test('a client that leaves meanwhile leaves nothing behind', async () => {
    let asked = 0
    const waiting: (() => void)[] = []
    const held: Authenticator = {
      authenticate: () => {
        asked += 1
        return new Promise(resolve => void waiting.push(() => resolve({ name: 'ada' })))
      },
    }
    const shop = await shopForTest({ authenticator: held })
    const leaving = [
      { headers: { ...JSON_HEADERS, ...bearer('x') }, body: JSON.stringify(ask(1, 'ping')) },
      { method: 'GET', path: '/ws', headers: { ...UPGRADE, ...bearer('x') } },
    ].map(sent => raw(shop.port, sent).catch(() => undefined))
    await expect.poll(() => asked, { interval: 5 }).toBe(2)
    for (const go of waiting) go()
    await Promise.all(leaving)
    await expect.poll(() => shop.service.open, { interval: 5 }).toEqual({ sessions: 0, streams: 0, sockets: 0 })
  })

  test('one that fails, and one that takes too long, are 503', async () => {
    const logged: string[] = []
    const failing: Authenticator[] = [
      { authenticate: () => Promise.reject(new Error('the directory is down')) },
      {
        authenticate: () => {
          throw new Error('the directory is down')
        },
      },
    ]
    for (const authenticator of failing) {
      const shop = await shopForTest({ authenticator }, { log: (_, message) => void logged.push(message) })
      const answer = await new Stateless(shop.url, { token: 'a' }).post(ask(1, 'tools/list'))
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
      expect(answer.text).not.toContain('directory')
    }
    expect(logged.filter(message => message === 'a token could not be checked')).toHaveLength(2)
    vi.useFakeTimers()
    const never = { authenticate: () => new Promise<never>(() => {}) }
    const admission = new Admission({ host: '127.0.0.1', authenticator: never }, needs())
    const refused = Promise.resolve(admission.authenticate(visitor('x'))).catch(
      (error: { status: number }) => error.status,
    )
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await refused).toBe(503)
  })

  test('one that answers at once costs no promise', () => {
    const admission = new Admission(
      { host: '127.0.0.1', authenticator: { authenticate: ({ token = '' }) => ({ name: token }) } },
      needs(),
    )
    expect(admission.authenticate(visitor('ada'))).toMatchObject({ name: 'ada' })
  })
})

describe('a token that ends', () => {
  const principals = (): Record<string, Principal> => ({
    gone: { name: 'ada', expiresAt: Date.now() - 1 },
    ends: { name: 'ada', expiresAt: Date.now() + HOUR },
    fresh: { name: 'ada', expiresAt: Date.now() + 1000 * HOUR },
  })
  const known = (all: Record<string, Principal>): Authenticator => ({ authenticate: ({ token = '' }) => all[token] })

  test('is refused, whatever the authenticator says', async () => {
    const shop = await shopForTest({ authenticator: known(principals()) })
    const answer = await new Stateless(shop.url, { token: 'gone' }).post(ask(1, 'tools/list'))
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': EXPIRED } })
  })

  test('ends the session for its bearer, not for a new token of the same name', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const shop = await shopForTest({ authenticator: known(principals()) })
    const session = await Stateful.open(shop.url, { token: 'ends' })
    expect(await session.post(ask(1, 'ping'))).toMatchObject({ status: 200 })
    vi.setSystemTime(Date.now() + HOUR)
    expect(await session.post(ask(2, 'ping'))).toMatchObject({ status: 401 })
    const renewed = new Stateful(shop.url, session.session, { token: 'fresh' })
    expect(await renewed.post(ask(3, 'ping'))).toMatchObject({ status: 200 })
  })

  test('ends the streams and sockets that were opened with it, and no others', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const shop = await shopForTest({ authenticator: known(principals()) })
    const ending = await Stateful.open(shop.url, { token: 'ends' })
    const staying = await Stateful.open(shop.url, { token: 'fresh' })
    const sse = (token: string): ReturnType<typeof open> =>
      open(shop.url, { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream', ...bearer(token) } })
    const [stream, other, oldest] = [await ending.listen(), await staying.listen(), await sse('ends')]
    const running = await ending.stream(call(1, 'steps', { key: 'k' }, { progressToken: 1 }))
    const socket = await WsClient.open(shop.url, 'mcp', { headers: bearer('ends') })
    await vi.advanceTimersByTimeAsync(HOUR)
    await Promise.all([stream.ended, oldest.ended, running.ended])
    expect(await socket.closed).toBe(1008)
    expect(other.over).toBe(false)
    shop.gates.open('k')
    other.hangUp()
    vi.useRealTimers()
  })
})

describe('the whole principal', () => {
  const ada = { name: 'ada', scopes: ['read'], claims: { tenant: 7 } }

  test('reaches the handler, policies and the audit', async () => {
    const entries: AuditEntry[] = []
    const seen: unknown[] = []
    const server = createServer({ name: 's', version: '1' })
      .use(
        observe([audit(entry => void entries.push(entry))]),
        (request, next) => (seen.push(request.caller.principal), next(request)),
      )
      .add(tool({ name: 'me' }, (_, ctx) => JSON.stringify(ctx.principal ?? null)))
    for (const version of ['2026-07-28', '2025-11-25']) {
      expect(await connect(server, { version, principal: ada }).call('me')).toBe(JSON.stringify(ada))
    }
    expect(seen.filter(principal => principal !== ada)).toEqual([])
    expect(entries.map(({ principal }) => principal)).toEqual(['ada', 'ada', 'ada'])
    expect(await connect(server).call('me')).toBe('null')
  })

  test('of each request, not of the handshake, is the caller', async () => {
    let scopes = ['read']
    const authenticator: Authenticator = { authenticate: () => ({ name: 'ada', scopes }) }
    const shop = await shopForTest({ authenticator })
    shop.server.add(tool({ name: 'scopes' }, (_, ctx) => String(ctx.principal?.scopes)))
    const session = await Stateful.open(shop.url, { token: 'x' })
    scopes = ['read', 'write']
    expect(await session.call('scopes')).toMatchObject({ result: { content: [{ text: 'read,write' }] } })
  })
})

test('a request with no token where one is needed is not read at all', async () => {
  const shop = await shopForTest({ authenticator: slow({}) })
  const answer = await exchange(shop.url, { headers: JSON_HEADERS, body: 'x'.repeat(100) })
  expect(answer.status).toBe(401)
})

test('one principal’s sessions and streams leave room for another’s', async () => {
  const authenticator: Authenticator = { authenticate: ({ token = '' }) => ({ name: token }) }
  const shop = await shopForTest({ authenticator, maxSessionsPerPrincipal: 1, maxSessions: 10 })
  const sse = (token: string): ReturnType<typeof open> =>
    open(shop.url, { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream', ...bearer(token) } })
  const streams = [await sse('ada'), await sse('ada'), await sse('bob')]
  expect(streams.map(({ status }) => status)).toEqual([200, 503, 200])
  const [ada, bob] = [await Stateful.open(shop.url, { token: 'ada' }), await Stateful.open(shop.url, { token: 'bob' })]
  await Stateful.open(shop.url, { token: 'bob' })
  expect(await ada.post(ask(1, 'ping'))).toMatchObject({ status: 200 })
  expect(await bob.post(ask(1, 'ping'))).toMatchObject({ status: 404 })
  streams[0]?.hangUp()
  await expect.poll(() => shop.service.open.streams, { interval: 5 }).toBe(1)
  const again = await sse('ada')
  expect(again.status).toBe(200)
  for (const stream of [...streams, again]) stream.hangUp()
})
