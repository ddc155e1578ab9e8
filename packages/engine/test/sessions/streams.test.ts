import { tool } from '@causeway/engine'
import { memoryStore } from '@causeway/engine/stores'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { KeepAlive, formatEvent } from '../../src/transports/endpoints/event-stream.ts'
import { ResumableStream } from '../../src/transports/sessions/resumable-stream.ts'
import { eventReader } from '../support/event-reader.ts'
import { Stateful, Stateless, answerIn, ask, call, tell } from '../support/http-client.ts'
import { JSON_HEADERS, begin, exchange, messageOf, open } from '../support/http-exchange.ts'
import type { Stream } from '../support/http-exchange.ts'
import { wordsOf } from '../support/peer.ts'
import type { ReceivedMessage } from '../support/peer.ts'
import { openShop, shopForTest } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'

const STATEFUL = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
const TOKEN = { progressToken: 'p' }
const methods = (messages: readonly ReceivedMessage[]): (string | undefined)[] => messages.map(({ method }) => method)
const progresses = ({ messages }: Stream): unknown[] => messages.flatMap(({ params }) => params?.progress ?? [])
const closed = async (shop: Shop): Promise<void> => {
  await expect.poll(() => shop.service.open.streams, { interval: 5 }).toBe(0)
}

/** Open the call of a tool that reports, waits, reports and ends. */
async function begun(shop: Shop, session: Stateful, key: string, id: string | number = key): Promise<Stream> {
  const stream = await session.stream(call(id, 'steps', { key }, TOKEN))
  await shop.gates.entered(key)
  await stream.until(({ method }) => method === 'notifications/message')
  return stream
}

describe('[S-HTTP-05] JSON or events, as the answer needs it', () => {
  test.each(STATEFUL)('%s: an answer alone is JSON', async version => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url, { version })
    const answer = await session.post(call(1, 'echo', { a: 1 }, TOKEN))
    expect(answer.headers['content-type']).toBe('application/json')
    expect(messageOf(answer)).toMatchObject({ id: 1, result: { content: [{ text: '{"a":1}' }] } })
  })

  test.each(STATEFUL)(
    '[S-HTTP-06] [S-PRG-02] %s: what comes before it comes first, and the stream ends after it',
    async version => {
      const shop = await shopForTest()
      const session = await Stateful.open(shop.url, { version })
      const stream = await begun(shop, session, 'k')
      expect(stream.headers['content-type']).toBe('text/event-stream')
      shop.gates.open('k')
      await stream.ended
      expect(methods(stream.messages)).toEqual([
        'notifications/progress',
        'notifications/message',
        'notifications/progress',
        undefined,
      ])
      expect(progresses(stream)).toEqual([1, 2])
      expect(stream.messages.at(-1)).toMatchObject({ id: 'k', result: { content: [{ text: 'done k' }] } })
    },
  )

  test('[S-SSE-01] stateless: the same, without ids', async () => {
    const shop = await shopForTest()
    const params = { ...TOKEN, 'io.modelcontextprotocol/logLevel': 'debug' }
    const stream = await new Stateless(shop.url).stream(call(1, 'steps', { key: 's' }, params))
    await shop.gates.entered('s')
    shop.gates.open('s')
    await stream.ended
    expect(methods(stream.messages)).toEqual([
      'notifications/progress',
      'notifications/message',
      'notifications/progress',
      undefined,
    ])
    expect(stream.events.map(({ event }) => event)).toEqual(['message', 'message', 'message', 'message'])
    expect(stream.text).not.toMatch(/^(id|retry):/m)
    expect(stream.headers).not.toHaveProperty('mcp-session-id')
  })

  test('[S-LOG-02] stateless: no log message that was not asked for', async () => {
    const shop = await shopForTest()
    const stream = await new Stateless(shop.url).stream(call(1, 'steps', { key: 's' }, TOKEN))
    await shop.gates.entered('s')
    shop.gates.open('s')
    await stream.ended
    expect(methods(stream.messages)).toEqual(['notifications/progress', 'notifications/progress', undefined])
  })

  test('[S-LOG-01] the level is the session’s', async () => {
    const shop = await shopForTest()
    const [loud, quiet] = [await Stateful.open(shop.url), await Stateful.open(shop.url)]
    await quiet.request('logging/setLevel', { level: 'error' })
    const streams = [await begun(shop, loud, 'a'), await quiet.stream(call(1, 'steps', { key: 'b' }, TOKEN))]
    await shop.gates.entered('b')
    shop.gates.openAll()
    await Promise.all(streams.map(stream => stream.ended))
    const logs = streams.map(({ messages }) => methods(messages).filter(method => method === 'notifications/message'))
    expect(logs).toEqual([['notifications/message'], []])
  })

  test('[S-ST-07] stateless: a failure has a status of its own while nothing was sent, and then none', async () => {
    const shop = await shopForTest()
    const thinks = tool({ name: 'reports_then_thinks' }, async (_, ctx) => {
      ctx.progress(1)
      await ctx.sample('thought', { messages: [], maxTokens: 1 })
    })
    shop.server.add(thinks)
    const client = new Stateless(shop.url)
    const [silent, reporting] = [
      await client.post(call(1, 'reports_then_thinks')),
      await client.post(call(2, 'reports_then_thinks', {}, TOKEN)),
    ]
    expect([silent.status, silent.headers['content-type']]).toEqual([400, 'application/json'])
    expect([reporting.status, reporting.headers['content-type']]).toEqual([200, 'text/event-stream'])
    expect(messageOf(silent)).toMatchObject({ id: 1, error: { code: -32021 } })
    expect(answerIn(reporting, 2)).toMatchObject({ id: 2, error: { code: -32021 } })
  })

  test('a batch becomes events too, one answer each', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url, { version: '2025-03-26' })
    const stream = await session.stream([call(1, 'steps', { key: 'k' }, TOKEN), ask(2, 'ping'), call(3, 'fail')])
    await shop.gates.entered('k')
    shop.gates.open('k')
    await stream.ended
    const answers = stream.messages.filter(({ method }) => method === undefined)
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3])
  })
})

