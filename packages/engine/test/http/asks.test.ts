import { describe, expect, test } from 'vitest'
import { Stateful, Stateless, ask, call } from '../support/http-client.ts'
import { messageOf } from '../support/http-exchange.ts'
import type { Stream } from '../support/http-exchange.ts'
import type { ReceivedMessage } from '../support/peer.ts'
import { shopForTest } from '../support/workshop.ts'

const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const accept = (content: object): object => ({ action: 'accept', content })
const isRequest = ({ id, method }: ReceivedMessage): boolean => id !== undefined && method !== undefined

/** Answer the next question of a stream, which must be of that method; the question. */
async function answered(session: Stateful, stream: Stream, method: string, result: object): Promise<ReceivedMessage> {
  const question = await stream.until(message => message.method === method)
  const taken = await session.post({ jsonrpc: '2.0', id: question.id, result })
  expect(taken).toMatchObject({ status: 202, text: '' })
  return question
}

describe('[S-HTTP-07] [S-CLI-02] stateful: a question goes out on the stream of the request it belongs to', () => {
  const rows = [
    ['2025-06-18', 'greet', 'elicitation/create', accept({ name: 'Ada' }), 'Hello, Ada!'],
    ['2025-11-25', 'greet', 'elicitation/create', accept({ name: 'Ada' }), 'Hello, Ada!'],
    ['2025-11-25', 'greet', 'elicitation/create', { action: 'decline' }, 'No name: decline'],
    ['2025-11-25', 'greet', 'elicitation/create', { action: 'cancel' }, 'No name: cancel'],
    ['2025-11-25', 'visit', 'elicitation/create', { action: 'accept' }, 'visited: accept'],
    ['2024-11-05', 'folders', 'roots/list', { roots: [{ uri: 'file:///a' }] }, 'file:///a'],
    ['2025-03-26', 'folders', 'roots/list', { roots: [{ uri: 'file:///b' }] }, 'file:///b'],
  ] as const
  test.each(rows)('%s: %s, by %s', async (...row) => {
    const [version, name, method, result, words] = row
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url, { version, capabilities: EVERYTHING })
    const standalone = await session.listen()
    const stream = await session.stream(call('mine', name, { key: 'you' }))
    const question = await answered(session, stream, method, result)
    await stream.ended
    expect(stream.messages).toMatchObject([
      { id: question.id, method },
      { id: 'mine', result: { content: [{ text: words }] } },
    ])
    expect(standalone.messages).toEqual([])
    standalone.hangUp()
  })

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('%s: sampling', async version => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url, { version, capabilities: EVERYTHING })
    const stream = await session.stream(call(1, 'think'))
    const content = { type: 'text', text: 'hm' }
    const question = await answered(session, stream, 'sampling/createMessage', {
      role: 'assistant',
      content,
      model: 'm',
    })
    expect(question.params).toMatchObject({ maxTokens: 10, messages: [{ role: 'user' }] })
    await stream.ended
    expect(stream.text).toContain('thought: ')
  })

  test('[S-ELI-03] 2025-11-25: a page to visit has an id of its own, and the newest revision has none', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url, { capabilities: EVERYTHING })
    const streams = [await session.stream(call(1, 'visit')), await session.stream(call(2, 'visit'))]
    const asked = await Promise.all(streams.map(stream => stream.until(isRequest)))
    const page = { mode: 'url', message: 'Sign in', url: 'https://example.com/sign-in' }
    expect(asked.map(({ params }) => params)).toEqual(
      asked.map(() => ({ ...page, elicitationId: expect.stringMatching(/^[\da-f-]{36}$/) })),
    )
    expect(asked[0]?.params?.elicitationId).not.toBe(asked[1]?.params?.elicitationId)
    for (const { id } of asked) await session.post({ jsonrpc: '2.0', id, result: { action: 'decline' } })
    await Promise.all(streams.map(stream => stream.ended))
    const { result } = await new Stateless(shop.url, { capabilities: EVERYTHING }).call('visit')
    expect(result).toMatchObject({ inputRequests: { page: { method: 'elicitation/create', params: page } } })
    expect(JSON.stringify(result)).not.toContain('elicitationId')
  })

  test('a client that cannot be asked is told so in the result', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url, { capabilities: { elicitation: {} } })
    for (const name of ['think', 'folders', 'visit']) {
      const { result } = await session.call(name)
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/supports/) }] })
    }
  })

  test('a refusal of the client is an answer too', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url, { capabilities: EVERYTHING })
    const stream = await session.stream(call(1, 'greet', { key: 'x' }))
    const { id } = await stream.until(isRequest)
    await session.post({ jsonrpc: '2.0', id, error: { code: -1, message: 'not now' } })
    await stream.ended
    expect(stream.messages.at(-1)).toMatchObject({
      result: { isError: true, content: [{ text: 'The client refused: not now' }] },
    })
  })

  test('the question survives its connection: it is fetched, and answered, later', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url, { capabilities: EVERYTHING })
    const first = await session.stream(call(1, 'greet', { key: 'x' }))
    await first.until(isRequest)
    first.hangUp()
    const second = await session.listen(first.ids[0])
    await answered(session, second, 'elicitation/create', accept({ name: 'Bo' }))
    await second.ended
    expect(second.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'Hello, Bo!' }] } })
  })

  test('many at once: each answer finds its own', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url, { capabilities: EVERYTHING })
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`)
    const streams = await Promise.all(keys.map(key => session.stream(call(key, 'greet', { key }))))
    const asked = await Promise.all(streams.map(stream => stream.until(isRequest)))
    expect(asked.map(({ params }) => params?.message)).toEqual(keys.map(key => `Who is ${key}?`))
    expect(new Set(asked.map(({ id }) => id)).size).toBe(20)
    const backwards = asked.map((question, i) => ({ question, key: keys[i] })).toReversed()
    await Promise.all(
      backwards.map(({ question, key }) =>
        session.post({ jsonrpc: '2.0', id: question.id, result: accept({ name: `n-${key}` }) }),
      ),
    )
    await Promise.all(streams.map(stream => stream.ended))
    expect(streams.map(stream => stream.messages.at(-1)?.id)).toEqual(keys)
    expect(streams.map(stream => stream.text.includes('Hello, n-'))).toEqual(keys.map(() => true))
  })
})

describe('[S-MR-01] [S-MR-06] [S-ST-04] stateless: a question is the answer', () => {
  test('round by round, each a request of its own, and never a request of the server’s', async () => {
    const shop = await shopForTest()
    const client = new Stateless(shop.url, { capabilities: EVERYTHING })
    const first = await client.post(call(1, 'greet', { key: 'you' }))
    expect(first).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    const { result } = messageOf(first)
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { name: { method: 'elicitation/create', params: { message: 'Who is you?' } } },
      requestState: expect.any(String),
    })
    expect(result).not.toHaveProperty('ttlMs')
    const inputResponses = { name: accept({ name: 'Ada' }), other: accept({}) }
    const again = { name: 'greet', arguments: { key: 'you' }, inputResponses, requestState: result?.requestState }
    expect(await client.request('tools/call', again)).toMatchObject({
      result: { resultType: 'complete', content: [{ text: 'Hello, Ada!' }] },
    })
  })

  test.each([
    ['changed', (state: string) => `${state}-TAMPERED`],
    ['invented', () => 'bm90IG91cnM'],
    ['null', () => null],
  ])('[S-MR-04] state that was %s is refused', async (_, change) => {
    const shop = await shopForTest()
    const client = new Stateless(shop.url, { capabilities: EVERYTHING })
    const { result } = await client.call('greet', { key: 'you' })
    const inputResponses = { name: accept({ name: 'Ada' }) }
    const requestState = change(String(result?.requestState))
    const again = { name: 'greet', arguments: { key: 'you' }, inputResponses, requestState }
    expect(await client.request('tools/call', again)).toMatchObject({ error: { code: -32602 } })
  })

  test('[S-MR-04] state of one request does not open another', async () => {
    const shop = await shopForTest()
    const client = new Stateless(shop.url, { capabilities: EVERYTHING })
    const { result } = await client.call('greet', { key: 'you' })
    const requestState = result?.requestState
    const inputResponses = { name: accept({ name: 'Ada' }) }
    for (const params of [
      { name: 'greet', arguments: { key: 'me' } },
      { name: 'visit', arguments: { key: 'you' } },
    ]) {
      const answer = await client.request('tools/call', { ...params, inputResponses, requestState })
      expect(answer).toMatchObject({ error: { code: -32602 } })
    }
  })

  test.each([12345, null, [1]])('[S-MR-05] %j is no answer', async answer => {
    const shop = await shopForTest()
    const client = new Stateless(shop.url, { capabilities: EVERYTHING })
    const params = { name: 'greet', arguments: { key: 'you' }, inputResponses: { name: answer } }
    expect(await client.request('tools/call', params)).toMatchObject({ error: { code: -32602 } })
  })

  test('[S-MR-02] only what this request declared is asked for', async () => {
    const shop = await shopForTest()
    const declared = await new Stateless(shop.url, { capabilities: EVERYTHING }).post(call(1, 'visit'))
    const undeclared = await new Stateless(shop.url, { capabilities: { elicitation: {} } }).post(call(1, 'visit'))
    expect([declared.status, undeclared.status]).toEqual([200, 400])
    expect(messageOf(undeclared)).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } },
    })
  })
})

describe('[S-META-02] trace context reaches the handler, in every era', () => {
  const trace = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'a=1',
    baggage: 'user=ada',
  }
  test('as it came', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const answers = [await session.call('trace', {}, trace), await new Stateless(shop.url).call('trace', {}, trace)]
    expect(answers.map(({ result }) => result?.structuredContent)).toEqual([trace, trace])
  })

  test('malformed it is ignored, and headers of HTTP are something else', async () => {
    const shop = await shopForTest()
    const client = new Stateless(shop.url)
    const bad = await client.call('trace', {}, { ...trace, traceparent: 'nonsense' })
    const header = await client.post(call(1, 'trace'), { traceparent: trace.traceparent })
    expect([bad.result?.structuredContent, messageOf(header).result?.structuredContent]).toEqual([{}, {}])
  })
})

test('[S-DISC-01] [S-DISC-02] discover is an ordinary request', async () => {
  const shop = await shopForTest()
  const answer = await new Stateless(shop.url).post(ask('d', 'server/discover'))
  expect(answer.status).toBe(200)
  expect(messageOf(answer).result).toMatchObject({
    resultType: 'complete',
    supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
    capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, completions: {} },
    ttlMs: 0,
    cacheScope: 'private',
  })
  const strange = await new Stateless(shop.url).post(ask('d', 'server/discover'), { 'mcp-method': undefined })
  expect(messageOf(strange)).toMatchObject({ id: 'd', error: { code: -32020 } })
})
