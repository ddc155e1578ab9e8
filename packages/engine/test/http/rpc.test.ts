import { createServer, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Stateless, ask, call, enveloped, hello, tell } from '../support/http-client.ts'
import { JSON_HEADERS, begin, exchange, messageOf, messagesOf } from '../support/http-exchange.ts'
import type { Answer } from '../support/http-exchange.ts'
import { openShop, shopForTest } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'
import { isFetch, serveFetch } from '../support/fetch-service.ts'
import { WsClient } from '../support/ws-client.ts'

const at = (url: string, body: unknown, headers: object = {}): Promise<Answer> =>
  exchange(url, { path: '/rpc', headers: { 'content-type': 'application/json', ...headers }, body })

const NUMBERS = {
  type: 'object',
  properties: { subtrahend: { type: 'number' }, minuend: { type: 'number' } },
  required: ['subtrahend', 'minuend'],
} as const

/** The methods of the specification's examples, as tools. */
function examples(): Server {
  return createServer({ name: 'examples', version: '2.0' }).add(
    tool({ name: 'subtract', input: NUMBERS }, ({ subtrahend, minuend }) => minuend - subtrahend),
    tool({ name: 'get_data' }, () => ['hello', 5]),
    tool({ name: 'update' }, () => ''),
    tool({ name: 'notify_hello' }, () => ''),
  )
}

const REFUSED =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: a message must be a JSON object"}}'

/** The examples of the JSON-RPC 2.0 specification, its positional parameters named: what is sent, what must come back. */
const published: readonly [string, string, number, string][] = [
  [
    'named parameters',
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
    200,
    '{"jsonrpc":"2.0","id":3,"result":19}',
  ],
  [
    'named parameters, the other way around',
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
    200,
    '{"jsonrpc":"2.0","id":4,"result":19}',
  ],
  ['a notification', '{"jsonrpc": "2.0", "method": "update", "params": {"a": 1}}', 204, ''],
  ['a notification of nothing', '{"jsonrpc": "2.0", "method": "foobar"}', 204, ''],
  [
    'a method that does not exist',
    '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}',
    200,
    '{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"Method not found: foobar"}}',
  ],
  [
    'invalid JSON',
    '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
    400,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
  ],
  [
    'an invalid request',
    '{"jsonrpc": "2.0", "method": 1, "params": "bar"}',
    200,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: \\"method\\" must be a string"}}',
  ],
  [
    'a batch of invalid JSON',
    '[{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 1}, "id": "1"},{"jsonrpc": "2.0", "method"]',
    400,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
  ],
  [
    'an empty array',
    '[]',
    200,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the batch is empty"}}',
  ],
  ['an invalid batch that is not empty', '[1]', 200, `[${REFUSED}]`],
  ['an invalid batch', '[1,2,3]', 200, `[${REFUSED},${REFUSED},${REFUSED}]`],
  [
    'a batch',
    `[
      {"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 8, "subtrahend": 1}, "id": "1"},
      {"jsonrpc": "2.0", "method": "notify_hello", "params": {}},
      {"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": "2"},
      {"foo": "boo"},
      {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
      {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
    ]`,
    200,
    `[${[
      '{"jsonrpc":"2.0","id":"1","result":7}',
      '{"jsonrpc":"2.0","id":"2","result":19}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: \\"jsonrpc\\" must be \\"2.0\\""}}',
      '{"jsonrpc":"2.0","id":"5","error":{"code":-32601,"message":"Method not found: foo.get"}}',
      '{"jsonrpc":"2.0","id":"9","result":["hello",5]}',
    ].join(',')}]`,
  ],
  [
    'a batch of notifications only',
    '[{"jsonrpc": "2.0", "method": "notify_hello", "params": {}},{"jsonrpc": "2.0", "method": "update"}]',
    204,
    '',
  ],
]