describe('[S-SSE-05] [S-SSE-06] the event to resume from', () => {
  test('2025-11-25: a stream opens with an id, an empty line of data, and when to come back', async () => {
    const shop = await shopForTest()
    const stream = await begun(shop, await Stateful.open(shop.url), 'k')
    expect(stream.text).toMatch(/^id: \S+\nretry: \d+\ndata: ?\n\n/)
    shop.gates.open('k')
    await stream.ended
    expect(stream.events.filter(({ data }) => data === '')).toHaveLength(1)
  })

  test.each(['2024-11-05', '2025-03-26', '2025-06-18'])(
    '%s: every event has data that can be parsed',
    async version => {
      const shop = await shopForTest()
      const stream = await begun(shop, await Stateful.open(shop.url, { version }), 'k')
      shop.gates.open('k')
      await stream.ended
      expect(stream.events.filter(({ data, retry }) => data === '' || retry !== undefined)).toEqual([])
    },
  )
})

describe('[S-SSE-02] ids', () => {
  test('are there on every event, and no two of a session are the same', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const streams = [
      await session.listen(),
      await begun(shop, session, 'a'),
      await begun(shop, session, 'b'),
      await begun(shop, session, 'c'),
    ]
    await session.call('change')
    shop.gates.openAll()
    await Promise.all(streams.slice(1).map(stream => stream.ended))
    await streams[0]?.until(({ method }) => method === 'notifications/tools/list_changed')
    const events = streams.flatMap(stream => stream.events)
    const ids = streams.flatMap(stream => stream.ids)
    expect(ids).toHaveLength(events.length)
    expect(new Set(ids).size).toBe(ids.length)
    streams[0]?.hangUp()
  })
})

