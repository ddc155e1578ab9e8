import { describe, expect, test } from 'vitest'
import { ask, call, hello, tell } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf, open } from '../support/http-exchange.ts'
import type { Answer, Stream } from '../support/http-exchange.ts'
import type { ReceivedMessage } from '../support/peer.ts'
import { shopForTest } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'

const LISTEN = { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } } as const

/** A client of the first revision: one stream for everything, one place to post. */
class OldClient {
  readonly stream: Stream
  readonly #url: string
  readonly #path: string

  constructor(url: string, stream: Stream, path: string) {
    this.#url = url
    this.stream = stream
    this.#path = path
  }

  static async open({ url }: Shop): Promise<OldClient> {
    const stream = await open(url, LISTEN)
    await stream.reads(() => stream.events.length > 0)
    return new OldClient(url, stream, stream.events[0]?.data ?? '')
  }

  /** Everything that came after the first event. */
  get received(): ReceivedMessage[] {
    return this.stream.events.slice(1).map(({ data }) => JSON.parse(data) as ReceivedMessage)
  }

  post(body: unknown, headers: object = {}): Promise<Answer> {
    return exchange(this.#url, { path: this.#path, headers: { ...JSON_HEADERS, ...headers }, body })
  }

  async until(fits: (message: ReceivedMessage) => boolean): Promise<ReceivedMessage> {
    const find = (): ReceivedMessage | undefined => this.received.find(fits)
    await this.stream.reads(() => find() !== undefined)
    return find() as ReceivedMessage
  }

  async initialize(version = '2024-11-05', capabilities = {}): Promise<ReceivedMessage> {
    await this.post(hello(version, capabilities))
    const answer = await this.until(({ id }) => id === 'hello')
    await this.post(tell('notifications/initialized'))
    return answer
  }
}

describe('GET /sse', () => {
  test('[S-OLD-01] [S-OLD-04] first says where to post, on this origin', async () => {
    const shop = await shopForTest()
    const { stream } = await OldClient.open(shop)
    expect(stream.status).toBe(200)
    expect(stream.headers['content-type']).toBe('text/event-stream')
    expect(stream.events).toEqual([
      { event: 'endpoint', data: expect.stringMatching(/^\/messages\?sessionId=[\w-]{32}$/) },
    ])
    stream.hangUp()
  })

  test('wants a reader of events', async () => {
    const shop = await shopForTest()
    const answer = await exchange(shop.url, { ...LISTEN, headers: { accept: 'application/json' } })
    expect(answer.status).toBe(406)
  })

  test('has a limit', async () => {
    const shop = await shopForTest({ maxSessions: 1 })
    const { stream } = await OldClient.open(shop)
    expect(await exchange(shop.url, LISTEN)).toMatchObject({ status: 503 })
    stream.hangUp()
    await expect.poll(() => shop.service.open.streams, { interval: 5 }).toBe(0)
    const next = await OldClient.open(shop)
    next.stream.hangUp()
  })
})

describe('POST /messages', () => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    '[S-OLD-02] [S-OLD-05] %s: 202 at once, the answer on the stream',
    async version => {
      const shop = await shopForTest()
      const client = await OldClient.open(shop)
      expect((await client.initialize(version)).result).toMatchObject({ protocolVersion: version })
      const taken = await client.post(call(1, 'add_numbers', { number1: 5, number2: 3 }))
      expect(taken).toMatchObject({ status: 202, text: 'Accepted' })
      expect(await client.until(({ id }) => id === 1)).toMatchObject({
        result: { content: [{ text: '{"result":8}' }] },
      })
      expect(client.stream.events.slice(1).map(({ event }) => event)).toEqual(['message', 'message'])
      client.stream.hangUp()
    },
  )

