import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerTo, wanted } from '../support/http-case.ts'
import type { Case } from '../support/http-case.ts'
import { Stateful, Stateless, ask, call, enveloped, hello, tell } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf, messagesOf } from '../support/http-exchange.ts'
import type { Sent } from '../support/http-exchange.ts'
import { P, STATELESS } from '../support/peer.ts'
import { openShop } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'

let shop: Shop
const sessions = new Map<string, Stateful>()

beforeAll(async () => {
  shop = await openShop()
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    sessions.set(version, await Stateful.open(shop.url, { version }))
  }
})
afterAll(() => shop.close())

const modern = new Stateless('')
const MODERN = { ...JSON_HEADERS, 'mcp-protocol-version': STATELESS }
const LIST = ask(7, 'tools/list')
const post = (body: unknown, headers: Sent['headers'] = {}): Sent => ({
  headers: { ...JSON_HEADERS, ...headers },
  body,
})
const meta = (_meta: object): object => ask(7, 'tools/list', { _meta })

/** Rows that need no session to be there. */
const rows: readonly Case[] = [
  {
    title: '[S-SEC-01] row 0: an evil Origin is refused before the body is looked at',
    sent: post('not even JSON', { origin: 'https://evil.example.com' }),
    status: 403,
    code: -32000,
  },
  {
    title: '[S-SEC-03] row 0: an evil Host is refused before the body is looked at',
    sent: post('not even JSON', { host: 'evil.example.com' }),
    status: 403,
    code: -32000,
  },
  { title: 'row 1: OPTIONS is a preflight', sent: { method: 'OPTIONS' }, status: 204 },
  {
    title: '[S-SESS-03] row 2: GET with an unknown session',
    sent: { method: 'GET', headers: { 'mcp-session-id': 'nobody', accept: 'text/event-stream' } },
    status: 404,
    code: -32001,
  },
  {
    title: '[S-SESS-03] row 2: DELETE with an unknown session',
    sent: { method: 'DELETE', headers: { 'mcp-session-id': 'nobody' } },
    status: 404,
    code: -32001,
  },
  {
    title: '[S-SESS-02] row 3: GET without a session',
    sent: { method: 'GET', headers: { accept: 'text/event-stream' } },
    status: 400,
    code: -32000,
  },
  { title: '[S-SESS-02] row 3: DELETE without a session', sent: { method: 'DELETE' }, status: 400, code: -32000 },
  ...['GET', 'DELETE'].map((method): Case => ({
    title: `[S-ST-01] row 3: ${method} under a modern header`,
    sent: { method, headers: { 'mcp-protocol-version': STATELESS, accept: 'text/event-stream' } },
    status: 405,
    code: -32000,
    headers: { allow: 'POST' },
  })),
  ...['PUT', 'PATCH'].map((method): Case => ({
    title: `[S-ERR-06] row 4: ${method}`,
    sent: { method },
    status: 405,
    code: -32000,
    headers: { allow: 'GET, POST, DELETE' },
  })),
  ...['text/plain', 'application/jsonx', 'text/plain; application/json', 'application/x-www-form-urlencoded'].map(
    (type): Case => ({
      title: `[S-HTTP-03] row 5: a body of ${type}`,
      sent: post(LIST, { 'content-type': type }),
      status: 415,
      code: -32000,
    }),
  ),
  {
    title: '[S-HTTP-03] row 5: a body of no said type',
    sent: { headers: { accept: '*/*' }, body: LIST },
    status: 415,
    code: -32000,
  },
  { title: 'row 6: an empty body', sent: post(''), status: 400, code: -32700 },
  { title: 'row 6: a body that is no JSON', sent: post('{"jsonrpc": '), status: 400, code: -32700 },
  { title: 'row 6: no JSON, under a modern header', sent: post('nope', MODERN), status: 400, code: -32700 },
  { title: '[S-RPC-08] row 7: an empty array', sent: post([]), status: 400, code: -32600 },
  { title: '[S-RPC-08] row 7: an empty array, modern', sent: post([], MODERN), status: 400, code: -32600 },
  {
    title: '[S-RPC-07] row 8: a batch with one envelope in it',
    sent: post([LIST, ask(8, 'tools/list', enveloped())]),
    status: 400,
    code: -32600,
    words: /no batches/,
  },
  { title: '[S-ST-02] row 8: a batch under a modern header', sent: post([LIST], MODERN), status: 400, code: -32600 },
  { title: '[S-SESS-02] row 9: a batch without a session', sent: post([LIST]), status: 400, code: -32000 },
  {
    title: '[S-RPC-06] row 9: a batch that would open a session',
    sent: post([hello('2025-03-26')]),
    status: 400,
    code: -32600,
    words: /initialize/,
  },
  {
    title: '[S-SESS-02] row 10: a response without a session',
    sent: post({ jsonrpc: '2.0', id: 1, result: {} }),
    status: 400,
    code: -32000,
  },
  {
    title: '[S-ST-02] row 10: a response under a modern header',
    sent: post({ jsonrpc: '2.0', id: 1, result: {} }, MODERN),
    status: 400,
    code: -32600,
  },
  {
    title: 'row 11: initialize without a header',
    sent: post(hello('2025-06-18')),
    status: 200,
    id: 'hello',
    result: { protocolVersion: '2025-06-18' },
    headers: { 'mcp-session-id': /^[\x21-\x7e]{22,}$/ },
  },
  {
    title: '[S-HTTP-13] row 11: initialize under another stateful header: the body governs',
    sent: post(hello('2025-03-26'), { 'mcp-protocol-version': '2025-11-25' }),
    status: 200,
    id: 'hello',
    result: { protocolVersion: '2025-03-26' },
  },
  {
    title: '[S-LIFE-02] row 11: initialize for the newest revision is answered with the newest that has a handshake',
    sent: post(hello(STATELESS)),
    status: 200,
    id: 'hello',
    result: { protocolVersion: '2025-11-25' },
  },
  {
    title: 'row 12: initialize under a modern header',
    sent: post(hello(), MODERN),
    status: 400,
    code: -32020,
    id: 'hello',
  },
  {
    title: 'row 13: initialize in an envelope is no method any more',
    sent: modern.sent(ask('i', 'initialize', { protocolVersion: STATELESS })),
    status: 404,
    code: -32601,
    id: 'i',
  },
  ...Object.entries({
    'a version that is no string': { [`${P}protocolVersion`]: 7, [`${P}clientCapabilities`]: {} },
    'no capabilities': { [`${P}protocolVersion`]: STATELESS },
    'capabilities that are no object': { [`${P}protocolVersion`]: STATELESS, [`${P}clientCapabilities`]: [] },
  }).map(([what, _meta]): Case => ({
    title: `[S-LIFE-10] row 14: an envelope with ${what}`,
    sent: post(meta(_meta), { ...MODERN, 'mcp-method': 'tools/list' }),
    status: 400,
    code: -32602,
    id: 7,
  })),
  {
    title: '[S-HDR-01] row 15: a header that differs from the claim comes before the claim itself',
    sent: post(ask(7, 'tools/list', enveloped({}, {}, 'v999.0.0')), { ...MODERN, 'mcp-method': 'tools/list' }),
    status: 400,
    code: -32020,
    id: 7,
    data: { header: 'MCP-Protocol-Version' },
  },
  {
    title: 'row 15: a stateful header beside a claim',
    sent: modern.sent(LIST, { 'mcp-protocol-version': '2025-11-25' }),
    status: 400,
    code: -32020,
    id: 7,
  },
  {
    title: '[S-LIFE-11] row 16: a claim nobody supports',
    sent: post(ask(7, 'tools/list', enveloped({}, {}, 'v999.0.0')), { 'mcp-protocol-version': 'v999.0.0' }),
    status: 400,
    code: -32022,
    id: 7,
    data: { requested: 'v999.0.0', supported: expect.arrayContaining([STATELESS, '2024-11-05']) },
  },
  {
    title: 'row 16: a stateful date in an envelope is answered with stateless ones only',
    sent: post(ask(7, 'tools/list', enveloped({}, {}, '2025-11-25')), { 'mcp-protocol-version': '2025-11-25' }),
    status: 400,
    code: -32022,
    id: 7,
    data: { requested: '2025-11-25', supported: [STATELESS] },
  },
  ...['mcp-protocol-version', 'mcp-method'].flatMap((name): Case[] =>
    [undefined, 'TOOLS/LIST'].map(value => ({
      title: `[S-ST-09] [S-HDR-02] [S-HDR-04] row 17: ${name}: ${value ?? '(none)'}`,
      sent: modern.sent(LIST, { [name]: value }),
      status: 400,
      code: -32020,
      id: 7,
    })),
  ),
  ...[undefined, 'ECHO', 'fail', ''].map((value): Case => ({
    title: `[S-HDR-03] row 17: Mcp-Name of a tool: ${value ?? '(none)'}`,
    sent: modern.sent(call(7, 'echo'), { 'mcp-name': value }),
    status: 400,
    code: -32020,
    id: 7,
    data: { header: 'Mcp-Name' },
  })),
  ...['resources/read', 'prompts/get'].map((method): Case => ({
    title: `[S-HDR-03] row 17: Mcp-Name of ${method}`,
    sent: modern.sent(ask(7, method, { uri: 'note://one', name: 'brief' }), { 'mcp-name': 'other' }),
    status: 400,
    code: -32020,
    id: 7,
  })),
  ...['unknown/method', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'tasks/list'].map(
    (method): Case => ({
      title: `[S-ERR-04] row 18: ${method} is no method of this revision`,
      sent: modern.sent(ask('x', method)),
      status: 404,
      code: -32601,
      id: 'x',
    }),
  ),
  {
    title: '[S-LIFE-12] [S-ERR-05] row 19: a tool that needs what the client cannot do',
    sent: modern.sent(call(7, 'think')),
    status: 400,
    code: -32021,
    id: 7,
    data: { requiredCapabilities: { sampling: {} } },
  },
  {
    title: '[S-HDR-06] row 20: an annotated argument without its header',
    sent: modern.sent(call(7, 'region', { region: 'eu' })),
    status: 400,
    code: -32020,
    id: 7,
    data: { header: 'Mcp-Param-Region' },
  },
  {
    title: 'row 21: no params under a modern header',
    sent: post(LIST, MODERN),
    status: 400,
    code: -32602,
    id: 7,
    words: /protocolVersion/,
    data: { missing: `${P}protocolVersion` },
  },
  {
    title: 'row 21: no version under a modern header',
    sent: post(meta({ [`${P}clientCapabilities`]: {} }), MODERN),
    status: 400,
    code: -32602,
    id: 7,
    data: { missing: `${P}protocolVersion` },
  },
  {
    title: 'row 21: a header from a time to come',
    sent: post(LIST, { 'mcp-protocol-version': '2099-01-01' }),
    status: 400,
    code: -32602,
    id: 7,
  },
  {
    title: '[S-ST-03] row 22: a notification under a modern header',
    sent: post(tell('notifications/cancelled', { requestId: 1 }), MODERN),
    status: 202,
  },
  {
    title: '[S-ST-03] row 22: a notification with a claim and no header at all',
    sent: post(tell('notifications/whatever', enveloped())),
    status: 202,
  },
  { title: '[S-SESS-02] row 23: a request without a session', sent: post(LIST), status: 400, code: -32000, id: 7 },
  {
    title: '[S-SESS-03] row 23: a request with an unknown session',
    sent: post(LIST, { 'mcp-session-id': 'nobody' }),
    status: 404,
    code: -32001,
    id: 7,
  },
  {
    title: '[S-SESS-03] row 23: a notification with an unknown session',
    sent: post(tell('notifications/initialized'), { 'mcp-session-id': 'nobody' }),
    status: 404,
    code: -32001,
  },
  {
    title: 'something that is no message',
    sent: post({ jsonrpc: '1.0', id: 'a', method: 'ping' }),
    status: 400,
    code: -32600,
    id: 'a',
  },
  { title: 'a value that is no object', sent: post('42'), status: 400, code: -32600 },
  {
    title: '[S-RPC-02] an id that is no id is not echoed',
    sent: post({ jsonrpc: '2.0', id: { a: 1 }, method: 'ping' }),
    status: 400,
    code: -32600,
  },
]