describe('[S-HTTP-07] [S-HTTP-09] the standalone stream', () => {
  test('carries what belongs to no request, and nothing else does', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    await session.request('resources/subscribe', { uri: 'note://one' })
    const standalone = await session.listen()
    const running = await begun(shop, session, 'k')
    await session.call('change')
    await session.call('touch')
    shop.gates.open('k')
    await running.ended
    await standalone.until(({ method }) => method === 'notifications/resources/updated')
    expect(methods(standalone.messages)).toEqual([
      'notifications/tools/list_changed',
      'notifications/resources/updated',
    ])
    expect(methods(running.messages)).not.toContain('notifications/tools/list_changed')
    standalone.hangUp()
  })

  test('[S-LIFE-05] nothing is sent before `initialized`', async () => {
    const shop = await shopForTest()
    const opened = await exchange(shop.url, { headers: JSON_HEADERS, body: ask(1, 'initialize', {}) })
    const session = new Stateful(shop.url, String(opened.headers['mcp-session-id']), {})
    const standalone = await session.listen()
    await session.call('change')
    await session.post(tell('notifications/initialized'))
    await session.call('touch')
    await session.call('change')
    await standalone.until(({ method }) => method === 'notifications/tools/list_changed')
    expect(methods(standalone.messages)).toEqual(['notifications/tools/list_changed'])
    standalone.hangUp()
  })

  test('what came while nobody listened is told to the first who does, once', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    await session.call('change')
    const first = await session.listen()
    await first.until(({ method }) => method === 'notifications/tools/list_changed')
    first.hangUp()
    await closed(shop)
    const second = await session.listen()
    await session.request('resources/subscribe', { uri: 'note://one' })
    await session.call('touch')
    await second.until(({ method }) => method === 'notifications/resources/updated')
    expect(methods(second.messages)).toEqual(['notifications/resources/updated'])
    second.hangUp()
  })

  test('[S-HTTP-10] the newest wins, and the older one ends', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const older = await session.listen()
    const newer = await session.listen()
    await older.ended
    await session.call('change')
    await newer.until(({ method }) => method === 'notifications/tools/list_changed')
    expect(older.messages).toEqual([])
    newer.hangUp()
  })

  test('[S-HTTP-10] one that resumes another stream stands beside it', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const running = await begun(shop, session, 'k')
    const standalone = await session.listen()
    running.hangUp()
    const resumed = await session.listen(running.ids[0])
    await session.call('change')
    await standalone.until(({ method }) => method === 'notifications/tools/list_changed')
    expect(standalone.over).toBe(false)
    shop.gates.open('k')
    await resumed.ended
    expect(resumed.messages.at(-1)).toMatchObject({ id: 'k' })
    expect(methods(resumed.messages)).not.toContain('notifications/tools/list_changed')
    standalone.hangUp()
  })
})

