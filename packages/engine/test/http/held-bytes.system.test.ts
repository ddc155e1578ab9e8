import { createServer, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ByteBudget, HeldBytes } from '../../src/transports/limits/byte-budget.ts'
import { Stateful, ask } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messagesOf } from '../support/http-exchange.ts'
import { memoryInUse } from '../support/memory.ts'
import { Raw, spelled } from '../support/raw-http.ts'
import { UPGRADE } from '../support/ws-client.ts'

const MB = 1024 * 1024
const SIZE = { type: 'object', properties: { size: { type: 'number' } }, required: ['size'] } as const

interface Served {
  readonly service: HttpService
  readonly server: Server
  readonly begun: () => number
}

/** A server of large answers, some at once and some later. */
async function large(maxHeldBytes = 20 * MB): Promise<Served> {
  let begun = 0
  const server = createServer({ name: 'large', version: '1' }).add(
    tool({ name: 'big', input: SIZE }, ({ size }) => {
      begun += 1
      return 'x'.repeat(size)
    }),
    tool({ name: 'big_later', input: SIZE }, async ({ size }) => {
      begun += 1
      await new Promise(resolve => void setImmediate(resolve))
      return 'x'.repeat(size)
    }),
  )
  const service = await serveHttp(server, { port: 0, drainMs: 1000, maxHeldBytes })
  onTestFinished(() => service.close())
  return { service, server, begun: () => begun }
}

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const isAlive = async ({ url }: HttpService): Promise<boolean> =>
  (await exchange(url, { path: '/rpc', headers: JSON_HEADERS, body: ask(1, 'ping') })).status === 200

test('what is held is given back, and a little is free', () => {
  const budget = new ByteBudget(100)
  const [one, two] = [new HeldBytes(budget, 10), new HeldBytes(budget, 10)]
  expect([one.set(70), two.set(50), two.set(51)]).toEqual([true, true, false])
  expect([one.set(69), two.set(51), budget.take(1)]).toEqual([true, true, false])
  one.release()
  two.release()
  two.release()
  expect([budget.take(101), budget.take(100)]).toEqual([false, true])
})

describe('a batch of large answers', () => {
  test.each(['big', 'big_later'])('%s: no more is made than may be held, and each request is answered', async name => {
    const { service, begun } = await large(256 * MB)
    const batch = many(1000, id => ask(id, name, { size: 4 * MB }))
    const before = await memoryInUse()
    const answer = await exchange(service.url, { path: '/rpc', headers: JSON_HEADERS, body: batch })
    const answers = messagesOf(answer)
    expect(answers.map(({ id }) => id)).toEqual(many(1000, id => id))
    const served = answers.filter(({ result }) => result !== undefined)
    expect(served).toHaveLength(7)
    expect(begun()).toBeLessThan(40)
    expect(answers.at(-1)?.error).toMatchObject({
      message: expect.stringContaining('batch'),
      data: { hint: expect.stringContaining('fewer') },
    })
    expect((await memoryInUse()) - before).toBeLessThan(200 * MB)
  })

  test('in a session it is the same', async () => {
    const { service, begun } = await large(256 * MB)
    const session = await Stateful.open(service.url, { version: '2025-03-26' })
    const params = { name: 'big_later', arguments: { size: 4 * MB } }
    const answers = messagesOf(await session.post(many(100, id => ask(id, 'tools/call', params))))
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(7)
    expect(begun()).toBeLessThan(40)
  })

  test('small ones are all served, a few at a time', async () => {
    const { service, server } = await large()
    let running = 0
    let most = 0
    server.add(
      tool({ name: 'count' }, async () => {
        most = Math.max(most, ++running)
        await new Promise(resolve => void setImmediate(resolve))
        running -= 1
        return 'counted'
      }),
    )
    const body = many(200, id => ask(id, 'count'))
    const answers = messagesOf(await exchange(service.url, { path: '/rpc', headers: JSON_HEADERS, body }))
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(200)
    expect(most).toBe(16)
  })
})

test('answers that are not read are held up to a limit over all connections; then it is 503, and small ones still go', async () => {
  const { service, begun } = await large()
  const body = JSON.stringify(ask(1, 'big', { size: 5 * MB }))
  const greedy = await Promise.all(many(8, () => Raw.open(service.port)))
  for (const connection of greedy) {
    connection.socket.pause()
    connection.write(spelled({ path: '/rpc', headers: JSON_HEADERS, body }))
  }
  await vi.waitFor(() => expect(begun()).toBe(8), { interval: 5 })
  const late = await Raw.open(service.port)
  late.write(spelled({ path: '/rpc', headers: JSON_HEADERS, body }))
  const { status, rest } = await late.head()
  expect([status, rest]).toEqual([503, expect.stringContaining('Too many large answers')])
  expect(await isAlive(service)).toBe(true)
  for (const connection of [...greedy, late]) connection.hangUp()
  // And then there is room again.
  const again = (): Promise<number> =>
    exchange(service.url, { path: '/rpc', headers: JSON_HEADERS, body }).then(answer => answer.status)
  await expect.poll(again, { interval: 20 }).toBe(200)
})

