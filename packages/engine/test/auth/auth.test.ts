import { audit, observe, rateLimit } from '@causeway/engine/policies'
import type { AuditEntry } from '@causeway/engine/policies'
import { bearerTokens, newToken } from '@causeway/engine/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyEndpoint } from '../support/endpoints.ts'
import type { EndpointSent } from '../support/endpoints.ts'
import { Stateful, Stateless, ask, call, hello } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf, open } from '../support/http-exchange.ts'
import { raw } from '../support/raw-http.ts'
import type { RawSent } from '../support/raw-http.ts'
import { openShop } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'
import { WsClient } from '../support/ws-client.ts'

const ada = newToken('ada')
const bob = newToken('bob')
const authenticator = bearerTokens(`# who may come\n${ada.line}\n\n${bob.line}\n`)

let shop: Shop
let session: Stateful
beforeAll(async () => {
  shop = await openShop({ authenticator })
  session = await Stateful.open(shop.url, { token: ada.token, capabilities: { elicitation: {} } })
})
afterAll(() => shop.close())

const endpoints = (): Record<string, EndpointSent> => ({
  ...everyEndpoint(session),
  'POST /mcp, stateless': { ...withText(new Stateless('').sent(ask(1, 'tools/list'))), served: 200 },
})
const withText = ({ headers, body }: { headers?: RawSent['headers']; body?: unknown }): RawSent => ({
  ...(headers && { headers }),
  body: JSON.stringify(body),
})

/** Status and challenge of every endpoint, for one Authorization. */
async function tried(authorization: string | undefined, query = ''): Promise<Record<string, unknown>> {
  const answers = Object.entries(endpoints()).map(async ([name, { path = '/mcp', ...sent }]) => {
    const joined = path + (query && `${path.includes('?') ? '&' : '?'}${query}`)
    const head = await raw(shop.port, { ...sent, path: joined, headers: { ...sent.headers, authorization } })
    return [name, [head.status, head.headers['www-authenticate']]] as const
  })
  return Object.fromEntries(await Promise.all(answers))
}
const all = (status: number, challenge: string): Record<string, unknown> =>
  Object.fromEntries(Object.keys(endpoints()).map(name => [name, [status, challenge]]))

describe('[S-AUTH-07] a token, on every endpoint', () => {
  test('none', async () => {
    expect(await tried(undefined)).toEqual(all(401, 'Bearer'))
  })

  test.each([
    'Bearer wrong',
    'Bearer',
    'Bearer ',
    `Basic ${btoa(`ada:${ada.token}`)}`,
    ada.token,
    `Bearer ${ada.token}x`,
    `Bearer ${ada.token} ${bob.token}`,
    `Bearer ${ada.line.split(':')[1]}`,
  ])('a wrong one: %s', async authorization => {
    expect(await tried(authorization)).toEqual(all(401, 'Bearer error="invalid_token"'))
  })

  test('the right one', async () => {
    const served = Object.fromEntries(
      Object.entries(endpoints()).map(([name, sent]) => [name, [sent.served, undefined]]),
    )
    expect(await tried(`Bearer ${ada.token}`)).toEqual(served)
    expect(await tried(`bearer  ${ada.token}`)).toEqual(served)
  })

  test('[S-AUTH-08] not out of the query', async () => {
    expect(await tried(undefined, `access_token=${ada.token}&token=${ada.token}`)).toEqual(all(401, 'Bearer'))
  })

  test('[S-AUTH-14] the answer is no sign of an era', async () => {
    const answer = await exchange(shop.url, { headers: JSON_HEADERS, body: hello() })
    expect(messageOf(answer)).toEqual({
      jsonrpc: '2.0',
      error: { code: -32000, message: expect.stringContaining('Unauthorized') },
    })
  })

  test('health and preflights need none', async () => {
    expect(await exchange(shop.url, { method: 'GET', path: '/health/ready' })).toMatchObject({ status: 200 })
    expect(await exchange(shop.url, { method: 'OPTIONS' })).toMatchObject({ status: 204 })
  })

  test('the body of a stranger is not read', async () => {
    const large = { ...JSON_HEADERS, 'content-length': '100000000' }
    expect(await raw(shop.port, { headers: large })).toMatchObject({ status: 401, headers: { connection: 'close' } })
  })
})