describe('[S-CUS-04] [S-RPC-09] the examples of the JSON-RPC 2.0 specification', () => {
  let service: HttpService
  beforeAll(async () => {
    service = await (isFetch ? serveFetch : serveHttp)(examples(), { port: 0 })
  })
  afterAll(() => service.close())

  test.each(published)('POST /rpc: %s', async (_, sent, status, back) => {
    const answer = await at(service.url, sent)
    expect({ status: answer.status, text: answer.text }).toEqual({ status, text: back })
  })

  test.each(isFetch ? [] : published)('/ws: %s', async (_, sent, __, back) => {
    const socket = await WsClient.open(service.url)
    socket.send(sent, ask('after', 'ping'))
    await socket.answered('after')
    // A WebSocket carries the detail of what could not be parsed, too.
    const said = socket.frames
      .filter(frame => !frame.includes('"after"'))
      .map(frame => frame.replace(/,"data":.*\}\}$/, '}}'))
    expect(said).toEqual(back === '' ? [] : [back])
    await socket.close()
  })

  test('positional parameters belong to no tool: they have names', async () => {
    const answer = await at(service.url, { jsonrpc: '2.0', method: 'subtract', params: [42, 23], id: 1 })
    expect(messageOf(answer)).toMatchObject({ id: 1, error: { code: -32602 } })
  })
})

