import type { Params } from '@causeway/engine'
import type { Store } from '@causeway/engine/stores'
import { bearerTokens, newToken } from '@causeway/engine/http'
import type { HttpOptions } from '@causeway/engine/http'
import { describe, expect, test } from 'vitest'
import { Stateful, Stateless, ask, call, hello, tell } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf, open } from '../support/http-exchange.ts'
import { shopForTest } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'
import { changes, newsForAll, oneReader } from './across-changes.ts'

/** Opens two services that share a store. */
export type Pair = (options?: HttpOptions) => Promise<[Shop, Shop]>

/** Stores of two processes that share their data. */
export type StorePair = () => Promise<readonly [Store, Store]>

/** The same session, asked for at another service. */
const at = (shop: Shop, { session, version }: Stateful): Stateful => new Stateful(shop.url, session, { version })
const answerTo = (id: unknown, result: Params): Params => ({ jsonrpc: '2.0', id, result })
const isUpdated = ({ method }: { method?: string }): boolean => method === 'notifications/resources/updated'

/** What holds for two services that share a store, whatever the store is. */
export function acrossProcesses(name: string, stores: StorePair): void {
  const pair = async (options: HttpOptions = {}): Promise<[Shop, Shop]> => {
    const [a, b] = await stores()
    return [await shopForTest({ ...options, store: a }), await shopForTest({ ...options, store: b })]
  }
  describe(`${name}: requests`, () => {
    requests(pair)
    secrets(pair)
  })
  describe(`${name}: records`, () => {
    records(pair)
    races(pair)
  })
  describe(`${name}: streams`, () => {
    streams(pair)
    endings(pair)
  })
  describe(`${name}: changes`, () => {
    changes(pair)
    newsForAll(pair)
    oneReader(pair)
  })
}

function requests(pair: Pair): void {
  test('a question asked here is answered there', async () => {
    const [a, b] = await pair()
    const here = await Stateful.open(a.url, { capabilities: { elicitation: {} } })
    for (const name of ['Ada', 'Bo']) {
      const stream = await here.stream(call(name, 'greet', { key: 'x' }))
      const { id } = await stream.until(({ method }) => method === 'elicitation/create')
      const answer = answerTo(id, { action: 'accept', content: { name } })
      expect(await at(b, here).post(answer)).toMatchObject({ status: 202 })
      await stream.ended
      expect(stream.messages.at(-1)).toMatchObject({ id: name, result: { content: [{ text: `Hello, ${name}!` }] } })
    }
  })

  test('an answer for a process that is gone is taken, and nobody waits for it', async () => {
    const [, b] = await pair()
    const there = await Stateful.open(b.url)
    expect(await there.post(answerTo('causeway.nobody.1-1', {}))).toMatchObject({ status: 202 })
  })

  test('a call is cancelled from there', async () => {
    const [a, b] = await pair()
    const here = await Stateful.open(a.url)
    const held = here.post(call('k', 'hold', { key: 'k' }))
    await a.gates.entered('k')
    const cancel = tell('notifications/cancelled', { requestId: 'k', reason: 'no longer needed' })
    expect(await at(b, here).post(cancel)).toMatchObject({ status: 202 })
    expect(await a.gates.cancelled('k')).toBe('no longer needed')
    expect(await held).toMatchObject({ status: 202 })
  })
}