describe('the decision table of POST, GET and DELETE /mcp', () => {
  test.each(rows)('$title', async row => {
    expect(await answerTo(shop.url, row)).toEqual(wanted(row))
  })
})

describe('[S-RPC-06] [S-RPC-07] [S-RPC-08] row 9: batches, by what the session speaks', () => {
  test.each(['2024-11-05', '2025-03-26'])('%s takes them', async version => {
    const session = sessions.get(version) as Stateful
    const answer = await session.post([LIST, tell('notifications/roots/list_changed'), ask('p', 'ping'), 1])
    expect(answer.status).toBe(200)
    expect(messagesOf(answer)).toMatchObject([
      { id: 7, result: { tools: expect.any(Array) } },
      { id: 'p', result: {} },
      { id: null, error: { code: -32600 } },
    ])
  })

  test.each(['2025-06-18', '2025-11-25'])('%s does not', async version => {
    const session = sessions.get(version) as Stateful
    const answer = await session.post([LIST])
    expect(answer).toMatchObject({ status: 400 })
    expect(messageOf(answer)).toMatchObject({ error: { code: -32600 } })
  })

  test('a batch without a request is taken in silence', async () => {
    const session = sessions.get('2025-03-26') as Stateful
    const body = [tell('notifications/roots/list_changed'), { jsonrpc: '2.0', id: 1, result: {} }]
    expect(await session.post(body)).toMatchObject({ status: 202, text: '' })
  })

  test('initialize in the batch of a session fails alone', async () => {
    const session = sessions.get('2025-03-26') as Stateful
    expect(messagesOf(await session.post([hello('2025-03-26'), ask(2, 'ping')]))).toMatchObject([
      { id: 'hello', error: { code: -32600 } },
      { id: 2, result: {} },
    ])
  })

  test('a batch that is too long is refused whole', async () => {
    const session = sessions.get('2025-03-26') as Stateful
    const answer = await session.post(Array.from({ length: 1001 }, (_, id) => ask(id, 'ping')))
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toMatchObject({ error: { code: -32600 } })
  })
})