describe('[S-SSE-03] [S-SSE-07] resumption', () => {
  test('[S-HTTP-08] a connection that is gone gives nothing up: the rest is fetched, in order, once', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const first = await begun(shop, session, 'k')
    const last = first.ids.at(-1)
    first.hangUp()
    await closed(shop)
    const second = await session.listen(last)
    shop.gates.open('k')
    await second.ended
    expect(methods(second.messages)).toEqual(['notifications/progress', undefined])
    expect(second.messages.at(-1)).toMatchObject({ id: 'k', result: { content: [{ text: 'done k' }] } })
    expect(new Set([...first.ids, ...second.ids]).size).toBe(first.ids.length + second.ids.length)
  })

  test('an answer that came while nobody was connected is there afterwards, as often as it is fetched', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const first = await begun(shop, session, 'k')
    first.hangUp()
    await closed(shop)
    shop.gates.open('k')
    for (const after of [first.ids[0], first.ids.at(-1), first.ids[0]]) {
      const again = await session.listen(after)
      await again.ended
      expect(again.messages.at(-1)).toMatchObject({ id: 'k', result: {} })
    }
  })

  test('the last sixteen that were finished before are kept, and older ones forgotten', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const firsts: (string | undefined)[] = []
    for (let i = 0; i < 18; i++) {
      const stream = await session.stream(call(i, 'big', { size: 1 }, TOKEN))
      await stream.ended
      firsts.push(stream.ids[0])
    }
    const statuses = firsts.map(async first => {
      const again = await session.listen(first)
      await again.ended
      return again.status
    })
    expect(await Promise.all(statuses)).toEqual([400, ...firsts.slice(1).map(() => 200)])
  })

  test('from any event, exactly what came after it', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const whole = await begun(shop, session, 'k')
    shop.gates.open('k')
    await whole.ended
    const tails = whole.ids.map(async id => {
      const rest = await session.listen(id)
      await rest.ended
      return rest.ids
    })
    expect(await Promise.all(tails)).toEqual(whole.ids.map((_, i) => whole.ids.slice(i + 1)))
  })

  test.each(['2025-03-26', '2025-06-18'])('%s: the same, from its first event', async version => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url, { version })
    const first = await begun(shop, session, 'k')
    first.hangUp()
    const second = await session.listen(first.ids[0])
    shop.gates.open('k')
    await second.ended
    expect(second.messages.at(-1)).toMatchObject({ id: 'k' })
  })

  test('only the stream the event was of is replayed', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const [a, b] = [await begun(shop, session, 'a'), await begun(shop, session, 'b')]
    shop.gates.openAll()
    await Promise.all([a.ended, b.ended])
    const again = await session.listen(a.ids[0])
    await again.ended
    expect(again.text).not.toContain('b ')
    expect(again.ids).toEqual(a.ids.slice(1))
  })

  test('the standalone stream goes on over connections', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const changed = async (stream: Stream, times: number): Promise<void> => {
      await session.call('change')
      await stream.reads(() => stream.messages.length === times)
    }
    const first = await session.listen()
    await changed(first, 1)
    await changed(first, 2)
    first.hangUp()
    await closed(shop)
    await session.call('change')
    const second = await session.listen(first.ids[0])
    await second.reads(() => second.messages.length === 2)
    expect(second.ids[0]).toBe(first.ids[1])
    await changed(second, 3)
    second.hangUp()
  })

  test('while the old connection still stands, the new one takes over', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const first = await begun(shop, session, 'k')
    const second = await session.listen(first.ids.at(-1))
    await first.ended
    shop.gates.open('k')
    await second.ended
    expect(first.messages.find(({ id }) => id === 'k')).toBeUndefined()
    expect(second.messages.at(-1)).toMatchObject({ id: 'k' })
  })

  test.each(['nonsense', 'main_', 'main_x', 'main_1.5', 'main_-1', 'main_99', 'r1_1e0', 'r99_1', '_1', '', '../r1_1'])(
    "[S-SSE-04] '%s' was never an event of this session",
    async last => {
      const shop = await shopForTest()
      const session = await Stateful.open(shop.url)
      const stream = await session.listen(last)
      await stream.ended
      expect(stream.status).toBe(400)
      expect(messageOf(stream)).toMatchObject({ error: { code: -32000 } })
    },
  )

  test('[S-SSE-02] an event of another session is none of this one', async () => {
    const shop = await shopForTest()
    const [mine, theirs] = [await Stateful.open(shop.url), await Stateful.open(shop.url)]
    const stream = await begun(shop, mine, 'k')
    shop.gates.open('k')
    await stream.ended
    const stolen = await theirs.listen(stream.ids[0])
    await stolen.ended
    expect(stolen.status).toBe(400)
    expect(stolen.text).not.toContain('done k')
  })

  test('a client that hung up before the stream was opened leaves nothing open', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const body = call(1, 'silent_then_steps', { key: 'k' }, TOKEN)
    const lost = begin(shop.url, { headers: session.headers(), body })
    await shop.gates.entered('k')
    lost.destroy()
    // By the time later requests are answered, the server has seen that this one is gone.
    for (let i = 0; i < 3; i++) await session.request('ping')
    shop.gates.open('k')
    expect(await session.request('ping')).toMatchObject({ result: {} })
    await closed(shop)
  })
})