function secrets(pair: Pair): void {
  test('what was sealed here is opened there, by the same principal only', async () => {
    const [ada, bo] = [newToken('ada'), newToken('bo')]
    const [a, b] = await pair({ authenticator: bearerTokens(`${ada.line}\n${bo.line}`) })
    const capabilities = { elicitation: { form: {} } }
    const here = new Stateless(a.url, { capabilities, token: ada.token })
    const asked = await here.call('greet', { key: 'x' })
    const { requestState, inputRequests } = asked.result as { requestState: string; inputRequests: Params }
    expect(Object.keys(inputRequests)).toEqual(['name'])
    const answers = { inputResponses: { name: { action: 'accept', content: { name: 'Ada' } } }, requestState }
    const retry = { name: 'greet', arguments: { key: 'x' }, ...answers }
    const there = new Stateless(b.url, { capabilities, token: ada.token })
    expect(await there.request('tools/call', retry)).toMatchObject({ result: { content: [{ text: 'Hello, Ada!' }] } })
    const stranger = new Stateless(b.url, { capabilities, token: bo.token })
    expect(await stranger.request('tools/call', retry)).toMatchObject({ error: { code: -32602 } })
    for (const id of ['1-0123456789abcdef', '__proto__', '']) {
      const forged = { ...retry, requestState: `${id}.${requestState.split('.')[1]}` }
      expect(await there.request('tools/call', forged)).toMatchObject({ error: { code: -32602 } })
    }
  })

  test('HTTP+SSE: a message posted there reaches the stream here', async () => {
    const [ada, bo] = [newToken('ada'), newToken('bo')]
    const [a, b] = await pair({ authenticator: bearerTokens(`${ada.line}\n${bo.line}`) })
    const authorization = `Bearer ${ada.token}`
    const headers = { accept: 'text/event-stream', authorization }
    const stream = await open(a.url, { method: 'GET', path: '/sse', headers })
    await stream.reads(() => stream.events.length > 0)
    const path = stream.events[0]?.data ?? ''
    const post = (body: unknown, where = path, who = authorization): ReturnType<typeof exchange> =>
      exchange(b.url, { path: where, headers: { ...JSON_HEADERS, authorization: who }, body })
    expect(await post(hello('2024-11-05'))).toMatchObject({ status: 202 })
    await stream.reads(() => stream.events.length > 1)
    expect(JSON.parse(stream.events[1]?.data ?? '')).toMatchObject({ id: 'hello', result: {} })
    expect(await post(ask(1, 'ping'), path, `Bearer ${bo.token}`)).toMatchObject({ status: 404 })
    const unknown = path.replace(/=\w+\./, '=nobody.')
    expect(unknown).not.toBe(path)
    expect(await post(ask(1, 'ping'), unknown)).toMatchObject({ status: 404 })
    expect(await post(ask(1, 'ping'), '/messages?sessionId=nonsense')).toMatchObject({ status: 404 })
    expect(await post('{', path)).toMatchObject({ status: 400 })
    expect(await post(ask(1, 'ping', { x: 'x'.repeat(2 ** 20) }))).toMatchObject({ status: 413 })
    stream.hangUp()
  })
}

function records(pair: Pair): void {
  test('a handshake begun here and completed there is complete here', async () => {
    const [a, b] = await pair({ lifecycle: 'strict' })
    const answer = await exchange(a.url, { headers: JSON_HEADERS, body: hello() })
    const here = new Stateful(a.url, String(answer.headers['mcp-session-id']), {})
    expect(messageOf(await here.post(ask(1, 'tools/list')))).toMatchObject({ error: {} })
    expect(await at(b, here).post(tell('notifications/initialized'))).toMatchObject({ status: 202 })
    expect(messageOf(await here.post(ask(2, 'tools/list')))).toMatchObject({ result: {} })
  })

  test('a level set there counts here', async () => {
    const [a, b] = await pair()
    const here = await Stateful.open(a.url)
    a.gates.open('k')
    const logged = async (): Promise<string> => (await here.post(call(1, 'steps', { key: 'k' }))).text
    expect(await logged()).toContain('k begins')
    await at(b, here).request('logging/setLevel', { level: 'error' })
    await expect.poll(logged, { interval: 5 }).not.toContain('notifications/message')
  })
}