describe('requests sent ahead behind an event stream', () => {
  const listen = spelled({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } })

  test('more than a thousand end the connection', async () => {
    const { service } = await large()
    const connection = await Raw.open(service.port)
    connection.write(listen)
    await connection.reads(() => connection.text.includes('event: endpoint'))
    connection.write(spelled({ method: 'GET', path: '/health/live' }).repeat(2000))
    await connection.closed
    await expect.poll(() => service.open.streams, { interval: 5 }).toBe(0)
    expect(await isAlive(service)).toBe(true)
  })

  test('what the heads of many hold is bounded over all connections', async () => {
    const { service } = await large()
    const headers = { 'x-filler': 'f'.repeat(15_000) }
    const connections = await Promise.all(many(5, () => Raw.open(service.port)))
    for (const connection of connections) {
      connection.write(listen)
      await connection.reads(() => connection.text.includes('event: endpoint'))
      connection.write(spelled({ method: 'GET', path: '/health/live', headers }).repeat(990))
    }
    // 5 × 990 × 19 kB would be 94 MB.
    await vi.waitFor(() => expect(connections.filter(({ socket }) => socket.destroyed).length).toBeGreaterThan(2), {
      interval: 20,
      timeout: 20_000,
    })
    expect(await isAlive(service)).toBe(true)
    for (const connection of connections) connection.hangUp()
    await expect.poll(() => service.open.streams, { interval: 5 }).toBe(0)
  })
})

/** A masked frame of a client. */
function frame(opcode: number, payload: Buffer, { isLast = true } = {}): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 2 : 10)
  head[0] = (isLast ? 0x80 : 0) | opcode
  if (payload.length < 126) head[1] = 0x80 | payload.length
  else {
    head[1] = 0x80 | 127
    head.writeBigUInt64BE(BigInt(payload.length), 2)
  }
  return Buffer.concat([head, Buffer.alloc(4), payload])
}

async function socket(service: HttpService): Promise<Raw> {
  const connection = await Raw.open(service.port)
  connection.write(spelled({ method: 'GET', path: '/ws', headers: UPGRADE }))
  await connection.head()
  return connection
}

describe('WebSockets', () => {
  test('pings whose pongs are not read are not answered without end', async () => {
    const { service } = await large()
    const connection = await socket(service)
    connection.socket.pause()
    const pings = Buffer.concat(many(8000, () => frame(0x9, Buffer.alloc(125, 'p'))))
    const before = await memoryInUse()
    // The server stops reading, so that what is written here stays here.
    for (let i = 0; i < 40; i++) connection.write(pings)
    for (let i = 0; i < 20; i++) await isAlive(service)
    await vi.waitFor(() => expect(connection.socket.writableLength).toBeGreaterThan(10 * MB), { interval: 5 })
    expect((await memoryInUse()) - before).toBeLessThan(60 * MB)
    connection.hangUp()
  })

  test('pings are answered', async () => {
    const { service } = await large()
    const connection = await socket(service)
    connection.write(frame(0x9, Buffer.from('are you there')))
    await connection.reads(() => connection.text.includes('\x8a\x0dare you there'))
    connection.hangUp()
    await expect.poll(() => service.open.sockets, { interval: 5 }).toBe(0)
  })

  test('unfinished messages of many are held up to a limit over all; the rest is cut off', async () => {
    const { service } = await large()
    const sockets = await Promise.all(many(10, () => socket(service)))
    const half = frame(0x1, Buffer.alloc(4 * MB, ' '), { isLast: false })
    for (const connection of sockets) connection.write(half)
    // 10 × 4 MB would be 40 MB.
    await vi.waitFor(() => expect(service.open.sockets).toBeLessThan(7), { interval: 5 })
    expect(service.open.sockets).toBeGreaterThan(3)
    expect(await isAlive(service)).toBe(true)
    for (const connection of sockets) connection.hangUp()
    await expect.poll(() => service.open.sockets, { interval: 5 }).toBe(0)
    const next = await socket(service)
    next.write(frame(0x1, Buffer.from(JSON.stringify(ask('again', 'big', { size: 5 * MB })))))
    await next.reads(() => next.text.length > 5 * MB)
    next.hangUp()
  })

  test('many messages and pings, one after the other, hold nothing', async () => {
    const { service } = await large()
    const connection = await socket(service)
    const ping = frame(0x9, Buffer.alloc(125))
    // 40 MB in all, which is more than anyone may hold.
    for (let i = 0; i < 20; i++) {
      const body = Buffer.from(JSON.stringify(ask(`m${i}`, 'ping')).padEnd(2 * MB))
      connection.write(Buffer.concat([ping, frame(0x1, body), ping]))
      await connection.reads(() => connection.text.includes(`"m${i}"`))
    }
    expect(service.open.sockets).toBe(1)
    connection.hangUp()
  })
})