describe('polling: a tool that lets the connection go', () => {
  test('2025-11-25: the stream ends after its first event, and the answer is fetched', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const first = await session.stream(call(1, 'later', { key: 'k' }))
    await first.ended
    expect(first.events).toEqual([{ id: expect.any(String), retry: expect.any(Number), data: '' }])
    const second = await session.listen(first.ids[0])
    shop.gates.open('k')
    await second.ended
    expect(second.messages).toMatchObject([{ id: 1, result: { content: [{ text: 'fetched k' }] } }])
  })

  test.each(['2025-03-26', '2025-06-18'])('%s: it stays, since the client would not come back', async version => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url, { version })
    const answer = session.post(call(1, 'later', { key: 'k' }))
    await shop.gates.entered('k')
    shop.gates.open('k')
    expect(messageOf(await answer)).toMatchObject({ result: { content: [{ text: 'fetched k' }] } })
  })

  test('stateless: it stays', async () => {
    const shop = await shopForTest()
    const answer = new Stateless(shop.url).call('later', { key: 'k' })
    await shop.gates.entered('k')
    shop.gates.open('k')
    expect(await answer).toMatchObject({ result: { content: [{ text: 'fetched k' }] } })
  })
})

describe('a client that leaves', () => {
  test('[S-HTTP-08] stateful: is not cancelled, in JSON and in events', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const cancelled: string[] = []
    for (const key of ['a', 'b']) void shop.gates.cancelled(key).then(why => cancelled.push(why))
    const events = await begun(shop, session, 'a')
    const json = begin(shop.url, { headers: session.headers(), body: call(2, 'hold', { key: 'b' }) })
    await shop.gates.entered('b')
    events.hangUp()
    json.destroy()
    await closed(shop)
    shop.gates.open('a')
    const rest = await session.listen(events.ids[0])
    await rest.ended
    expect(rest.messages.at(-1)).toMatchObject({ id: 'a' })
    expect(cancelled).toEqual([])
  })

  test('[S-ST-05] stateless: is cancelled, in events', async () => {
    const shop = await shopForTest()
    const stream = await new Stateless(shop.url).stream(call(1, 'steps', { key: 'k' }, TOKEN))
    await shop.gates.entered('k')
    stream.hangUp()
    expect(await shop.gates.cancelled('k')).toBe('The client disconnected')
    await closed(shop)
  })

  test('[S-ST-05] stateless: is cancelled, before anything was answered', async () => {
    const shop = await shopForTest()
    const lost = begin(shop.url, new Stateless(shop.url).sent(call(1, 'hold', { key: 'k' })))
    await shop.gates.entered('k')
    lost.destroy()
    expect(await shop.gates.cancelled('k')).toBe('The client disconnected')
  })

  test('a call that was answered is not cancelled afterwards', async () => {
    const shop = await shopForTest()
    const cancelled: string[] = []
    void shop.gates.cancelled('k').then(why => cancelled.push(why))
    const answer = new Stateless(shop.url).call('hold', { key: 'k' })
    await shop.gates.entered('k')
    shop.gates.open('k')
    await answer
    await new Stateless(shop.url).call('echo')
    expect(cancelled).toEqual([])
  })
})