  test('[S-OLD-03] whom it cannot place', async () => {
    const shop = await shopForTest()
    const client = await OldClient.open(shop)
    const post = (path: string, headers: object = {}, method = 'POST'): Promise<Answer> =>
      exchange(shop.url, { method, path, headers: { ...JSON_HEADERS, ...headers }, body: ask(1, 'ping') })
    const unknown = await post('/messages?sessionId=nobody')
    const answers = [await post('/messages'), await post('/messages?sessionId='), unknown]
    expect(answers.map(({ status }) => status)).toEqual([400, 404, 404])
    expect(messageOf(unknown)).toMatchObject({ error: { code: -32001 } })
    expect(await client.post(ask(1, 'ping'), { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
    expect(await client.post('{')).toMatchObject({ status: 400 })
    expect(await post('/messages?sessionId=x', {}, 'PUT')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    client.stream.hangUp()
  })

  test('[S-RPC-07] batches', async () => {
    const shop = await shopForTest()
    const client = await OldClient.open(shop)
    await client.initialize()
    await client.post([ask(1, 'ping'), tell('notifications/roots/list_changed'), ask(2, 'nobody/knows')])
    await client.stream.reads(() => client.stream.events.length === 3)
    expect(JSON.parse(client.stream.events[2]?.data ?? '')).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32601 } },
    ])
    client.stream.hangUp()
  })

