import { describe, expect, test, vi } from 'vitest'
import { Cancellation } from '../../src/jsonrpc/cancellation.ts'
import { memoryStore } from '@causeway/engine/stores'
import { HttpSessions } from '../../src/transports/sessions/sessions.ts'
import type { SessionLimits } from '../../src/transports/sessions/session-limits.ts'
import type { HttpSession } from '../../src/transports/sessions/session.ts'
import type { SessionOwner } from '../../src/transports/sessions/principal-counts.ts'
import { Stateful, ask, call, hello, tell } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf } from '../support/http-exchange.ts'
import { shopForTest } from '../support/workshop.ts'

describe('a session', () => {
  test('[S-SESS-01] has an id of its own that nobody can guess', async () => {
    const shop = await shopForTest()
    const ids = await Promise.all(Array.from({ length: 50 }, async () => (await Stateful.open(shop.url)).session))
    expect(new Set(ids).size).toBe(50)
    // 24 random bytes: 192 bits, in letters a header may have.
    expect(ids.filter(id => !/^[\w-]{32}$/.test(id))).toEqual([])
    expect(shop.service.open.sessions).toBe(50)
  })

  test('[S-HTTP-01] is opened, spoken in, listened to and ended at one path', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const stream = await session.listen()
    expect(stream.status).toBe(200)
    expect(await session.post(ask(1, 'ping'))).toMatchObject({ status: 200 })
    expect(await session.end()).toMatchObject({ status: 200 })
    await stream.ended
  })

  test('[S-LIFE-05] takes `initialized` with 202 and no body', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    expect(await session.post(tell('notifications/initialized'))).toMatchObject({ status: 202, text: '' })
  })

  test('serves what comes before `initialized`', async () => {
    const shop = await shopForTest()
    const answer = await exchange(shop.url, { headers: JSON_HEADERS, body: hello() })
    const session = new Stateful(shop.url, String(answer.headers['mcp-session-id']), {})
    expect(await session.request('tools/list')).toMatchObject({ result: { tools: expect.any(Array) } })
    expect(await session.request('ping')).toMatchObject({ result: {} })
  })

  test('[S-LIFE-15] cannot be opened twice', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const again = await session.post(hello())
    expect(again.status).toBe(400)
    expect(messageOf(again)).toMatchObject({ id: 'hello', error: { code: -32600 } })
    expect(shop.service.open.sessions).toBe(1)
    expect(await session.request('ping')).toMatchObject({ result: {} })
  })

  test('[S-SESS-06] begins anew where the id is stale', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    await session.end()
    const answer = await session.post(hello())
    expect(answer.status).toBe(200)
    expect(answer.headers['mcp-session-id']).toMatch(/^[\w-]{32}$/)
    expect(answer.headers['mcp-session-id']).not.toBe(session.session)
  })

  test('is not opened by a handshake that fails', async () => {
    const shop = await shopForTest()
    const body = ask(1, 'initialize', { protocolVersion: 7 })
    const answer = await exchange(shop.url, { headers: JSON_HEADERS, body })
    expect(messageOf(answer)).toMatchObject({ id: 1, error: { code: -32602 } })
    expect(answer.headers).not.toHaveProperty('mcp-session-id')
    expect(shop.service.open.sessions).toBe(0)
  })

  test('[S-HTTP-04] takes responses and notifications with 202', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    for (const body of [
      tell('notifications/roots/list_changed'),
      tell('notifications/nobody/knows'),
      { jsonrpc: '2.0', id: 'nobody asked', result: {} },
      { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } },
    ]) {
      expect(await session.post(body)).toMatchObject({ status: 202, text: '' })
    }
  })
})