describe('POST /rpc', () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await openShop()
  })
  afterAll(() => shop.close())
  const rpc = (body: unknown, headers: object = {}): Promise<Answer> => at(shop.url, body, headers)

  test('needs no handshake, and has none', async () => {
    expect(messageOf(await rpc(ask(1, 'tools/list')))).toMatchObject({ id: 1, result: { tools: expect.any(Array) } })
    expect(messageOf(await rpc(hello('2025-06-18')))).toMatchObject({ result: { protocolVersion: '2025-06-18' } })
    expect(messageOf(await rpc({ jsonrpc: '2.0', method: 'initialize', id: 1 }))).toMatchObject({
      result: { protocolVersion: '2025-11-25' },
    })
    expect(shop.service.open.sessions).toBe(0)
  })

  test('a null id is answered with a null id', async () => {
    expect((await rpc({ jsonrpc: '2.0', id: null, method: 'ping' })).text).toBe(
      '{"jsonrpc":"2.0","id":null,"result":{}}',
    )
    expect(messagesOf(await rpc([ask(null, 'ping'), ask(null, 'nobody')]))).toMatchObject([
      { id: null, result: {} },
      { id: null, error: { code: -32601 } },
    ])
  })

  test('a tool’s name is a method, and its own value the result', async () => {
    expect(messageOf(await rpc(ask(1, 'add_numbers', { number1: 5, number2: 3 })))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { result: 8 },
    })
    expect(messageOf(await rpc(ask(1, 'whoami'))).result).toBe('nobody')
  })

  test('what goes wrong in a direct call is an error', async () => {
    expect(messageOf(await rpc(ask(1, 'fail')))).toMatchObject({ id: 1, error: { code: -32603, message: 'it broke' } })
    expect(messageOf(await rpc(ask(1, 'add_numbers', {})))).toMatchObject({ error: { code: -32602 } })
  })

  test('as a call of a tool it is a result', async () => {
    expect(messageOf(await rpc(call(1, 'fail')))).toMatchObject({ result: { isError: true } })
  })

  test('there is nobody to ask, and no stream for what comes before the answer', async () => {
    expect(messageOf(await rpc(call(1, 'greet', { key: 'x' })))).toMatchObject({ result: { isError: true } })
    const answer = await rpc(call(1, 'big', { size: 1 }, { progressToken: 1 }))
    expect(messageOf(answer)).toMatchObject({ id: 1, result: { content: [{ text: 'x' }] } })
    expect(messageOf(await rpc(ask(1, 'resources/subscribe', { uri: 'note://one' })))).toMatchObject({
      error: { code: -32600 },
    })
  })

  test('[S-CUS-05] [S-HDR-12] an envelope is served; headers that repeat it are optional but must not lie', async () => {
    const body = call(1, 'region', { region: 'eu' })
    const sent = { ...body, params: enveloped(body.params as object as Record<string, unknown>) }
    expect(messageOf(await rpc(sent))).toMatchObject({ id: 1, result: { resultType: 'complete' } })
    expect(messageOf(await rpc(sent, { 'mcp-method': 'tools/call', 'mcp-name': 'region' }))).toMatchObject({
      id: 1,
      result: {},
    })
    for (const lie of [
      { 'mcp-method': 'tools/list' },
      { 'mcp-name': 'echo' },
      { 'mcp-protocol-version': '2025-11-25' },
    ]) {
      expect(messageOf(await rpc(sent, lie))).toMatchObject({ id: 1, error: { code: -32020 } })
    }
    expect(messageOf(await rpc([sent]))).toMatchObject({ error: { code: -32600 } })
    expect(messageOf(await rpc(ask(1, 'tools/list', enveloped({}, {}, 'v999'))))).toMatchObject({
      error: { code: -32022 },
    })
  })

  test('[S-CUS-04] modern: what needs the client is told by its code', async () => {
    const body = call(1, 'think')
    expect(messageOf(await rpc({ ...body, params: enveloped({ name: 'think' }) }))).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
    })
  })

  test('any Accept will do', async () => {
    for (const accept of ['application/json', 'text/html', '*/*']) {
      expect(await rpc(ask(1, 'ping'), { accept })).toMatchObject({ status: 200 })
    }
  })

  test('whom it cannot serve', async () => {
    const answers = [
      await rpc(ask(1, 'ping'), { 'content-type': 'text/plain' }),
      await exchange(shop.url, { method: 'GET', path: '/rpc' }),
      await rpc(''),
    ]
    expect(answers.map(({ status }) => status)).toEqual([415, 405, 400])
    expect(answers.map(answer => messageOf(answer).id)).toEqual([null, null, null])
    expect(answers[1]?.headers.allow).toBe('POST')
  })

  test('responses are heard in silence', async () => {
    expect(await rpc({ jsonrpc: '2.0', id: 1, result: {} })).toMatchObject({ status: 204, text: '' })
  })

  test('a batch runs at once, and keeps its order', async () => {
    const answer = rpc([call(1, 'hold', { key: 'a' }), call(2, 'hold', { key: 'b' }), ask(3, 'ping')])
    await Promise.all([shop.gates.entered('a'), shop.gates.entered('b')])
    shop.gates.open('b')
    shop.gates.open('a')
    expect(messagesOf(await answer).map(({ id }) => id)).toEqual([1, 2, 3])
  })

  test('a batch may hold a thousand messages, and no more', async () => {
    const batch = (length: number): unknown[] => Array.from({ length }, (_, id) => ask(id, 'ping'))
    expect(messagesOf(await rpc(batch(1000)))).toHaveLength(1000)
    expect(messageOf(await rpc(batch(1001)))).toMatchObject({ id: null, error: { code: -32600 } })
  })

  test('[S-RPC-06] initialize in a batch fails alone', async () => {
    expect(messagesOf(await rpc([hello(), ask(1, 'ping')]))).toMatchObject([
      { error: { code: -32600 } },
      { id: 1, result: {} },
    ])
  })

  test('a client that leaves is cancelled, and all of its batch', async () => {
    const sending = begin(shop.url, {
      path: '/rpc',
      headers: JSON_HEADERS,
      body: [call(1, 'hold', { key: 'x' }), call(2, 'hold', { key: 'y' })],
    })
    await Promise.all([shop.gates.entered('x'), shop.gates.entered('y')])
    sending.destroy()
    expect(await shop.gates.cancelled('x')).toBe('The client disconnected')
    expect(await shop.gates.cancelled('y')).toBe('The client disconnected')
  })

  test('an answer of nine million letters', async () => {
    const { text } = await rpc(ask(1, 'plain_big', { size: 9_000_000 }))
    expect(text).toHaveLength('{"jsonrpc":"2.0","id":1,"result":""}'.length + 9_000_000)
  })
})

test('[S-HDR-12] mirrored headers are wanted on /mcp only', async () => {
  const shop = await shopForTest()
  const { body } = new Stateless(shop.url).sent(call(1, 'echo'))
  const statuses = ['/mcp', '/rpc', '/sse'].map(
    async path => (await exchange(shop.url, { path, headers: JSON_HEADERS, body })).status,
  )
  expect(await Promise.all(statuses)).toEqual([400, 200, 200])
  if (isFetch) return
  const socket = await WsClient.open(shop.url)
  socket.send(body, tell('notifications/whatever'))
  expect(await socket.answered(1)).toMatchObject({ result: { resultType: 'complete' } })
  await socket.close()
})
