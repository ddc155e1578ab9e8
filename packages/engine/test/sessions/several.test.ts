import { memoryStore } from '@causeway/engine/stores'
import type { MemoryStore, Store } from '@causeway/engine/stores'
import { bearerTokens, newToken } from '@causeway/engine/http'
import { describe, expect, test } from 'vitest'
import { Stateful, ask, call, hello } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf } from '../support/http-exchange.ts'
import { shopForTest } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'

const ada = newToken('ada')
const bob = newToken('bob')

/** Two services that share a store. */
async function pair(
  options: Parameters<typeof shopForTest>[0] = {},
): Promise<{ store: MemoryStore; shops: [Shop, Shop] }> {
  const store = memoryStore({ processId: 'a' })
  const other = memoryStore({ shareWith: store, processId: 'b' })
  return {
    store,
    shops: [await shopForTest({ ...options, store }), await shopForTest({ ...options, store: other })],
  }
}

/** The same session, asked for at another service. */
const at = (shop: Shop, { session, version }: Stateful, token?: string): Stateful =>
  new Stateful(shop.url, session, { version, ...(token !== undefined && { token }) })

describe('a session belongs to no process', () => {
  test('opened at one, used at another: revision, client, level and subscriptions are what they were', async () => {
    const { shops, store } = await pair()
    const here = await Stateful.open(shops[0].url, { version: '2025-03-26' })
    await here.request('logging/setLevel', { level: 'error' })
    await here.request('resources/subscribe', { uri: 'note://one' })
    expect(JSON.parse(store.get(`session:${here.session}`) ?? '')).toEqual({
      id: here.session,
      state: 'ready',
      version: '2025-03-26',
      client: { name: 'tester', version: '9.9.9' },
      capabilities: {},
      logLevel: 'error',
      subscriptions: ['note://one'],
      since: expect.any(Number),
    })
    const there = at(shops[1], here)
    shops[1].gates.open('k')
    const steps = await there.post(call(1, 'steps', { key: 'k' }))
    expect(steps.headers['content-type'], 'nothing was logged before the answer').toBe('application/json')
    expect(messageOf(steps)).toMatchObject({ id: 1, result: { content: [{ text: 'done k' }] } })
    const stream = await there.listen()
    expect(stream.status).toBe(200)
    await there.call('touch')
    await stream.until(({ method }) => method === 'notifications/resources/updated')
    await there.call('change')
    await stream.until(({ method }) => method === 'notifications/tools/list_changed')
    stream.hangUp()
    expect(shops.map(({ service }) => service.open.sessions)).toEqual([1, 1])
  })

  test('ended at one, it is ended at the other, streams and calls included', async () => {
    const { shops, store } = await pair()
    const here = await Stateful.open(shops[0].url)
    const stream = await here.listen()
    const held = here.post(call(1, 'hold', { key: 'k' }))
    await shops[0].gates.entered('k')
    expect(await at(shops[1], here).end()).toMatchObject({ status: 200 })
    await stream.ended
    expect(await held).toMatchObject({ status: 202 })
    expect(await shops[0].gates.cancelled('k')).toBe('The client ended the session')
    expect(await here.post(ask(1, 'ping'))).toMatchObject({ status: 404 })
    expect(store.get(`session:${here.session}`), 'so that nobody brings it back').toBe('ended')
    expect(shops.map(({ service }) => service.open.sessions)).toEqual([0, 0])
  })

  test('survives the process it was opened in', async () => {
    const { shops } = await pair()
    const here = await Stateful.open(shops[0].url)
    await shops[0].service.close()
    expect(await at(shops[1], here).post(ask(1, 'ping'))).toMatchObject({ status: 200 })
  })

  test('is its principal’s only, wherever it is asked for', async () => {
    const { shops } = await pair({ authenticator: bearerTokens(`${ada.line}\n${bob.line}`) })
    const here = await Stateful.open(shops[0].url, { token: ada.token })
    expect(await at(shops[1], here, bob.token).post(ask(1, 'ping'))).toMatchObject({ status: 404 })
    expect(await at(shops[1], here, ada.token).post(ask(1, 'ping'))).toMatchObject({ status: 200 })
    expect(await at(shops[1], here, bob.token).post(ask(1, 'ping'))).toMatchObject({ status: 404 })
  })

  test('a handshake under an id that is known elsewhere is refused as a second one', async () => {
    const { shops } = await pair()
    const here = await Stateful.open(shops[0].url)
    expect(await at(shops[1], here).post(hello())).toMatchObject({ status: 400 })
  })

  test('ids of streams and questions carry the process', async () => {
    const { shops } = await pair()
    const here = await Stateful.open(shops[0].url, { capabilities: { elicitation: {} } })
    const stream = await here.stream(call(1, 'greet', { key: 'x' }))
    const { id } = await stream.until(({ method }) => method === 'elicitation/create')
    expect(id).toBe('causeway.a.1-1')
    expect(stream.ids[0]).toMatch(/^rax1x1_1$/)
    stream.hangUp()
  })

  test('a record that is damaged, or of a revision nobody knows, is none', async () => {
    const { shops, store } = await pair()
    const here = await Stateful.open(shops[0].url)
    const key = `session:${here.session}`
    const there = at(shops[1], here)
    for (const text of ['', '{', 'null', '7', '{"version":"1999-01-01"}']) {
      store.set(key, text, 60_000)
      expect(await there.post(ask(1, 'ping')), text).toMatchObject({ status: 404 })
    }
  })
})

