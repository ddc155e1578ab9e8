import { deepEqual } from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Stateful, Stateless, ask, call } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf, messagesOf } from '../support/http-exchange.ts'
import type { Answer } from '../support/http-exchange.ts'
import { memoryInUse } from '../support/memory.ts'
import { wordsOf } from '../support/peer.ts'
import { Raw, spelled } from '../support/raw-http.ts'
import { openShop } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'
import { UPGRADE, WsClient } from '../support/ws-client.ts'

let shop: Shop
let begun: string[]
let logged: string[]

beforeEach(async () => {
  logged = []
  begun = []
  shop = await openShop({ maxBody: 1_000_000 }, { log: (level, message) => void logged.push(`${level}: ${message}`) })
  shop.server.use((request, next) => (begun.push(request.method), next(request)))
})

/** Whatever happened: the process lives, a good client is served, nothing is left open, nothing needs a word in the log. */
afterEach(async () => {
  const { result } = await new Stateless(shop.url).call('add_numbers', { number1: 1, number2: 2 })
  deepEqual(result?.structuredContent, { result: 3 })
  const isEmpty = (): void => deepEqual({ ...shop.service.open, sessions: 0 }, { sessions: 0, streams: 0, sockets: 0 })
  await vi.waitFor(isEmpty, { interval: 5 })
  deepEqual(
    logged.filter(line => line.startsWith('error')),
    [],
  )
  await shop.close()
})

const PING = JSON.stringify(ask(1, 'ping'))
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const connections = (count: number): Promise<Raw[]> => Promise.all(many(count, () => Raw.open(shop.port)))
const good = async (): Promise<string> =>
  wordsOf((await new Stateless(shop.url).call('echo', { ok: true })).result ?? {})

/** Every second one says goodbye, the others just go. */
async function leave(open: readonly Raw[]): Promise<void> {
  for (const [i, connection] of open.entries()) {
    if (i % 2 === 0) connection.hangUp()
    else connection.reset()
    connection.text = ''
  }
  await Promise.all(open.map(connection => connection.closed))
}

/** All that is said to these bytes until the connection ends. */
async function said(bytes: string | Uint8Array): Promise<string> {
  const connection = await Raw.open(shop.port)
  connection.write(bytes)
  await connection.ended()
  connection.hangUp()
  return connection.text
}