describe('[S-HTTP-11] [S-HTTP-12] row 23: the version header in a session', () => {
  const taken: readonly [string, string | undefined][] = [
    ['the negotiated one', '2025-06-18'],
    ['none', undefined],
    ['another that has sessions', '2025-03-26'],
  ]
  test.each(taken)('%s is taken', async (_, version) => {
    const session = sessions.get('2025-06-18') as Stateful
    expect(await session.post(LIST, { 'mcp-protocol-version': version })).toMatchObject({ status: 200 })
  })

  test.each(['1999-12-31', ''])("'%s' is refused", async version => {
    const session = sessions.get('2025-06-18') as Stateful
    const answer = await session.post(LIST, { 'mcp-protocol-version': version })
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toMatchObject({ id: 7, error: { code: -32000 } })
  })

  test('the session governs: its revision spells the answer whatever the header says', async () => {
    const session = sessions.get('2025-03-26') as Stateful
    const answer = await session.post(call(1, 'add_numbers', { number1: 1, number2: 2 }), {
      'mcp-protocol-version': '2025-11-25',
    })
    expect(messageOf(answer).result).toEqual({ content: [{ type: 'text', text: '{"result":3}' }] })
  })
})

describe('both eras at once', () => {
  test('one port, one path, one moment: every revision gets its own spelling', async () => {
    const sum = { number1: 5, number2: 3 }
    const [stateless, ...stateful] = await Promise.all([
      new Stateless(shop.url).call('add_numbers', sum),
      ...[...sessions.values()].map(session => session.call('add_numbers', sum)),
    ])
    expect(stateless.result).toMatchObject({ resultType: 'complete', structuredContent: { result: 8 } })
    for (const { result } of stateful) {
      expect(result).toMatchObject({ content: [{ type: 'text', text: '{"result":8}' }] })
      expect(result).not.toHaveProperty('resultType')
      expect(result).not.toHaveProperty('_meta')
    }
  })

  test('[S-ST-06] an envelope beside a session id is served on its own, and no session is echoed', async () => {
    const { session } = sessions.get('2025-11-25') as Stateful
    for (const id of [session, 'nobody']) {
      const answer = await new Stateless(shop.url).post(LIST, { 'mcp-session-id': id, 'last-event-id': 'main_1' })
      expect(answer.status).toBe(200)
      expect(answer.headers['mcp-session-id']).toBeUndefined()
    }
  })

  test('[S-ST-08] lists do not depend on who asked before, over which connection, or what else was said', async () => {
    const [one, two] = [new Stateless(shop.url), new Stateless(shop.url)]
    const before = await one.request('tools/list')
    await one.call('add_numbers', { number1: 1, number2: 2 })
    await Stateful.open(shop.url)
    const after = [await one.request('tools/list'), await two.request('tools/list')]
    expect(after.map(({ result }) => result)).toEqual([before.result, before.result])
  })

  test('[S-ERR-04] what a handler refuses travels under 200', async () => {
    const client = new Stateless(shop.url)
    expect(await client.post(ask(1, 'tools/list', { cursor: 'nope' }))).toMatchObject({ status: 200 })
    const unknown = await client.post(call(2, 'nobody'))
    expect(unknown.status).toBe(200)
    expect(messageOf(unknown)).toMatchObject({ id: 2, error: { code: -32602 } })
    const missing = await client.post(ask(3, 'resources/read', { uri: 'note://none' }))
    expect(missing.status).toBe(200)
    expect(messageOf(missing)).toMatchObject({ id: 3, error: { code: -32602, data: { uri: 'note://none' } } })
  })

  test('[S-HDR-12] mirrored headers mean nothing to a session', async () => {
    const session = sessions.get('2025-11-25') as Stateful
    const headers = { 'mcp-method': 'other', 'mcp-name': 'other', 'mcp-param-region': 'other' }
    const answer = await session.post(call(1, 'region', { region: 'eu' }), headers)
    expect(messageOf(answer)).toMatchObject({ id: 1, result: { content: [{ text: 'served {"region":"eu"}' }] } })
  })

  test('[S-RPC-02] 0 and "" are ids, and keep their type', async () => {
    for (const id of [0, '', '0', -1]) {
      expect(messageOf(await new Stateless(shop.url).post(ask(id, 'tools/list'))).id).toBe(id)
      expect(messageOf(await (sessions.get('2025-11-25') as Stateful).post(ask(id, 'ping'))).id).toBe(id)
    }
  })

  test('a path with nothing at it says where to go', async () => {
    const answer = await exchange(shop.url, { method: 'GET', path: '/other' })
    expect(answer.status).toBe(404)
    expect(messageOf(answer)).toMatchObject({ error: { message: expect.stringContaining('/mcp') } })
  })
})
