import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { Stateful, Stateless, ask, call, hello } from '../../packages/engine/test/support/http-client.ts'
import { JSON_HEADERS, begin, exchange, messageOf, open } from '../../packages/engine/test/support/http-exchange.ts'
import { Raw, spelled } from '../../packages/engine/test/support/raw-http.ts'
import { WsClient } from '../../packages/engine/test/support/ws-client.ts'
import type { ReceivedMessage } from '../../packages/engine/test/support/peer.ts'
import { httpModes } from '../interop/http-clients.ts'
import { World, textOf } from './world.ts'

// The official WebSocket transport is written for what browsers and later versions of Node have.
vi.stubGlobal('WebSocket', WebSocket)

let world: World
beforeAll(async () => {
  world = await World.start('--workers', '3')
  await world.workers(3)
})
afterAll(() => world.end())

/** Every test request has a connection of its own, so that two of three land on a worker that has not the session. */
const TIMES = 12

describe('a session stays in the worker that opened it, wherever its requests land', () => {
  test('calls are answered by one process, while connections reach all', async () => {
    const session = await Stateful.open(world.url)
    const pids = new Set<unknown>()
    for (let i = 0; i < TIMES; i++) pids.add(textOf(await session.call('who')))
    expect(pids.size).toBe(1)
  })

  test('sessions are opened in every worker', async () => {
    const owners = new Set<unknown>()
    for (let i = 0; i < 100 && owners.size < 3; i++)
      owners.add(textOf(await (await Stateful.open(world.url)).call('who')))
    expect(owners.size).toBe(3)
  })

  test('the standalone stream, questions, cancellation and the end reach it', async () => {
    for (let i = 0; i < 4; i++) {
      const session = await Stateful.open(world.url, { capabilities: { elicitation: {} } })
      const stream = await session.listen()
      expect(stream.status).toBe(200)
      const asking = await session.stream(call(7, 'greet'))
      const question = await asking.until(({ method }) => method === 'elicitation/create')
      const reply = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name: 'Ada' } } }
      expect((await session.post(reply)).status).toBe(202)
      expect(textOf(await asking.until(({ id }) => id === 7))).toBe('Hello, Ada!')
      const held = session.stream(call(8, 'hold', { key: `c${i}` }))
      await world.at(`c${i}`)
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } }
      expect((await session.post(cancel)).status).toBe(202)
      await world.at(`c${i}`, 'cancelled')
      ;(await held).hangUp()
      expect((await session.end()).status).toBe(200)
      await stream.ended
      expect((await session.post(ask(9, 'ping'))).status).toBe(404)
    }
  })

  test('a stream that was cut off is resumed, and nothing is lost or doubled', async () => {
    for (let i = 0; i < 4; i++) {
      const session = await Stateful.open(world.url)
      const key = `resume${i}`
      const cut = await session.stream(call(3, 'hold', { key }, { progressToken: 'p' }))
      await cut.until(({ method }) => method === 'notifications/progress')
      const last = cut.ids.at(-1) ?? ''
      cut.hangUp()
      const resumed = await session.listen(last)
      world.open(key)
      expect(textOf(await resumed.until(({ id }) => id === 3))).toMatch(/^held by/)
      expect(resumed.messages).toHaveLength(1)
    }
  })

  test('a client that hangs up ends its call in the other worker', async () => {
    for (let i = 0; i < 3; i++) {
      const stateless = new Stateless(world.url)
      const session = await Stateful.open(world.url)
      const sent = stateless.sent(call(1, 'hold', { key: `h${i}` }))
      const going = begin(world.url, { ...sent, headers: { ...sent.headers, 'mcp-session-id': session.session } })
      await world.at(`h${i}`)
      going.destroy()
      await expect(world.at(`h${i}`, 'cancelled')).resolves.toBeUndefined()
    }
  })

  test('HTTP+SSE: what is posted reaches the worker that has the stream', async () => {
    for (let i = 0; i < 4; i++) {
      const stream = await open(world.url, { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } })
      await stream.reads(() => stream.events.length > 0)
      const path = stream.events[0]?.data ?? ''
      for (const body of [hello('2024-11-05'), call(5, 'who')])
        expect((await exchange(world.url, { path, headers: JSON_HEADERS, body })).status).toBe(202)
      const answer = (): string | undefined => stream.events.find(({ data }) => data.includes('"id":5'))?.data
      await stream.reads(() => answer() !== undefined)
      expect(textOf(JSON.parse(answer() ?? '') as ReceivedMessage)).toMatch(/^\d+$/)
      stream.hangUp()
    }
  })

  test('requests sent ahead of their answers are answered in order', async () => {
    const session = await Stateful.open(world.url)
    const raw = await Raw.open(Number(new URL(world.url).port))
    const ids = Array.from({ length: 20 }, (_, i) => i + 100)
    const texts = ids.map(id =>
      spelled({
        headers: id % 2 ? session.headers() : JSON_HEADERS,
        path: id % 2 ? '/mcp' : '/rpc',
        body: JSON.stringify(ask(id, 'ping')),
      }),
    )
    raw.write(texts.join(''))
    await raw.reads(() => raw.text.includes(`"id":${ids.at(-1)}`))
    expect([...raw.text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id))).toEqual(ids)
    raw.hangUp()
  })

  test('a WebSocket is served by the worker that has its connection', async () => {
    const sockets: WsClient[] = []
    const pids = new Set<unknown>()
    // Connections of earlier tests may still count, so how many reach all three is not known.
    for (let i = 1; i <= 30 && pids.size < 3; i++) {
      const socket = await WsClient.open(world.url)
      sockets.push(socket)
      await socket.initialize()
      for (const id of [1, 2]) socket.send(call(id, 'who'))
      const answers = [textOf(await socket.answered(1)), textOf(await socket.answered(2))]
      expect(new Set(answers).size).toBe(1)
      pids.add(answers[0])
    }
    for (const socket of sockets) socket.ws.close()
    expect(pids.size).toBe(3)
  })

  test('rounds of the stateless era may each be served by another worker', async () => {
    const client = new Stateless(world.url, { capabilities: { elicitation: {} } })
    for (let i = 0; i < TIMES; i++) {
      const asked = await client.call('greet')
      const { requestState, inputRequests } = asked.result as { requestState: string; inputRequests: object }
      const [key = ''] = Object.keys(inputRequests)
      const answers = { [key]: { action: 'accept', content: { name: 'Ada' } } }
      const params = { name: 'greet', arguments: {}, requestState, inputResponses: answers }
      expect(textOf(await client.request('tools/call', params))).toBe('Hello, Ada!')
    }
  })
})