describe('[S-SESS-04] DELETE', () => {
  test('ends it: its streams end, its calls are given up, and then it is unknown', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const standalone = await session.listen()
    const running = await session.stream(call(1, 'steps', { key: 'k' }, { progressToken: 1 }))
    const silent = session.post(call(2, 'hold', { key: 'h' }))
    await Promise.all([shop.gates.entered('k'), shop.gates.entered('h')])
    expect(await session.end()).toMatchObject({ status: 200, text: '' })
    await Promise.all([standalone.ended, running.ended])
    expect(running.messages.filter(({ id }) => id === 1)).toEqual([])
    expect(await silent).toMatchObject({ status: 202, text: '' })
    expect(await shop.gates.cancelled('k')).toBe('The client ended the session')
    expect(await shop.gates.cancelled('h')).toBe('The client ended the session')
    expect(shop.service.open).toEqual({ sessions: 0, streams: 0, sockets: 0 })
    const after = await session.listen()
    await after.ended
    const answers = [await session.post(ask(3, 'ping')), after, await session.end()]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  })

  test('leaves the others alone', async () => {
    const shop = await shopForTest()
    const [one, two] = [await Stateful.open(shop.url), await Stateful.open(shop.url)]
    await one.end()
    expect(await two.request('ping')).toMatchObject({ result: {} })
  })
})

describe('[S-CAN-01] [S-CAN-04] cancellation', () => {
  test('stops the call, and nothing is answered', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    const silent = session.post(call(1, 'hold', { key: 'a' }))
    const telling = await session.stream(call('two', 'steps', { key: 'b' }, { progressToken: 1 }))
    await Promise.all([shop.gates.entered('a'), shop.gates.entered('b')])
    const cancel = (requestId: unknown): object => tell('notifications/cancelled', { requestId, reason: 'enough' })
    expect(await session.post(cancel(1))).toMatchObject({ status: 202 })
    expect(await session.post(cancel('two'))).toMatchObject({ status: 202 })
    expect(await shop.gates.cancelled('a')).toBe('enough')
    expect(await shop.gates.cancelled('b')).toBe('enough')
    expect(await silent).toMatchObject({ status: 202, text: '' })
    await telling.ended
    expect(telling.messages.map(({ method }) => method)).toEqual(['notifications/progress', 'notifications/message'])
  })

  test('what is unknown, finished or malformed is ignored', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url)
    for (const params of [{ requestId: 99 }, { requestId: { a: 1 } }, {}, undefined]) {
      expect(await session.post(tell('notifications/cancelled', params))).toMatchObject({ status: 202 })
    }
    expect(await session.request('ping')).toMatchObject({ result: {} })
  })

  test('reaches only the own session', async () => {
    const shop = await shopForTest()
    const [mine, theirs] = [await Stateful.open(shop.url), await Stateful.open(shop.url)]
    const held = mine.post(call(1, 'hold', { key: 'mine' }))
    await shop.gates.entered('mine')
    await theirs.post(tell('notifications/cancelled', { requestId: 1 }))
    shop.gates.open('mine')
    expect((await held).text).toContain('released mine')
  })

  test('[S-LIFE-08] a call that waits for the client gives its question up too', async () => {
    const shop = await shopForTest()
    const session = await Stateful.open(shop.url, { capabilities: { elicitation: {} } })
    const stream = await session.stream(call(1, 'greet', { key: 'x' }))
    const question = await stream.until(({ method }) => method === 'elicitation/create')
    await session.post(tell('notifications/cancelled', { requestId: 1, reason: 'never mind' }))
    await stream.ended
    expect(stream.messages.at(-1)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: question.id, reason: 'never mind' },
    })
  })
})