describe('subscriptions/listen', () => {
  const listen = (shop: Shop, id: string | number, notifications: object): Promise<Stream> =>
    new Stateless(shop.url).stream(ask(id, 'subscriptions/listen', { notifications }))
  const tagged = (id: string | number): object => ({ 'io.modelcontextprotocol/subscriptionId': id })

  test('[S-SUB-02] [S-SUB-03] acknowledges first, and every frame names its subscription with its type', async () => {
    const shop = await shopForTest()
    const wanted = { toolsListChanged: true, resourceSubscriptions: ['note://one'] }
    const [number, string] = [await listen(shop, 0, wanted), await listen(shop, '0', wanted)]
    for (const [stream, id] of [
      [number, 0],
      [string, '0'],
    ] as const) {
      const ack = await stream.until(() => true)
      expect(ack).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: wanted, _meta: tagged(id) },
      })
    }
    const other = new Stateless(shop.url)
    await other.call('change')
    await other.call('touch')
    for (const [stream, id] of [
      [number, 0],
      [string, '0'],
    ] as const) {
      await stream.reads(() => stream.messages.length === 3)
      expect(stream.messages.slice(1)).toEqual([
        { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: tagged(id) } },
        { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note://one', _meta: tagged(id) } },
      ])
      stream.hangUp()
    }
    await closed(shop)
  })

  test('[S-SUB-04] tells only what was asked for', async () => {
    const shop = await shopForTest()
    const prompts = await listen(shop, 1, { promptsListChanged: true, resourceSubscriptions: ['note://two'] })
    const tools = await listen(shop, 2, { toolsListChanged: true })
    await Promise.all([prompts, tools].map(stream => stream.until(() => true)))
    await new Stateless(shop.url).call('touch')
    await new Stateless(shop.url).call('change')
    await tools.reads(() => tools.messages.length === 2)
    expect(prompts.messages).toHaveLength(1)
    prompts.hangUp()
    tools.hangUp()
    await closed(shop)
  })

  test('[S-SUB-01] without a filter there is nothing to listen for', async () => {
    const shop = await shopForTest()
    const answer = await new Stateless(shop.url).post(ask(1, 'subscriptions/listen', {}))
    expect(messageOf(answer)).toMatchObject({ id: 1, error: { code: -32602 } })
  })
})

describe('much data', () => {
  test('one event larger than a reader may be behind arrives whole', async () => {
    const shop = await shopForTest()
    const size = 9_000_000
    const stateless = await new Stateless(shop.url).call('big', { size }, TOKEN)
    const session = await Stateful.open(shop.url)
    const stateful = await session.call('big', { size }, TOKEN)
    expect([stateless, stateful].map(({ result = {} }) => wordsOf(result).length)).toEqual([size, size])
  })

  test('a reader that takes nothing is let go, and can come back for the rest', async () => {
    const shop = await shopForTest()
    const flood = tool({ name: 'flood' }, async (_, ctx) => {
      for (let i = 0; i < 300; i++) ctx.log('info', `${i} ${'x'.repeat(100_000)}`)
      return 'flooded'
    })
    shop.server.add(flood)
    const session = await Stateful.open(shop.url)
    const stream = await session.stream(call(1, 'flood'))
    stream.pause()
    await closed(shop)
    const rest = await session.listen('r1_1')
    await rest.ended
    expect(rest.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'flooded' }] } })
    // What was kept is bounded: the oldest went first.
    expect(rest.text.length).toBeLessThan(2_000_000)
    stream.hangUp()
  })
})

