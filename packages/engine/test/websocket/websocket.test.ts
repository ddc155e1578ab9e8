import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { Stateless, ask, call, enveloped, hello, tell } from '../support/http-client.ts'
import { Raw, spelled } from '../support/raw-http.ts'
import { openShop, shopForTest } from '../support/workshop.ts'
import { UPGRADE, WsClient } from '../support/ws-client.ts'

describe('[S-CUS-02] the upgrade', () => {
  test.each([
    ['mcp', 'mcp'],
    [[], ''],
    [['other', 'mcp'], 'mcp'],
  ])('offered %j, speaks "%s"', async (offered, spoken) => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url, offered)
    expect(socket.ws.protocol).toBe(spoken)
    expect(shop.service.open.sockets).toBe(1)
    await socket.close()
    await expect.poll(() => shop.service.open.sockets, { interval: 5 }).toBe(0)
  })

  test('of another protocol only, none is agreed on', async () => {
    const shop = await shopForTest()
    const connection = await Raw.open(shop.port)
    const headers = { ...UPGRADE, 'sec-websocket-protocol': 'graphql-ws' }
    connection.write(spelled({ method: 'GET', path: '/ws', headers }))
    const head = await connection.head()
    expect(head.status).toBe(101)
    expect(head.headers).not.toHaveProperty('sec-websocket-protocol')
    connection.hangUp()
  })

  test.each([
    ['an evil Origin', { origin: 'https://evil.example.com' }, 403],
    ['an evil Host', { host: 'evil.example.com' }, 403],
  ])('%s is refused before', async (_, headers, status) => {
    const shop = await shopForTest()
    const ws = new WebSocket(`${shop.url.replace('http', 'ws')}/ws`, 'mcp', { headers })
    const [, response] = (await once(ws, 'unexpected-response')) as [unknown, IncomingMessage]
    expect(response.statusCode).toBe(status)
    response.resume()
    expect(shop.service.open.sockets).toBe(0)
  })

  test.each([
    ['no key', { 'sec-websocket-key': undefined }, 400],
    ['an old version', { 'sec-websocket-version': '7' }, 400],
  ])('%s', async (_, change, status) => {
    const shop = await shopForTest()
    const connection = await Raw.open(shop.port)
    connection.write(spelled({ method: 'GET', path: '/ws', headers: { ...UPGRADE, ...change } }))
    expect(await connection.head()).toMatchObject({ status })
    await connection.ended()
    connection.hangUp()
  })
})

describe('[S-CUS-01] [S-CUS-03] with a handshake', () => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('%s', async version => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    expect(await socket.initialize(version)).toMatchObject({ result: { protocolVersion: version } })
    socket.send(call(1, 'add_numbers', { number1: 5, number2: 3 }))
    expect(await socket.answered(1)).toMatchObject({ result: { content: [{ text: '{"result":8}' }] } })
    await socket.close()
  })

  test.each([
    ['2024-11-05', true],
    ['2025-03-26', true],
    ['2025-06-18', false],
    ['2025-11-25', false],
  ])('%s: batches? %s', async (version, taken) => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    await socket.initialize(version)
    socket.send([ask(1, 'ping'), ask(2, 'ping')], ask('after', 'ping'))
    await socket.answered('after')
    const answers = socket.received.filter(({ id }) => id !== 'hello' && id !== 'after')
    const refusals = answers.map(({ error }) => error?.code)
    expect(refusals).toEqual(taken ? [undefined, undefined] : [-32600])
    await socket.close()
  })

  test('[S-RPC-05] what cannot be read is answered under null until 2025-06-18, and under nothing after', async () => {
    const shop = await shopForTest()
    for (const [version, key] of [
      ['2025-06-18', 'id'],
      ['2025-11-25', 'jsonrpc'],
    ] as const) {
      const socket = await WsClient.open(shop.url)
      await socket.initialize(version)
      socket.send('{nonsense', { jsonrpc: '2.0', id: null, method: 'ping' }, ask('after', 'ping'))
      await socket.answered('after')
      const answers = socket.received.filter(({ error }) => error)
      expect(answers.map(({ error }) => error?.code)).toEqual([-32700, -32600])
      expect(answers.map(answer => Object.keys(answer).includes('id'))).toEqual([key === 'id', key === 'id'])
      await socket.close()
    }
  })

  test('[S-LIFE-15] a second handshake is refused', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    await socket.initialize()
    socket.send({ ...hello(), id: 'again' })
    expect(await socket.answered('again')).toMatchObject({ error: { code: -32600 } })
    await socket.close()
  })

  test('the server’s questions, progress, log messages and changes come over it', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    socket.answer = ({ method }) =>
      method === 'elicitation/create'
        ? { action: 'accept', content: { name: 'Ada' } }
        : { role: 'assistant', content: { type: 'text', text: 'hm' }, model: 'm' }
    await socket.initialize('2025-11-25', { elicitation: {}, sampling: {} })
    socket.send(
      call(1, 'greet', { key: 'x' }),
      call(2, 'think'),
      call(3, 'steps', { key: 'k' }, { progressToken: 't' }),
    )
    expect(await socket.answered(1)).toMatchObject({ result: { content: [{ text: 'Hello, Ada!' }] } })
    expect(await socket.answered(2)).toMatchObject({ result: { content: [{ text: expect.stringContaining('hm') }] } })
    await shop.gates.entered('k')
    socket.send(call(4, 'change'))
    await socket.answered(4)
    shop.gates.open('k')
    await socket.answered(3)
    const sent = socket.received.flatMap(({ method }) => (method?.startsWith('notifications/') ? [method] : []))
    expect(sent.sort((a, b) => a.localeCompare(b))).toEqual([
      'notifications/message',
      'notifications/progress',
      'notifications/progress',
      'notifications/tools/list_changed',
    ])
    await socket.close()
  })

  test('[S-CAN-01] cancelled by name, nothing is answered', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    await socket.initialize()
    socket.send(call(1, 'hold', { key: 'k' }))
    await shop.gates.entered('k')
    socket.send(tell('notifications/cancelled', { requestId: 1, reason: 'enough' }))
    expect(await shop.gates.cancelled('k')).toBe('enough')
    socket.send(ask(2, 'ping'))
    await socket.answered(2)
    expect(socket.received.filter(({ id }) => id === 1)).toEqual([])
    await socket.close()
  })
})