describe('who asks is judged by the worker that has the session', () => {
  test('an id that names nobody is not found, whatever it says', async () => {
    const random = 'A'.repeat(32)
    for (const id of [
      `w0.${random}`,
      `w99.${random}`,
      `w999999999.${random}`,
      `../../x.${random}`,
      random,
      'w1.x',
      '',
    ]) {
      const session = new Stateful(world.url, id, {})
      for (let i = 0; i < 3; i++) expect((await session.post(ask(1, 'ping'))).status).toBeOneOf([400, 404])
    }
  })

  test('a large body and one that is too large are passed on as they are', async () => {
    const session = await Stateful.open(world.url)
    const big = 'x'.repeat(2 * 1024 * 1024)
    for (let i = 0; i < 3; i++) {
      const answer = messageOf(await session.post(call(1, 'who', {}, { pad: big })))
      expect(textOf(answer)).toMatch(/^\d+$/)
      expect((await session.post(call(1, 'who', {}, { pad: big.repeat(6) }))).status).toBe(413)
    }
  })
})

describe.each(httpModes)('$name', ({ version, connect }) => {
  test('serves the official client over three workers', async () => {
    const talks = await Promise.all(['Ada', 'Bob', 'Cyd'].map(name => connect(world.url, { name })))
    for (const [i, talk] of talks.entries()) {
      expect(talk.version).toBe(version)
      expect(await talk.tools()).toContain('who')
      const answers = await Promise.all(Array.from({ length: 30 }, () => talk.call('who')))
      for (const { content } of answers)
        expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^\d+$/) }])
      const { content } = await talk.call('greet')
      expect(content).toMatchObject([{ text: `Hello, ${['Ada', 'Bob', 'Cyd'][i]}!` }])
    }
    await Promise.all(talks.map(talk => talk.close()))
  })
})