describe('[S-SESS-07] how many sessions there may be, and how long', () => {
  const clocked = (limits: Partial<SessionLimits> = {}): { sessions: HttpSessions; pass: (ms: number) => void } => {
    let clock = 1_000_000
    const now = (): number => clock
    const store = memoryStore({ now })
    const own = { most: 3, mostOfOne: 3, idleMs: 1000, store, shared: false, log: () => {}, onRestored: () => {} }
    return { sessions: new HttpSessions({ ...own, now, ...limits }), pass: ms => (clock += ms) }
  }
  const nobody = { principal: undefined, address: 'here' }
  const opened = (sessions: HttpSessions, owner: SessionOwner = nobody): HttpSession => {
    const session = sessions.open(owner)
    if (!session || session instanceof Promise) throw new Error('There was no room')
    return session
  }

  test('one that was silent for too long is forgotten', () => {
    const { sessions, pass } = clocked()
    const [quiet, lively] = [opened(sessions), opened(sessions)]
    pass(900)
    void sessions.find(lively.id, nobody)
    pass(200)
    sessions.sweep()
    expect(sessions.find(quiet.id, nobody)).toBeUndefined()
    expect(sessions.find(lively.id, nobody)).toBe(lively)
    expect(quiet.session.state).toBe('closed')
    expect(quiet.session.signal.aborted).toBe(true)
  })

  test('not before its time', () => {
    const { sessions, pass } = clocked()
    opened(sessions)
    pass(1000)
    sessions.sweep()
    expect(sessions.size).toBe(1)
    pass(1)
    sessions.sweep()
    expect(sessions.size).toBe(0)
  })

  test('one with a call or a stream is not idle, and its silence begins when they end', () => {
    const { sessions, pass } = clocked()
    const [calling, listening] = [opened(sessions), opened(sessions)]
    const call = new Cancellation()
    calling.calls.add(1, call)
    const closers: (() => void)[] = []
    const stream = {
      open: true,
      write: () => {},
      end: () => {},
      onClose: (listener: () => void) => closers.push(listener),
    }
    void listening.listen(() => stream)
    pass(5000)
    sessions.sweep()
    expect(sessions.size).toBe(2)
    calling.calls.delete(call)
    for (const close of closers) close()
    sessions.sweep()
    expect(sessions.size).toBe(2)
    pass(1001)
    sessions.sweep()
    expect(sessions.size).toBe(0)
  })

  test('where there is no room, the one that was used longest ago makes it', () => {
    const { sessions, pass } = clocked()
    const [first, second, third] = [opened(sessions), opened(sessions), opened(sessions)]
    pass(1)
    void sessions.find(first.id, nobody)
    const fourth = opened(sessions)
    expect(sessions.find(second.id, nobody)).toBeUndefined()
    expect([first, third, fourth].map(({ id }) => (sessions.find(id, nobody) as HttpSession | undefined)?.id)).toEqual(
      [first, third, fourth].map(({ id }) => id),
    )
  })

  test('an owner with too many loses the own ones only, whoever else is idle', () => {
    const { sessions, pass } = clocked({ most: 10, mostOfOne: 2 })
    const quiet = opened(sessions, { principal: 'ada', address: 'there' })
    pass(1)
    const greedy = { principal: 'bob', address: 'there' }
    const [first, second] = [opened(sessions, greedy), opened(sessions, greedy)]
    pass(1)
    opened(sessions, greedy)
    expect(sessions.size).toBe(3)
    expect([quiet, first, second].map(({ session }) => session.state)).toEqual(['new', 'closed', 'new'])
    second.calls.add(1, new Cancellation())
    opened(sessions, greedy).calls.add(1, new Cancellation())
    expect(sessions.open(greedy), 'all of its own are busy').toBeUndefined()
    expect(sessions.open({ principal: 'eve', address: 'there' })).toBeDefined()
  })

  test('one that made room leaves the store that processes share, with its streams', async () => {
    const store = memoryStore({ processId: 'a' })
    const { sessions } = clocked({ mostOfOne: 2, most: 100, store, shared: true })
    const opens = async (): Promise<HttpSession> => {
      const session = await sessions.open(nobody)
      if (!session) throw new Error('There was no room')
      store.set(`session:${session.id}`, '{}', 1000)
      return session
    }
    const first = await opens()
    await opens()
    expect(store.get(`session:${first.id}`)).toBe('{}')
    await opens()
    expect(first.session.state).toBe('closed')
    await vi.waitFor(() => expect(store.get(`session:${first.id}`)).toBeUndefined())
  })

  test('of one owner only so many are opened in all processes together', async () => {
    const store = memoryStore({ processId: 'a', now: () => 0 })
    const shared = { mostOfOne: 2, most: 100, shared: true }
    const [one, other] = [store, memoryStore({ shareWith: store, processId: 'b' })].map(
      own => clocked({ ...shared, store: own }).sessions,
    )
    const all = await Promise.all([1, 2, 3].flatMap(async () => [await one?.open(nobody), await other?.open(nobody)]))
    expect(all.flat().filter(session => session !== undefined)).toHaveLength(4)
    expect(await one?.open({ principal: 'ada', address: 'here' })).toBeDefined()
  })

  test('where there is no room at all, those who have the most make it', () => {
    const { sessions, pass } = clocked({ most: 4, mostOfOne: 4 })
    const ada = opened(sessions, { principal: 'ada', address: 'x' })
    pass(1)
    const strangers = [1, 2].map(() => opened(sessions, { principal: undefined, address: '10.0.0.9' }))
    const other = opened(sessions, { principal: undefined, address: '10.0.0.7' })
    for (let i = 0; i < 10; i++) {
      pass(1)
      opened(sessions, { principal: undefined, address: '10.0.0.9' })
    }
    expect([ada, other].map(({ session }) => session.state)).toEqual(['new', 'new'])
    expect(strangers.map(({ session }) => session.state)).toEqual(['closed', 'closed'])
    expect(sessions.size).toBe(4)
  })

  test('where all are busy there is no room', () => {
    const { sessions } = clocked({ most: 1 })
    opened(sessions).calls.add(1, new Cancellation())
    expect(sessions.open(nobody)).toBeUndefined()
    expect(sessions.size).toBe(1)
  })

  test('one whose call only waits for a client that hung up makes room, and one whose client is there does not', async () => {
    const shop = await shopForTest({ maxSessions: 1 })
    const asked = await Stateful.open(shop.url, { capabilities: { elicitation: { form: {} } } })
    const stream = await asked.stream(call(1, 'greet', { key: 'you' }))
    await stream.until(({ method }) => method === 'elicitation/create')
    expect(await exchange(shop.url, { headers: JSON_HEADERS, body: hello() })).toMatchObject({ status: 503 })
    stream.hangUp()
    await vi.waitFor(async () => {
      expect(await exchange(shop.url, { headers: JSON_HEADERS, body: hello() })).toMatchObject({ status: 200 })
    })
    expect(await asked.post(ask(2, 'ping'))).toMatchObject({ status: 404 })
  })

  test('one whose call waits for an answer beside one that works is not idle', () => {
    const { sessions, pass } = clocked()
    const session = opened(sessions)
    const [asking, working] = [new Cancellation(), new Cancellation()]
    session.calls.add(1, asking)
    session.calls.add(2, working)
    const question = { method: 'roots/list', params: {}, send: () => {}, cancellation: asking, timeoutMs: 60_000 }
    void session.session.peer.request(question).catch(() => {})
    pass(5000)
    sessions.sweep()
    expect(sessions.size).toBe(1)
    session.calls.delete(working)
    pass(1001)
    sessions.sweep()
    expect(sessions.size).toBe(0)
    expect(asking.cancelled).toBe(true)
  })

  test('over the wire: the idle one is dropped with its streams, the busy ones stay, and then it is 503', async () => {
    const shop = await shopForTest({ maxSessions: 2 })
    const idle = await Stateful.open(shop.url)
    const busy = await Stateful.open(shop.url)
    const held = busy.post(call(1, 'hold', { key: 'b' }))
    await shop.gates.entered('b')
    const third = await Stateful.open(shop.url)
    expect(await idle.post(ask(1, 'ping'))).toMatchObject({ status: 404 })
    const stream = await third.listen()
    const refused = await exchange(shop.url, { headers: JSON_HEADERS, body: hello() })
    expect(refused.status).toBe(503)
    expect(refused.headers['retry-after']).toBe('10')
    expect(messageOf(refused)).toMatchObject({ id: 'hello', error: { code: -32004 } })
    shop.gates.open('b')
    expect((await held).text).toContain('released b')
    expect(await exchange(shop.url, { headers: JSON_HEADERS, body: hello() })).toMatchObject({ status: 200 })
    expect(await busy.post(ask(1, 'ping'))).toMatchObject({ status: 404 })
    stream.hangUp()
  })
})

test('[S-LIFE-01] [S-LIFE-04] each session speaks what it agreed on, side by side', async () => {
  const shop = await shopForTest()
  const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
  const answers = await Promise.all(
    versions.map(version => exchange(shop.url, { headers: JSON_HEADERS, body: hello(version) })),
  )
  expect(answers.map(answer => messageOf(answer).result?.protocolVersion)).toEqual(versions)
  const unknown = await exchange(shop.url, { headers: JSON_HEADERS, body: hello('1999-01-01') })
  expect(messageOf(unknown).result?.protocolVersion).toBe('2025-11-25')
})