describe('bytes that could be read in two ways are refused, and nothing in them is served', () => {
  const post = (headers: readonly string[], rest: string): string =>
    [`POST /rpc HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...headers, '', rest].join('\r\n')
  const smuggled = `POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${PING.length}\r\n\r\n${PING}`
  const chunked = `${PING.length.toString(16)}\r\n${PING}\r\n0\r\n\r\n`
  const rows: readonly [string, string][] = [
    ['a length and chunks', post([`Content-Length: ${PING.length}`, 'Transfer-Encoding: chunked'], chunked + smuggled)],
    ['chunks and a length', post(['Transfer-Encoding: chunked', 'Content-Length: 4'], chunked + smuggled)],
    ['two lengths', post([`Content-Length: ${PING.length}`, 'Content-Length: 0'], PING + smuggled)],
    ['two lengths that agree', post([`Content-Length: ${PING.length}`, `Content-Length: ${PING.length}`], PING)],
    ['a list of lengths', post([`Content-Length: ${PING.length}, ${PING.length}`], PING)],
    ['a length below nothing', post(['Content-Length: -1'], PING)],
    ['a length in hex', post(['Content-Length: 0x10'], PING)],
    ['a length with a sign', post([`Content-Length: +${PING.length}`], PING)],
    ['a length before anyone could count', post(['Content-Length: 99999999999999999999999'], PING)],
    ['chunks twice', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], chunked + smuggled)],
    ['chunks that are not last', post(['Transfer-Encoding: chunked, gzip'], chunked + smuggled)],
    ['chunks of a length that is none', post(['Transfer-Encoding: chunked'], `zz\r\n${PING}\r\n0\r\n\r\n`)],
    ['a space before the colon', post([`Content-Length : ${PING.length}`], PING)],
    ['a folded header', post([`X-A: b\r\n  Content-Length: 0`, `Content-Length: ${PING.length}\r\n\tmore`], PING)],
    ['a header without a name', post([': value', `Content-Length: ${PING.length}`], PING)],
    ['a NUL in a header', post(['X-A: b\0c', `Content-Length: ${PING.length}`], PING)],
    ['a lone return in a header', post([`X-A: b\rContent-Length: ${PING.length}`], PING)],
    [
      'no Host',
      `POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${PING.length}\r\n\r\n${PING}`,
    ],
    ['another protocol', 'EHLO mail.example.com\r\n'],
    ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a version nobody has', `POST /rpc HTTP/9.9\r\nHost: localhost\r\n\r\n`],
    ['a method nobody has', `BREW /rpc HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  ]
  test.each(rows)('%s', async (_, bytes) => {
    expect(await said(bytes)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n[\s\S]*\r\n\r\n$/)
    expect(begun).toEqual([])
  })

  test('the first words of TLS', async () => {
    const hello = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])
    expect(await said(hello)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('CONNECT is no way out', async () => {
    expect(await said('CONNECT evil.example.com:80 HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe('')
  })

  test('nonsense after a good request ends the connection, not the process', async () => {
    const text = await said(`${spelled({ path: '/rpc', headers: JSON_HEADERS, body: PING })}NONSENSE\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 /)
  })

  test('nonsense behind a call that runs is not taken for its answer', async () => {
    const connection = await Raw.open(shop.port)
    const body = JSON.stringify(call(1, 'hold', { key: 'before nonsense' }))
    connection.write(`${spelled({ path: '/rpc', headers: JSON_HEADERS, body })}NONSENSE\r\n\r\n`)
    await shop.gates.entered('before nonsense')
    shop.gates.open('before nonsense')
    await connection.ended()
    expect(connection.text).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close[\s\S]*released before nonsense[^\r]*$/,
    )
    connection.hangUp()
  })

  test('nonsense into an open stream ends it', async () => {
    const connection = await Raw.open(shop.port)
    connection.write(spelled({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } }))
    await connection.reads(() => connection.text.includes('event: endpoint'))
    connection.write('NONSENSE\r\n\r\n')
    await expect(connection.ended()).resolves.toBeUndefined()
    connection.hangUp()
  })
})

describe('too much', () => {
  test('headers', async () => {
    expect(await said(spelled({ headers: { ...JSON_HEADERS, 'x-a': 'a'.repeat(40_000) } }))).toMatch(/^HTTP\/1\.1 431 /)
    const headers = Object.fromEntries(many(5000, i => [`x-${i}`, 'v']))
    expect(await said(spelled({ headers }))).toMatch(/^HTTP\/1\.1 431 /)
    expect(await said(spelled({ method: 'GET', path: `/${'a'.repeat(40_000)}` }))).toMatch(/^HTTP\/1\.1 431 /)
  })

  test('extensions of a chunk', async () => {
    const head = spelled({ path: '/rpc', headers: { ...JSON_HEADERS, 'transfer-encoding': 'chunked' } })
    expect(await said(`${head}1;${'e'.repeat(40_000)}\r\n`)).toMatch(/^HTTP\/1\.1 4\d\d /)
  })

  test('bodies by the dozen: none is kept', async () => {
    const before = await memoryInUse()
    const sent = many(40, async () => {
      const connection = await Raw.open(shop.port)
      connection.write(spelled({ path: '/rpc', headers: { ...JSON_HEADERS, 'transfer-encoding': 'chunked' } }))
      connection.write(`1e8480\r\n${' '.repeat(2_000_000)}\r\n`)
      const { status } = await connection.head()
      connection.hangUp()
      return status
    })
    expect(await Promise.all(sent)).toEqual(many(40, () => 413))
    expect((await memoryInUse()) - before).toBeLessThan(30_000_000)
  })

  test('connections: beyond the limit they are dropped, and room is made when others leave', async () => {
    const small = await openShop({ maxConnections: 5 })
    const open = await Promise.all(many(5, () => Raw.open(small.port)))
    for (const connection of open) connection.write(spelled({ method: 'GET', path: '/health/live' }))
    await Promise.all(open.map(connection => connection.head()))
    const sixth = await Raw.open(small.port)
    sixth.write(spelled({ method: 'GET', path: '/health/live' }))
    await sixth.ended()
    expect(sixth.text).toBe('')
    for (const connection of open) connection.hangUp()
    await expect
      .poll(() =>
        exchange(small.url, { method: 'GET', path: '/health/live' }).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)
    await small.close()
  })
})

describe('requests that do not end', () => {
  test('hundreds of them, of every kind, do not stand in the way of a good one; hung up on, nothing is left', async () => {
    const before = await memoryInUse()
    const session = await Stateful.open(shop.url)
    const half = [
      'POST /mcp HT',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-A',
      spelled({ headers: { ...JSON_HEADERS, 'content-length': '900000' } }) + PING,
      spelled({ headers: { ...session.headers(), 'content-length': '900000' } }) + PING.slice(0, 9),
      spelled({ path: '/rpc', headers: { ...JSON_HEADERS, 'transfer-encoding': 'chunked' } }) + '5\r\n{"js',
      '',
    ]
    const open = await connections(600)
    for (const [i, connection] of open.entries()) connection.write(half[i % half.length] ?? '')
    expect(await Promise.all(many(50, good))).toEqual(many(50, () => '{"ok":true}'))
    expect(await session.request('ping')).toMatchObject({ result: {} })
    await leave(open)
    expect(begun.filter(method => method === 'ping')).toHaveLength(1)
    expect((await memoryInUse()) - before).toBeLessThan(30_000_000)
  })

  test('a body that comes letter by letter is served when it is there', async () => {
    const connection = await Raw.open(shop.port)
    const text = spelled({ path: '/rpc', headers: JSON_HEADERS, body: PING })
    connection.write(text.slice(0, -PING.length))
    for (const letter of PING) {
      connection.write(letter)
      await good()
    }
    await expect(connection.reads(() => connection.text.includes('"result":{}'))).resolves.toBeUndefined()
    connection.hangUp()
  })

  test('a head that does not end is given up after ten seconds or so', async () => {
    const slow = await connections(20)
    for (const connection of slow) connection.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\n')
    await Promise.all(slow.map(connection => connection.ended()))
    expect(slow.map(({ text }) => text.slice(0, 12))).toEqual(slow.map(() => 'HTTP/1.1 408'))
    for (const connection of slow) connection.hangUp()
  })
})

describe('clients that leave in the middle', () => {
  test('of an answer, by the hundred', async () => {
    const before = await memoryInUse()
    const open = await connections(100)
    for (const connection of open) {
      const body = JSON.stringify(ask(1, 'plain_big', { size: 900_000 }))
      connection.write(spelled({ path: '/rpc', headers: JSON_HEADERS, body }))
    }
    await Promise.all(open.map(connection => connection.reads(() => connection.text.length > 100)))
    await leave(open)
    expect(await good()).toBe('{"ok":true}')
    expect((await memoryInUse()) - before).toBeLessThan(30_000_000)
  })

  test('of streams of every kind, by the hundred', async () => {
    const session = await Stateful.open(shop.url)
    const stateless = new Stateless('')
    const listen = stateless.sent(ask(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } }))
    const kinds = [
      (): string => spelled({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } }),
      (): string => spelled({ method: 'GET', headers: session.headers() }),
      (): string => spelled({ headers: listen.headers ?? {}, body: JSON.stringify(listen.body) }),
      (i: number): string => {
        const body = JSON.stringify(call(`s${i}`, 'steps', { key: `s${i}` }, { progressToken: i }))
        return spelled({ headers: session.headers(), body })
      },
      (): string => spelled({ method: 'GET', path: '/ws', headers: UPGRADE }),
    ]
    const open = await connections(200)
    for (const [i, connection] of open.entries()) connection.write(kinds[i % kinds.length]?.(i) ?? '')
    await Promise.all(open.map(connection => connection.head()))
    await leave(open)
    await expect.poll(() => shop.service.open, { interval: 5 }).toMatchObject({ streams: 0, sockets: 0 })
    shop.gates.openAll()
    expect(await session.request('ping')).toMatchObject({ result: {} })
    await session.end()
    expect(shop.service.open).toEqual({ sessions: 0, streams: 0, sockets: 0 })
  })

  test('of a handshake for a WebSocket', async () => {
    const open = await connections(50)
    for (const connection of open) {
      connection.write(spelled({ method: 'GET', path: '/ws', headers: UPGRADE }))
      connection.hangUp()
    }
    await Promise.all(open.map(connection => connection.closed))
    expect(await good()).toBe('{"ok":true}')
  })
})

describe('requests in a row on one connection', () => {
  test('are answered in their order', async () => {
    const connection = await Raw.open(shop.port)
    const bodies = many(100, i => JSON.stringify(ask(i, 'add_numbers', { number1: i, number2: 1 })))
    connection.write(bodies.map(body => spelled({ path: '/rpc', headers: JSON_HEADERS, body })).join(''))
    await connection.reads(() => connection.text.includes('"id":99'))
    expect(
      [...connection.text.matchAll(/"id":(\d+),"result":\{"result":(\d+)\}/g)].map(([, id, sum]) => [
        Number(id),
        Number(sum),
      ]),
    ).toEqual(many(100, i => [i, i + 1]))
    connection.hangUp()
  })

  test('are not begun while nobody takes the answers', async () => {
    const connection = await Raw.open(shop.port)
    connection.socket.pause()
    const body = JSON.stringify(ask(1, 'plain_big', { size: 900_000 }))
    const before = await memoryInUse()
    connection.write(spelled({ path: '/rpc', headers: JSON_HEADERS, body }).repeat(300))
    for (let i = 0; i < 20; i++) await good()
    expect(begun.filter(method => method === 'tools/call').length - 20).toBeLessThan(20)
    expect((await memoryInUse()) - before).toBeLessThan(30_000_000)
    connection.hangUp()
  })

  test('behind a stream that does not end are not begun, and leave nothing open when they go', async () => {
    const connection = await Raw.open(shop.port)
    const listen = spelled({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } })
    connection.write(listen.repeat(50))
    await connection.reads(() => connection.text.includes('event: endpoint'))
    await good()
    expect(shop.service.open.streams).toBe(1)
    connection.hangUp()
    await expect.poll(() => shop.service.open.streams, { interval: 5 }).toBe(0)
  })
})

describe('junk', () => {
  const endpoints = ['/mcp', '/rpc', '/sse']
  const rpc = (body: unknown): Promise<Answer> => exchange(shop.url, { path: '/rpc', headers: JSON_HEADERS, body })

  test('a batch of it: each member is told', async () => {
    const junk = [null, true, 1, 'x', [], {}, { jsonrpc: '2.0' }, { jsonrpc: '2.0', method: {} }, { id: 1 }]
    const batch = many(999, i => junk[i % junk.length])
    const answers = messagesOf(await rpc(batch))
    expect(answers).toHaveLength(999)
    expect(new Set(answers.map(({ error }) => error?.code))).toEqual(new Set([-32600]))
  })

  test('the same in a session that takes batches, and on a WebSocket', async () => {
    const session = await Stateful.open(shop.url, { version: '2025-03-26' })
    const answers = messagesOf(await session.post([1, 'a', null, [[]]]))
    expect(answers.map(({ error }) => error?.code)).toEqual([-32600, -32600, -32600, -32600])
    await session.end()
    const socket = await WsClient.open(shop.url)
    socket.send([1, 'a', null, [[]]])
    await socket.reads(() => socket.received.length === 4)
    await socket.close()
  })

  const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
  test.each(endpoints)('%s: JSON that is nested a hundred thousand times', async path => {
    for (const body of [
      deep(100_000),
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":${deep(100_000)}}}}`,
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    ]) {
      const answer = await exchange(shop.url, { path, headers: JSON_HEADERS, body })
      expect(answer.status).toBe(400)
      expect(messageOf(answer)).toMatchObject({ error: { code: expect.any(Number) } })
    }
  })

  test('nested as deep as is read, it is served or refused, and no more', async () => {
    const args = `{"region":${deep(900)}}`
    const { headers = {} } = new Stateless('').sent(call(1, 'region'), { 'mcp-param-region': '[]' })
    const _meta =
      '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"region","arguments":${args},"_meta":${_meta}}}`
    const refused = await exchange(shop.url, { headers, body })
    expect(refused.status).toBe(400)
    expect(messageOf(refused)).toMatchObject({ id: 1, error: { code: -32020 } })
    const echoed = await rpc(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":${deep(900)}}}`)
    expect(messageOf(echoed)).toMatchObject({ id: 1, result: {} })
  })

  test('names that every object has', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    for (const name of names) {
      const session = new Stateful(shop.url, name, {})
      const stream = await session.listen(`${name}_1`)
      await stream.ended
      expect(stream.status).toBe(404)
      expect(messageOf(await rpc(ask(1, name)))).toMatchObject({ error: { code: -32601 } })
      expect(messageOf(await rpc(call(1, name)))).toMatchObject({ error: { code: -32602 } })
      const posted = await exchange(shop.url, {
        path: `/messages?sessionId=${name}`,
        headers: JSON_HEADERS,
        body: PING,
      })
      expect(posted.status).toBe(404)
      const modern = await new Stateless(shop.url).post(ask(1, name))
      expect(modern.status).toBe(404)
    }
    await rpc(
      '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}',
    )
    expect({}).not.toHaveProperty('polluted')
  })

  test('ids, cursors and tokens of every shape', async () => {
    const session = await Stateful.open(shop.url)
    for (const value of [0, '', -1, 1.5, 1e308, true, [], {}, 'x'.repeat(100_000), '\u0000', '\ud800']) {
      const answers = [
        await session.post({ jsonrpc: '2.0', id: value, method: 'ping' }),
        await session.post(ask('c', 'tools/list', { cursor: value })),
        await session.post(call('p', 'echo', {}, { progressToken: value })),
        await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: value } }),
        await session.post({ jsonrpc: '2.0', id: value, result: value }),
      ]
      expect(answers.filter(({ status }) => ![200, 202, 400].includes(status))).toEqual([])
    }
    await session.end()
  })

  test('session ids by the thousand, guessed', async () => {
    const statuses = await Promise.all(
      many(500, async i => (await new Stateful(shop.url, `${i}`.padStart(32, 'A'), {}).post(ask(1, 'ping'))).status),
    )
    expect(new Set(statuses)).toEqual(new Set([404]))
  })
})

test('sessions opened and closed by the thousand leave nothing behind', async () => {
  const round = async (): Promise<void> => {
    await Promise.all(
      many(100, async i => {
        const session = await Stateful.open(shop.url)
        const stream = await session.listen()
        await session.call('big', { size: 10_000 }, { progressToken: i })
        stream.hangUp()
        await session.end()
      }),
    )
  }
  await round()
  const before = await memoryInUse()
  for (let i = 0; i < 5; i++) await round()
  expect(shop.service.open.sessions).toBe(0)
  expect((await memoryInUse()) - before).toBeLessThan(10_000_000)
})