  test('progress, log messages, questions and changes all come on the stream', async () => {
    const shop = await shopForTest()
    const client = await OldClient.open(shop)
    await client.initialize('2025-11-25', { elicitation: {} })
    await client.post(call(1, 'steps', { key: 'k' }, { progressToken: 0 }))
    await client.post(call(2, 'greet', { key: 'x' }))
    const { id } = await client.until(({ method }) => method === 'elicitation/create')
    await client.post({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Ada' } } })
    await client.post(call(3, 'change'))
    shop.gates.open('k')
    expect(await client.until(message => message.id === 2)).toMatchObject({
      result: { content: [{ text: 'Hello, Ada!' }] },
    })
    await client.until(message => message.id === 1)
    await client.until(({ method }) => method === 'notifications/tools/list_changed')
    expect(client.received.filter(({ method }) => method === 'notifications/progress')).toMatchObject([
      { params: { progressToken: 0, progress: 1 } },
      { params: { progressToken: 0, progress: 2 } },
    ])
    client.stream.hangUp()
  })

  test('a stateless envelope is served there as well', async () => {
    const shop = await shopForTest()
    const client = await OldClient.open(shop)
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    await client.post(ask(1, 'tools/list', { _meta }))
    expect(await client.until(({ id }) => id === 1)).toMatchObject({ result: { resultType: 'complete' } })
    client.stream.hangUp()
  })

  test('[S-OLD-03] when the stream closes its work is cancelled and its session is gone', async () => {
    const shop = await shopForTest()
    const client = await OldClient.open(shop)
    await client.initialize()
    await client.post(call(1, 'hold', { key: 'k' }))
    await shop.gates.entered('k')
    client.stream.hangUp()
    expect(await shop.gates.cancelled('k')).toBe('The client closed its stream')
    expect(await client.post(ask(2, 'ping'))).toMatchObject({ status: 404 })
    expect(shop.service.open).toEqual({ sessions: 0, streams: 0, sockets: 0 })
  })

  test('cancelled by name', async () => {
    const shop = await shopForTest()
    const client = await OldClient.open(shop)
    await client.initialize()
    await client.post(call('c', 'hold', { key: 'k' }))
    await shop.gates.entered('k')
    await client.post(tell('notifications/cancelled', { requestId: 'c', reason: 'enough' }))
    expect(await shop.gates.cancelled('k')).toBe('enough')
    await client.post(ask('after', 'ping'))
    await client.until(({ id }) => id === 'after')
    expect(client.received.filter(({ id }) => id === 'c')).toEqual([])
    client.stream.hangUp()
  })

  test('two of them see nothing of each other', async () => {
    const shop = await shopForTest()
    const [one, two] = [await OldClient.open(shop), await OldClient.open(shop)]
    await one.initialize()
    await two.initialize()
    await one.post(call('mine', 'echo', { secret: 'one' }))
    await one.until(({ id }) => id === 'mine')
    await two.post(ask('theirs', 'ping'))
    await two.until(({ id }) => id === 'theirs')
    expect(two.stream.text).not.toContain('secret')
    one.stream.hangUp()
    two.stream.hangUp()
  })
})

describe('POST /sse, as seed 001 has it', () => {
  const events = async (body: unknown, headers: object = {}): Promise<{ answer: Answer; shop: Shop }> => {
    const shop = await shopForTest()
    return { answer: await exchange(shop.url, { path: '/sse', headers: { ...JSON_HEADERS, ...headers }, body }), shop }
  }

  test('a bare initialize: the answer as data, then done', async () => {
    const { answer } = await events({ jsonrpc: '2.0', method: 'initialize', id: 1 })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/)
    expect(answer.text).toMatch(/^data: \{"jsonrpc":"2\.0","id":1,"result":\{"protocolVersion":"2025-11-25",.*\}\}\n\n/)
    expect(answer.text).toMatch(/\n\nevent: done\ndata: \{\}\n\n$/)
  })

  test('exactly these bytes', async () => {
    const { answer } = await events({ jsonrpc: '2.0', method: 'ping', id: 'a' }, { accept: 'text/event-stream' })
    expect(answer.text).toBe('data: {"jsonrpc":"2.0","id":"a","result":{}}\n\nevent: done\ndata: {}\n\n')
  })

  test('a batch: each answer an event, in its order', async () => {
    const { answer } = await events([ask(1, 'ping'), tell('x'), ask(2, 'add_numbers', { number1: 5, number2: 3 }), 3])
    expect(answer.text).toBe(
      [
        'data: {"jsonrpc":"2.0","id":1,"result":{}}',
        'data: {"jsonrpc":"2.0","id":2,"result":{"result":8}}',
        'data: {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: a message must be a JSON object"}}',
        'event: done\ndata: {}\n\n',
      ].join('\n\n'),
    )
  })

  test('a notification: only done', async () => {
    const { answer } = await events(tell('notifications/initialized'))
    expect(answer.text).toBe('event: done\ndata: {}\n\n')
  })

  test('progress comes before the answer', async () => {
    const { answer } = await events(call(1, 'big', { size: 1 }, { progressToken: 7 }))
    const data = answer.text.split('\n').filter(line => line.startsWith('data: {"'))
    expect(data.map(line => JSON.parse(line.slice(6)) as ReceivedMessage)).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 7, progress: 1 } },
      { id: 1, result: {} },
    ])
  })

  test('whom it cannot serve', async () => {
    const shop = await shopForTest()
    const post = (body: unknown, headers: object = {}, method = 'POST'): Promise<Answer> =>
      exchange(shop.url, { method, path: '/sse', headers: { ...JSON_HEADERS, ...headers }, body })
    const answers = [
      await post('{'),
      await post(ask(1, 'ping'), { 'content-type': 'text/plain' }),
      await post('', {}, 'PUT'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 415, 405])
    expect(answers.map(answer => messageOf(answer))).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32000 } },
      { id: null, error: { code: -32000 } },
    ])
    expect(answers[2]?.headers.allow).toBe('GET, POST')
  })

  test('a client that leaves is cancelled', async () => {
    const shop = await shopForTest()
    const stream = await open(shop.url, { path: '/sse', headers: JSON_HEADERS, body: call(1, 'hold', { key: 'k' }) })
    await shop.gates.entered('k')
    stream.hangUp()
    expect(await shop.gates.cancelled('k')).toBe('The client disconnected')
    await expect.poll(() => shop.service.open.streams, { interval: 5 }).toBe(0)
  })
})