function races(pair: Pair): void {
  test('of two that subscribe at once none is forgotten', async () => {
    const [a, b] = await pair()
    const here = await Stateful.open(a.url)
    const there = at(b, here)
    await there.request('ping')
    const uris = Array.from({ length: 20 }, (_, i) => `note://by/n${i}`)
    await Promise.all(uris.map((uri, i) => (i % 2 ? here : there).request('resources/subscribe', { uri })))
    await Promise.all([
      here.request('resources/unsubscribe', { uri: 'note://by/n0' }),
      there.request('resources/unsubscribe', { uri: 'note://by/n1' }),
    ])
    const stream = await here.listen()
    const updated = (): unknown[] => [
      ...new Set(stream.messages.filter(isUpdated).map(({ params }) => (params as Params).uri)),
    ]
    // What is published while a busy machine takes the store for lost is not sent again.
    const publish = (): number => {
      for (const uri of uris) b.server.updated(uri)
      return updated().length
    }
    await expect.poll(publish, { interval: 200 }).toBeGreaterThanOrEqual(18)
    expect(new Set(updated())).toEqual(new Set(uris.slice(2)))
    stream.hangUp()
  })

  test('a session that ends while it is changed stays ended', async () => {
    const [a, b] = await pair()
    const here = await Stateful.open(a.url)
    const there = at(b, here)
    await there.request('ping')
    await Promise.all([
      here.end(),
      ...Array.from({ length: 10 }, (_, i) => there.post(ask(i, 'logging/setLevel', { level: 'info' }))),
    ])
    await expect.poll(async () => (await there.post(ask(1, 'ping'))).status, { interval: 5 }).toBe(404)
    expect(await here.post(ask(1, 'ping'))).toMatchObject({ status: 404 })
    expect(await exchange(a.url, { headers: there.headers(), body: ask(1, 'ping') })).toMatchObject({ status: 404 })
  })
}

function streams(pair: Pair): void {
  test('cut off here, resumed there while the call runs: each event once, in order', async () => {
    const [a, b] = await pair()
    const here = await Stateful.open(a.url)
    const first = await here.stream(call('k', 'steps', { key: 'k' }, { progressToken: 1 }))
    await first.until(({ method }) => method === 'notifications/progress')
    first.hangUp()
    const rest = await at(b, here).listen(first.ids.at(-1))
    expect(rest.status).toBe(200)
    a.gates.open('k')
    await rest.ended
    expect(rest.messages.at(-1)).toMatchObject({ id: 'k', result: { content: [{ text: 'done k' }] } })
    const numbers = [...first.ids, ...rest.ids].map(id => Number(id.split('_')[1]))
    expect(numbers).toEqual(numbers.map((_, i) => i + 1))
  })

  test('resumed there after the call is over, from any event', async () => {
    const [a, b] = await pair()
    const here = await Stateful.open(a.url)
    a.gates.open('k')
    const whole = await here.stream(call('k', 'steps', { key: 'k' }, { progressToken: 1 }))
    await whole.ended
    for (const [i, id] of whole.ids.entries()) {
      const rest = await at(b, here).listen(id)
      await rest.ended
      expect([rest.status, rest.ids]).toEqual([200, whole.ids.slice(i + 1)])
    }
    const unknown = await at(b, here).listen('rnobodyx1x1_1')
    await unknown.ended
    // Who writes it may only be slow, as far as anybody knows.
    expect([410, 503]).toContain(unknown.status)
  })
}

function endings(pair: Pair): void {
  test('a cancelled call ends the stream there without an answer', async () => {
    const [a, b] = await pair()
    const here = await Stateful.open(a.url)
    const first = await here.stream(call('k', 'steps', { key: 'k' }, { progressToken: 1 }))
    await first.until(({ method }) => method === 'notifications/progress')
    first.hangUp()
    const rest = await at(b, here).listen(first.ids[0])
    await at(b, here).post(tell('notifications/cancelled', { requestId: 'k' }))
    await rest.ended
    expect(rest.messages.filter(({ id }) => id === 'k')).toEqual([])
  })

  test('a process that stops says so to readers elsewhere, and leaves what was said', async () => {
    const [a, b] = await pair({ drainMs: 50 })
    const here = await Stateful.open(a.url)
    a.gates.open('done')
    const done = await here.stream(call('done', 'steps', { key: 'done' }, { progressToken: 1 }))
    await done.ended
    const running = await here.stream(call('k', 'steps', { key: 'k' }, { progressToken: 1 }))
    await running.until(({ method }) => method === 'notifications/progress')
    running.hangUp()
    const rest = await at(b, here).listen(running.ids[0])
    await a.service.close()
    await rest.ended
    expect(rest.messages.at(-1)).toMatchObject({ id: 'k', error: { message: 'The server is shutting down' } })
    const again = await at(b, here).listen(done.ids[0])
    await again.ended
    expect(again.messages.at(-1)).toMatchObject({ id: 'done', result: {} })
  })
}