describe('ResumableStream', () => {
  test('keeps a thousand events, and replays from the oldest it has', () => {
    const stream = new ResumableStream('s', memoryStore())
    for (let i = 1; i <= 1500; i++) stream.push(String(i))
    const late = eventReader()
    void stream.resume(1, () => late)
    expect(late.texts).toHaveLength(1000)
    expect(late.texts[0]).toContain('id: s_501\n')
  })

  test('keeps a million letters, but always the last event', () => {
    const stream = new ResumableStream('s', memoryStore())
    for (let i = 0; i < 30; i++) stream.push('x'.repeat(100_000))
    const late = eventReader()
    void stream.resume(0, () => late)
    expect(late.texts.join('').length).toBeLessThan(1_100_000)
    stream.push('y'.repeat(3_000_000))
    const later = eventReader()
    void stream.resume(0, () => later)
    expect(later.texts).toHaveLength(1)
  })

  test('all streams together keep no more than there is room for: the oldest events go first', () => {
    const store = memoryStore({ maxEventCharacters: 250 })
    const [one, two] = [new ResumableStream('one', store), new ResumableStream('two', store)]
    for (const stream of [one, two, one]) stream.push('x'.repeat(60))
    expect(store.size.eventCharacters).toBeLessThanOrEqual(250)
    const [early, late] = [eventReader(), eventReader()]
    void one.resume(0, () => early)
    void two.resume(0, () => late)
    expect([early, late].map(({ texts }) => texts.length)).toEqual([1, 1])
    expect(early.texts[0]).toContain('id: one_2\n')
    one.forget()
    two.forget()
    expect(store.size.eventCharacters).toBe(0)
  })

  test('one event that is larger than all the room is still kept until the next', () => {
    const store = memoryStore({ maxEventCharacters: 100 })
    const stream = new ResumableStream('s', store)
    stream.push('small')
    stream.push('x'.repeat(500))
    const late = eventReader()
    void stream.resume(0, () => late)
    expect(late.texts).toHaveLength(1)
    stream.push('small')
    expect(store.size.eventCharacters).toBeLessThanOrEqual(100)
  })

  test('an event is its fields and one line', () => {
    expect(formatEvent('{}')).toBe('data: {}\n\n')
    expect(formatEvent('', { id: 'a', retry: 5 })).toBe('id: a\nretry: 5\ndata: \n\n')
    expect(formatEvent('x', { event: 'message', id: 'a' })).toBe('event: message\nid: a\ndata: x\n\n')
  })
})

describe('[S-SSE-09] keep-alive', () => {
  afterEach(() => void vi.useRealTimers())

  test('a beat is a comment on every open stream, and none on one that is over', () => {
    const keepAlive = new KeepAlive(1_000_000)
    const [one, two] = [eventReader(), eventReader()]
    keepAlive.add(one)
    keepAlive.add(two)
    keepAlive.beat()
    two.end()
    keepAlive.beat()
    expect([one.texts, two.texts]).toEqual([[': keep-alive\n\n', ': keep-alive\n\n'], [': keep-alive\n\n']])
    expect(keepAlive.size).toBe(1)
    keepAlive.end()
    expect(keepAlive.size).toBe(0)
  })

  test('every 15 s, on streams of every kind', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const shop = await openShop()
    const session = await Stateful.open(shop.url)
    const headers = { accept: 'text/event-stream' }
    const streams = [
      await session.listen(),
      await begun(shop, session, 'a'),
      await new Stateless(shop.url).stream(ask(1, 'subscriptions/listen', { notifications: {} })),
      await open(shop.url, { method: 'GET', path: '/sse', headers }),
      await open(shop.url, { path: '/sse', headers: JSON_HEADERS, body: call(1, 'hold', { key: 'b' }) }),
    ]
    expect(shop.service.open.streams).toBe(5)
    vi.advanceTimersByTime(14_999)
    expect(streams.map(({ text }) => text.includes(': '.concat('keep-alive')))).toEqual(streams.map(() => false))
    vi.advanceTimersByTime(1)
    await Promise.all(streams.map(stream => stream.reads(() => stream.text.includes(': keep-alive\n\n'))))
    for (const stream of streams) stream.hangUp()
    await shop.close()
  })

  test('[S-SESS-07] an idle session is swept within the minute after its time', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
    const shop = await openShop({ sessionIdleMs: 120_000 })
    const [idle, used] = [await Stateful.open(shop.url), await Stateful.open(shop.url)]
    vi.advanceTimersByTime(120_000)
    await used.request('ping')
    vi.advanceTimersByTime(60_000)
    expect(await idle.post(ask(1, 'ping'))).toMatchObject({ status: 404 })
    expect(await used.post(ask(1, 'ping'))).toMatchObject({ status: 200 })
    await shop.close()
  })
})