describe('without one', () => {
  test('batches, direct calls and null ids work as on /rpc', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url, [])
    socket.send([ask(1, 'add_numbers', { number1: 5, number2: 3 }), ask(null, 'ping'), tell('x')])
    await socket.reads(() => socket.frames.length === 1)
    expect(JSON.parse(socket.frames[0] ?? '')).toEqual([
      { jsonrpc: '2.0', id: 1, result: { result: 8 } },
      { jsonrpc: '2.0', id: null, result: {} },
    ])
    await socket.close()
  })

  test('a stateless envelope is served, and cancelled by name', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    socket.send(ask(1, 'server/discover', enveloped()))
    expect(await socket.answered(1)).toMatchObject({ result: { supportedVersions: expect.any(Array) } })
    socket.send(ask(2, 'tools/call', enveloped({ name: 'greet', arguments: { key: 'x' } }, { elicitation: {} })))
    expect(await socket.answered(2)).toMatchObject({ result: { resultType: 'input_required' } })
    socket.send(ask(3, 'tools/call', enveloped({ name: 'hold', arguments: { key: 'k' } })))
    await shop.gates.entered('k')
    socket.send(tell('notifications/cancelled', { requestId: 3 }))
    expect(await shop.gates.cancelled('k')).toBe('The client cancelled the request')
    await socket.close()
  })

  test('both eras on one socket', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    await socket.initialize('2025-06-18')
    socket.send(ask(1, 'tools/list', enveloped()), ask(2, 'tools/list'))
    expect(await socket.answered(1)).toMatchObject({ result: { resultType: 'complete' } })
    expect((await socket.answered(2)).result).not.toHaveProperty('resultType')
    await socket.close()
  })

  test('subscriptions/listen, several at once, each cancelled on its own', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    const listen = (id: string): object =>
      ask(id, 'subscriptions/listen', enveloped({ notifications: { toolsListChanged: true } }))
    socket.send(listen('a'), listen('b'))
    await socket.reads(() => socket.frames.length === 2)
    await new Stateless(shop.url).call('change')
    await socket.reads(() => socket.frames.length === 4)
    socket.send(tell('notifications/cancelled', { requestId: 'a' }), ask('p', 'ping'))
    await socket.answered('p')
    await new Stateless(shop.url).call('change')
    await socket.reads(() => socket.frames.length === 6)
    const ids = socket.received.map(
      ({ params }) =>
        (params?._meta as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/subscriptionId'],
    )
    expect(ids).toEqual(['a', 'b', 'a', 'b', undefined, 'b'])
    await socket.close()
  })
})

