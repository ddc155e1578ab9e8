import { describe, expect, test, vi } from 'vitest'
import { Stateful, Stateless, ask, call } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, open } from '../support/http-exchange.ts'
import { Raw, spelled } from '../support/raw-http.ts'
import { openShop } from '../support/workshop.ts'
import { UPGRADE, WsClient } from '../support/ws-client.ts'

const TOKEN = { progressToken: 1 }

describe('close', () => {
  test('calls in flight finish, over every endpoint, and their streams end', async () => {
    const shop = await openShop()
    const session = await Stateful.open(shop.url)
    const standalone = await session.listen()
    const answers = [
      session.post(call(1, 'hold', { key: 'stateful' })),
      new Stateless(shop.url).post(call(2, 'hold', { key: 'stateless' })),
      exchange(shop.url, { path: '/rpc', headers: JSON_HEADERS, body: call(3, 'hold', { key: 'rpc' }) }),
      exchange(shop.url, { path: '/sse', headers: JSON_HEADERS, body: call(4, 'hold', { key: 'events' }) }),
    ]
    const stream = await session.stream(call(5, 'steps', { key: 'stream' }, TOKEN))
    const socket = await WsClient.open(shop.url)
    socket.send(call(6, 'hold', { key: 'socket' }))
    const keys = ['stateful', 'stateless', 'rpc', 'events', 'stream', 'socket']
    await Promise.all(keys.map(key => shop.gates.entered(key)))
    const closed = shop.service.close()
    for (const key of keys) shop.gates.open(key)
    await closed
    const texts = (await Promise.all(answers)).map(({ text }) => text)
    expect(texts.map((text, i) => text.includes(`released ${keys[i]}`))).toEqual([true, true, true, true])
    await Promise.all([stream.ended, standalone.ended])
    expect(stream.messages.at(-1)).toMatchObject({ id: 5, result: { content: [{ text: 'done stream' }] } })
    expect(await socket.answered(6)).toMatchObject({ result: { content: [{ text: 'released socket' }] } })
    expect(await socket.closed).toBe(1001)
    await expect.poll(() => shop.service.open, { interval: 5 }).toEqual({ sessions: 0, streams: 0, sockets: 0 })
  })

  test('whoever else waits for the end is told of it too', async () => {
    const shop = await openShop({ drainMs: 600_000 })
    const answer = exchange(shop.url, { path: '/rpc', headers: JSON_HEADERS, body: call(1, 'hold', { key: 'k' }) })
    await shop.gates.entered('k')
    const both = [shop.service.close(), shop.service.close()]
    shop.gates.open('k')
    await Promise.all(both)
    expect((await answer).text).toContain('released k')
  })

  test('a client that does not finish its request is not waited for', async () => {
    const shop = await openShop({ drainMs: 600_000 })
    const connection = await Raw.open(shop.port)
    connection.write(spelled({ path: '/rpc', headers: { ...JSON_HEADERS, 'content-length': '5000' } }))
    connection.write('{')
    expect(await exchange(shop.url, { path: '/rpc', headers: JSON_HEADERS, body: ask(1, 'ping') })).toMatchObject({
      status: 200,
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const closed = shop.service.close()
    vi.advanceTimersByTime(5000)
    vi.useRealTimers()
    await closed
    await connection.ended()
    connection.hangUp()
  })

  test('[S-SUB-07] [S-SUB-08] who listens gets a last result, then the end', async () => {
    const shop = await openShop()
    const listen = ask('l', 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    const stream = await new Stateless(shop.url).stream(listen)
    const socket = await WsClient.open(shop.url)
    socket.send(new Stateless('').sent(listen).body)
    await Promise.all([stream.until(() => true), socket.until(() => true)])
    await shop.service.close()
    await stream.ended
    const last = {
      id: 'l',
      result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 'l' } },
    }
    expect(stream.messages.at(-1)).toMatchObject(last)
    expect(await socket.answered('l')).toMatchObject(last)
  })

  test('streams that wait for nothing just end: standalone, HTTP+SSE, WebSocket', async () => {
    const shop = await openShop()
    const session = await Stateful.open(shop.url)
    const streams = [
      await session.listen(),
      await open(shop.url, { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } }),
    ]
    const socket = await WsClient.open(shop.url)
    await shop.service.close()
    await Promise.all(streams.map(stream => stream.ended))
    expect(await socket.closed).toBe(1001)
  })

  test('nothing new is taken: connections are refused, and what comes over those that are left is told', async () => {
    const shop = await openShop()
    const session = await Stateful.open(shop.url)
    const held = session.post(call(1, 'hold', { key: 'k' }))
    const socket = await WsClient.open(shop.url)
    // A request that is half here when the end comes is in flight; one that begins after it is not.
    const half = await Raw.open(shop.port)
    const body = JSON.stringify(ask(7, 'ping'))
    const text = spelled({ path: '/rpc', headers: JSON_HEADERS, body })
    half.write(text.slice(0, -5))
    await shop.gates.entered('k')
    await expect.poll(() => exchange(shop.url, { method: 'GET', path: '/health/ready' })).toMatchObject({ status: 200 })
    const closed = shop.service.close()
    await expect(exchange(shop.url, { method: 'GET', path: '/health/live' })).rejects.toThrow(/ECONNREFUSED/)
    socket.send(ask('late', 'ping'))
    expect(await socket.answered('late')).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('shutting down') },
    })
    half.write(text.slice(-5))
    await half.reads(() => half.text.includes('"id":7,"result":{}'))
    half.text = ''
    half.write(text)
    expect(await half.head()).toMatchObject({ status: 503, headers: { connection: 'close' } })
    shop.gates.open('k')
    expect((await held).text).toContain('released k')
    await closed
  })

  test('ready says no while alive says yes', async () => {
    const shop = await openShop()
    const session = await Stateful.open(shop.url)
    const held = session.post(call(1, 'hold', { key: 'k' }))
    // Only a connection on which something is going on outlives the beginning of the end.
    const probe = await Raw.open(shop.port)
    const busy = spelled({ path: '/rpc', headers: JSON_HEADERS, body: JSON.stringify(ask(7, 'ping')) })
    probe.write(busy.slice(0, -5))
    await shop.gates.entered('k')
    await session.post(ask(2, 'ping'))
    const closed = shop.service.close()
    probe.write(busy.slice(-5))
    probe.write(spelled({ method: 'GET', path: '/health/ready' }) + spelled({ method: 'GET', path: '/health/live' }))
    await probe.reads(() => probe.text.includes('{"status":"ok"}'))
    expect(probe.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 503', 'HTTP/1.1 200'])
    probe.hangUp()
    shop.gates.open('k')
    await held
    await closed
  })

  test('a call that waits for its client goes on without, since nobody can answer any more', async () => {
    const shop = await openShop({ drainMs: 60_000 })
    const session = await Stateful.open(shop.url, { capabilities: { elicitation: {} } })
    const stream = await session.stream(call(1, 'greet', { key: 'x' }))
    await stream.until(({ method }) => method === 'elicitation/create')
    await shop.service.close()
    await stream.ended
    expect(stream.messages.at(-1)).toMatchObject({
      id: 1,
      result: { isError: true, content: [{ text: expect.stringContaining('shutting down') }] },
    })
  })

  test('over WebSocket it can be answered to the last', async () => {
    const shop = await openShop()
    const socket = await WsClient.open(shop.url)
    await socket.initialize('2025-11-25', { elicitation: {} })
    socket.send(call(1, 'greet', { key: 'x' }))
    const { id } = await socket.until(({ method }) => method === 'elicitation/create')
    const closed = shop.service.close()
    socket.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Ada' } } })
    expect(await socket.answered(1)).toMatchObject({ result: { content: [{ text: 'Hello, Ada!' }] } })
    await closed
  })

  test('an answer that is still on its way arrives whole', async () => {
    const shop = await openShop({ drainMs: 20_000 })
    const slow = [
      await open(shop.url, { path: '/rpc', headers: JSON_HEADERS, body: ask(1, 'plain_big', { size: 20_000_000 }) }),
      await new Stateless(shop.url).stream(call(1, 'big', { size: 20_000_000 }, TOKEN)),
    ]
    for (const stream of slow) stream.pause()
    const closed = shop.service.close()
    for (const stream of slow) stream.resume()
    await Promise.all([closed, ...slow.map(stream => stream.ended)])
    expect(slow.map(({ text }) => text.length > 20_000_000)).toEqual([true, true])
  })

  test('what does not finish in time is cut', async () => {
    const shop = await openShop({ drainMs: 50 })
    const session = await Stateful.open(shop.url)
    const stream = await session.stream(call(1, 'steps', { key: 'a' }, TOKEN))
    const socket = await WsClient.open(shop.url)
    socket.send(call(2, 'hold', { key: 'b' }))
    await Promise.all([shop.gates.entered('a'), shop.gates.entered('b')])
    await shop.service.close()
    await stream.ended
    expect(await shop.gates.cancelled('a')).toBe('The server is shutting down')
    expect(await shop.gates.cancelled('b')).toBe('The client closed its socket')
    await expect.poll(() => shop.service.open, { interval: 5 }).toEqual({ sessions: 0, streams: 0, sockets: 0 })
  })

  test('clients that neither read nor close nor finish what they began do not hold it', async () => {
    const shop = await openShop({ drainMs: 50 })
    const silent = await Raw.open(shop.port)
    const half = await Raw.open(shop.port)
    half.write(spelled({ headers: { ...JSON_HEADERS, 'content-length': '100' } }))
    const refused = await Raw.open(shop.port)
    refused.write(spelled({ method: 'GET', path: '/other', headers: UPGRADE }))
    const socket = await Raw.open(shop.port)
    socket.write(spelled({ method: 'GET', path: '/ws', headers: UPGRADE }))
    await Promise.all([refused.head(), socket.head()])
    await expect(shop.service.close()).resolves.toBeUndefined()
    for (const connection of [silent, half, refused, socket]) {
      await connection.ended()
      connection.hangUp()
    }
  })
})