describe('who was let in reaches the handler', () => {
  test('over every endpoint', async () => {
    const said = '"text":"bob"'
    const headers = { ...JSON_HEADERS, authorization: `Bearer ${bob.token}` }
    const body = call(1, 'whoami')
    const stateful = await Stateful.open(shop.url, { token: bob.token })
    expect((await stateful.post(body)).text).toContain(said)
    expect((await new Stateless(shop.url, { token: bob.token }).post(body)).text).toContain(said)
    expect((await exchange(shop.url, { path: '/rpc', headers, body })).text).toContain(said)
    expect((await exchange(shop.url, { path: '/sse', headers, body })).text).toContain(said)
    const socket = await WsClient.open(shop.url, 'mcp', { headers: { authorization: `Bearer ${bob.token}` } })
    socket.send(body)
    expect(JSON.stringify(await socket.answered(1))).toContain(said)
    await socket.close()
  })

  test('and the audit', async () => {
    const entries: AuditEntry[] = []
    shop.server.use(observe([audit(entry => void entries.push(entry))]))
    await new Stateless(shop.url, { token: bob.token }).call('echo', { password: 'secret' })
    const own = await Stateful.open(shop.url, { token: ada.token })
    await own.call('fail')
    expect(entries).toMatchObject([
      { principal: 'bob', transport: 'http', revision: '2026-07-28', session: null, tool: 'echo', outcome: 'ok' },
      { principal: 'ada', method: 'initialize', outcome: 'ok' },
      {
        principal: 'ada',
        transport: 'http',
        revision: '2025-11-25',
        session: `${own.session.slice(0, 8)}…`,
        outcome: 'tool-failed',
      },
    ])
    expect(JSON.stringify(entries)).not.toContain(own.session)
    expect(JSON.stringify(entries)).not.toContain('secret')
  })

  test('and the limit of calls: one bucket for all endpoints of one principal', async () => {
    const limited = await openShop({ authenticator })
    limited.server.use(rateLimit({ burst: 3, perSecond: 0.001 }))
    const stateful = await Stateful.open(limited.url, { token: ada.token })
    const headers = { ...JSON_HEADERS, authorization: `Bearer ${ada.token}` }
    const answers = [
      await stateful.call('echo'),
      await new Stateless(limited.url, { token: ada.token }).call('echo'),
      messageOf(await exchange(limited.url, { path: '/rpc', headers, body: call(1, 'echo') })),
      await stateful.call('echo'),
      await new Stateless(limited.url, { token: bob.token }).call('echo'),
    ]
    expect(answers.map(({ error }) => error?.code)).toEqual([undefined, undefined, undefined, -32003, undefined])
    await limited.close()
  })
})

describe('[S-SESS-05] [S-AUTH-10] what belongs to one principal is unknown to another', () => {
  const foreign = (): Stateful => new Stateful(shop.url, session.session, { token: bob.token })

  test('a session: POST, GET and DELETE', async () => {
    const stream = await foreign().listen()
    await stream.ended
    const answers = [await foreign().post(ask(1, 'ping')), stream, await foreign().end()]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(answers.map(messageOf)).toMatchObject(answers.map(() => ({ error: { code: -32001 } })))
    expect(await session.post(ask(1, 'ping'))).toMatchObject({ status: 200 })
  })

  test('the answer to a question', async () => {
    const asked = await session.stream(call('q', 'greet', { key: 'you' }))
    const { id } = await asked.until(message => message.method === 'elicitation/create')
    const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Mallory' } } }
    expect(await foreign().post(answer)).toMatchObject({ status: 404 })
    await session.post({ ...answer, result: { action: 'accept', content: { name: 'Ada' } } })
    expect(await asked.until(message => message.id === 'q')).toMatchObject({
      result: { content: [{ text: 'Hello, Ada!' }] },
    })
  })

  test('the place to post of HTTP+SSE', async () => {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${ada.token}` }
    const stream = await open(shop.url, { method: 'GET', path: '/sse', headers })
    await stream.reads(() => stream.events.length > 0)
    const path = stream.events[0]?.data ?? ''
    const post = (token: string): Promise<{ status: number }> =>
      exchange(shop.url, { path, headers: { ...JSON_HEADERS, authorization: `Bearer ${token}` }, body: ask(1, 'ping') })
    expect(await post(bob.token)).toMatchObject({ status: 404 })
    expect(await post(ada.token)).toMatchObject({ status: 202 })
    stream.hangUp()
  })

  test('[S-MR-04] the state of an unfinished request', async () => {
    const capabilities = { elicitation: {} }
    const mine = new Stateless(shop.url, { token: ada.token, capabilities })
    const { result } = await mine.call('greet', { key: 'you' })
    const again = {
      name: 'greet',
      arguments: { key: 'you' },
      inputResponses: { name: { action: 'accept', content: { name: 'Ada' } } },
      requestState: result?.requestState,
    }
    const theirs = new Stateless(shop.url, { token: bob.token, capabilities })
    expect(await theirs.request('tools/call', again)).toMatchObject({ error: { code: -32602 } })
    expect(await mine.request('tools/call', again)).toMatchObject({ result: { content: [{ text: 'Hello, Ada!' }] } })
  })

  test('an id that is somebody else’s does not stand in the way of a new session', async () => {
    const headers = { ...JSON_HEADERS, authorization: `Bearer ${bob.token}`, 'mcp-session-id': session.session }
    const answer = await exchange(shop.url, { headers, body: hello() })
    expect(answer.status).toBe(200)
    expect(answer.headers['mcp-session-id']).not.toBe(session.session)
  })
})

describe('the file of tokens', () => {
  test('a token is not in it', () => {
    expect(ada.line).toMatch(/^ada sha256:[\da-f]{64}$/)
    expect(ada.line).not.toContain(ada.token)
    expect(newToken('ada').token).not.toBe(ada.token)
  })

  const wrong: readonly [string, string, RegExp][] = [
    ['nothing', '', /no token/],
    ['only comments', '# none yet\n\n', /no token/],
    ['a token as it is', `${ada.line}\nbob cw_abc`, /line 2/],
    ['a name twice', `${ada.line}\n${ada.line}`, /'ada' is used twice/],
    ['a name with a space', `a b sha256:${'0'.repeat(64)}`, /line 1/],
    ['a hash that is too short', 'ada sha256:00', /line 1/],
  ]
  test.each(wrong)('%s is refused', (_, file, words) => {
    expect(() => bearerTokens(file)).toThrow(words)
  })

  test('lines may end as they do elsewhere', () => {
    expect(bearerTokens(`${ada.line}\r\n${bob.line}\r\n`).authenticate({ token: bob.token })).toMatchObject({
      name: 'bob',
    })
  })
})