describe('a store that answers later', () => {
  /** The same store, each answer a promise. */
  const later = (store: MemoryStore): Store => ({
    processId: store.processId,
    get: async key => store.get(key),
    set: async (key, value, ttl) => store.set(key, value, ttl),
    once: async (key, value, ttl) => store.once(key, value, ttl),
    replace: async (key, expected, value, ttl) => store.replace(key, expected, value, ttl),
    touch: async (key, ttl) => store.touch(key, ttl),
    delete: async key => store.delete(key),
    append: async (log, event, ttl) => store.append(log, event, ttl),
    read: async (log, after) => store.read(log, after),
    announce: async (log, text, ttl) => store.announce(log, text, ttl),
    follow: async (log, listener) => store.follow(log, listener),
    drop: async log => store.drop(log),
    take: async (key, bucket) => store.take(key, bucket),
    publish: async (channel, message) => store.publish(channel, message),
    subscribe: async (channel, listener) => store.subscribe(channel, listener),
    isAlive: async processId => store.isAlive(processId),
    reachable: true,
    isSettling: false,
    onReconnect: () => () => {},
    close: async () => store.close(),
  })

  test('serves the same: handshake, calls, resumption, end', async () => {
    const shop = await shopForTest({ store: later(memoryStore({ processId: 'a' })) })
    const session = await Stateful.open(shop.url)
    const stream = await session.stream(call('k', 'steps', { key: 'k' }, { progressToken: 1 }))
    await stream.reads(() => stream.ids.length > 1)
    stream.hangUp()
    shop.gates.open('k')
    const rest = await session.listen(stream.ids[0])
    await rest.ended
    expect(rest.messages.at(-1)).toMatchObject({ id: 'k', result: {} })
    expect(await session.post(ask(1, 'ping'))).toMatchObject({ status: 200 })
    expect(await session.end()).toMatchObject({ status: 200 })
    expect(await session.post(ask(1, 'ping'))).toMatchObject({ status: 404 })
  })

  test('one that fails costs known sessions nothing', async () => {
    const logged: string[] = []
    const store = later(memoryStore({ processId: 'a' }))
    const broken = (): Promise<never> => Promise.reject(new Error('the store is down'))
    const failing: Store = { ...store, touch: broken, append: broken, drop: broken }
    const shop = await shopForTest({ store: failing }, { log: (_, message) => void logged.push(message) })
    const session = await Stateful.open(shop.url)
    Object.assign(failing, { set: broken, get: broken, replace: broken })
    expect(await session.request('logging/setLevel', { level: 'info' })).toMatchObject({ result: {} })
    expect(await session.call('big', { size: 10 }, { progressToken: 1 })).toMatchObject({ result: {} })
    expect(logged).toContain('the session store failed')
    const opened = await exchange(shop.url, { headers: JSON_HEADERS, body: hello() })
    expect(opened, 'a session that no other process would know').toMatchObject({ status: 503 })
    expect(opened.headers).not.toHaveProperty('mcp-session-id')
    const unknown = await new Stateful(shop.url, 'A'.repeat(32), {}).post(ask(1, 'ping'))
    expect(unknown).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  })
})

test('events that had to make room are told of, once nothing more can come', async () => {
  const shop = await shopForTest({ store: memoryStore({ maxEventCharacters: 2000 }) })
  const session = await Stateful.open(shop.url)
  const first = await session.stream(call(1, 'big', { size: 10 }, { progressToken: 1 }))
  await first.ended
  await session.call('big', { size: 5000 }, { progressToken: 2 })
  const rest = await session.listen(first.ids[0])
  await rest.ended
  expect(rest.status).toBe(410)
  expect(messageOf(rest)).toMatchObject({ error: { message: expect.stringContaining('no longer kept') } })
  // Whoever saw everything is told nothing.
  const seen = await session.listen(first.ids.at(-1))
  await seen.ended
  expect([seen.status, seen.text]).toEqual([200, ''])
  expect(await exchange(shop.url, { headers: JSON_HEADERS, body: hello() })).toMatchObject({ status: 200 })
})