describe('frames', () => {
  test('binary ones are no messages: they are refused as frames of no stream, once', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    socket.ws.send(Buffer.from(JSON.stringify(ask(1, 'ping'))))
    socket.ws.send(Buffer.from([0, 1, 2]))
    socket.ws.send(Buffer.from([0, 1, 2]))
    socket.send(ask(2, 'ping'))
    await socket.answered(2)
    const types = socket.frames.map(text => (JSON.parse(text) as { type?: string }).type)
    expect(types).toEqual(['error', 'error', undefined])
    await socket.close()
  })

  test('text in pieces is one message', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    const text = JSON.stringify(call(1, 'echo', { word: 'Zoë ✓' }))
    socket.ws.send(text.slice(0, 20), { fin: false })
    socket.ws.send(text.slice(20), { fin: true })
    expect(await socket.answered(1)).toMatchObject({ result: { content: [{ text: '{"word":"Zoë ✓"}' }] } })
    await socket.close()
  })

  test('[S-CUS-02] what is too large closes the socket with 1009, in one piece or many', async () => {
    const shop = await shopForTest({ maxBody: 1000 })
    const whole = await WsClient.open(shop.url)
    whole.send(' '.repeat(1001))
    expect(await whole.closed).toBe(1009)
    const pieces = await WsClient.open(shop.url)
    pieces.ws.send(' '.repeat(600), { fin: false })
    pieces.ws.send(' '.repeat(600), { fin: false })
    expect(await pieces.closed).toBe(1009)
    const fitting = await WsClient.open(shop.url)
    fitting.send(JSON.stringify(ask(1, 'ping')).padEnd(1000))
    expect(await fitting.answered(1)).toMatchObject({ result: {} })
    await fitting.close()
  })

  test('text that is no UTF-8 closes it with 1007', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    socket.ws.send(Buffer.from([0xff, 0xfe]), { binary: false })
    expect(await socket.closed).toBe(1007)
  })

  test('a frame that is none closes it with 1002, and the process does not mind', async () => {
    const shop = await shopForTest()
    const connection = await Raw.open(shop.port)
    connection.write(spelled({ method: 'GET', path: '/ws', headers: UPGRADE }))
    await connection.head()
    // Not masked, with reserved bits.
    connection.write(Buffer.from([0xf1, 0x05, 1, 2, 3, 4, 5]))
    await connection.ended()
    connection.hangUp()
    await expect.poll(() => shop.service.open.sockets, { interval: 5 }).toBe(0)
    expect(await new Stateless(shop.url).call('echo')).toMatchObject({ result: {} })
  })

  test('nonsense is answered, and the socket stays', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    socket.send('', '{', '42', '[]', 'null', '"text"')
    socket.send(ask('after', 'ping'))
    await socket.answered('after')
    expect(socket.received.map(({ error }) => error?.code)).toEqual([
      -32700,
      -32700,
      -32600,
      -32600,
      -32600,
      -32600,
      undefined,
    ])
    await socket.close()
  })

  test('a hundred calls at once are each answered', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    await socket.initialize()
    const ids = Array.from({ length: 100 }, (_, i) => i)
    socket.send(...ids.map(i => call(i, 'add_numbers', { number1: i, number2: 1 })))
    const answers = await Promise.all(ids.map(i => socket.answered(i)))
    expect(answers.map(({ result }) => result?.structuredContent)).toEqual(ids.map(i => ({ result: i + 1 })))
    await socket.close()
  })
})

describe('a client that is not there', () => {
  test('closing ends its work', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    await socket.initialize()
    socket.send(call(1, 'hold', { key: 'k' }))
    await shop.gates.entered('k')
    await socket.close()
    expect(await shop.gates.cancelled('k')).toBe('The client closed its socket')
    expect(shop.service.open.sockets).toBe(0)
  })

  test('so does hanging up', async () => {
    const shop = await shopForTest()
    const socket = await WsClient.open(shop.url)
    socket.send(call(1, 'hold', { key: 'k' }))
    await shop.gates.entered('k')
    socket.ws.terminate()
    expect(await shop.gates.cancelled('k')).toBe('The client closed its socket')
  })

  test('while it takes nothing, nothing more is taken from it; then all is answered', async () => {
    const shop = await shopForTest()
    let begun = 0
    shop.server.use((request, next) => ((begun += 1), next(request)))
    const socket = await WsClient.open(shop.url)
    socket.ws.pause()
    const ids = Array.from({ length: 400 }, (_, i) => i)
    socket.send(...ids.map(i => ask(i, 'plain_big', { size: 100_000 })))
    const other = new Stateless(shop.url)
    const settledAt = async (): Promise<number> => {
      const before = begun
      for (let i = 0; i < 20; i++) await other.request('server/discover')
      begun -= 20
      return begun === before ? begun : settledAt()
    }
    // What the kernel and one look-ahead hold, but by no means everything.
    expect(await settledAt()).toBeLessThan(250)
    socket.ws.resume()
    await socket.reads(() => socket.frames.length === 400)
    expect(begun).toBe(400)
    await socket.close()
  })
})

describe('[S-PING-02] ping and pong', () => {
  afterEach(() => void vi.useRealTimers())

  test('one that answers stays, one that does not is dropped at the next beat', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const shop = await openShop()
    const alive = await WsClient.open(shop.url)
    const dead = await WsClient.open(shop.url, 'mcp', { autoPong: false })
    dead.send(call(1, 'hold', { key: 'k' }))
    await shop.gates.entered('k')
    const pings = [once(alive.ws, 'ping'), once(dead.ws, 'ping')]
    vi.advanceTimersByTime(30_000)
    await Promise.all(pings)
    alive.send(ask(1, 'ping'))
    await alive.answered(1)
    vi.advanceTimersByTime(30_000)
    expect(await dead.closed).toBe(1006)
    expect(await shop.gates.cancelled('k')).toBe('The client closed its socket')
    alive.send(ask(2, 'ping'))
    await alive.answered(2)
    await alive.close()
    await shop.close()
  })
})
