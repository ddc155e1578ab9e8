import { createServer, streamTool, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import type { HttpOptions, HttpService } from '@causeway/engine/http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { JSON_HEADERS, exchange } from '../support/http-exchange.ts'
import { StreamClient, frameOf } from '../support/stream-client.ts'
import { Gates } from '../support/gates.ts'

interface Served {
  readonly service: HttpService
  readonly server: Server
  readonly gates: Gates
  /** What tools have done. */
  readonly seen: string[]
}

const MB = 1024 * 1024
const SIZE = { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] } as const

/** A server of tools that stream. */
async function streaming(options: HttpOptions = {}): Promise<Served> {
  const gates = new Gates()
  const seen: string[] = []
  const server = createServer({ name: 'streams', version: '1', log: false }).add(
    streamTool({ name: 'count', stream: 'in' }, async (_, __, incoming) => {
      let bytes = 0
      for await (const piece of incoming) bytes += piece.length
      return { bytes }
    }),
    streamTool({ name: 'make', stream: 'out', input: SIZE }, async function* ({ bytes }, ctx) {
      try {
        for (let left = bytes; left > 0; left -= 100_000) {
          seen.push('made')
          yield Buffer.alloc(Math.min(left, 100_000), 7)
        }
        return { bytes }
      } finally {
        seen.push(ctx.signal.aborted ? 'make was stopped' : 'make ended')
      }
    }),
    streamTool(
      { name: 'echo', stream: 'duplex', sends: { method: 'back', mime: 'text/plain' } },
      async function* (_, __, incoming) {
        yield* incoming
        return { sent: { all: true }, received: { fine: true } }
      },
    ),
    streamTool({ name: 'slow', stream: 'in' }, async (_, ctx, incoming) => {
      seen.push('slow began')
      await gates.pass('slow', ctx.signal)
      let bytes = 0
      for await (const piece of incoming) bytes += piece.length
      return { bytes }
    }),
    streamTool({ name: 'breaks', stream: 'in' }, async (_, __, incoming) => {
      for await (const piece of incoming) throw new Error(`cannot take ${piece.length} bytes`)
    }),
    tool({ name: 'plain' }, () => 'plain'),
  )
  const service = await serveHttp(server, { port: 0, drainMs: 1000, ...options })
  onTestFinished(() => service.close())
  return { service, server, gates, seen }
}

const opened = async (options?: HttpOptions): Promise<Served & { client: StreamClient }> => {
  const served = await streaming(options)
  return { ...served, client: await StreamClient.open(served.service.url) }
}

describe('streams', () => {
  test('in: frames are counted, one done has the summary, and the socket closes with 1000', async () => {
    const { client } = await opened()
    const id = client.start('count')
    await client.send(id, Buffer.from('hello'))
    await client.send(id, Buffer.alloc(3))
    client.control('done', id)
    expect(await client.end(id)).toMatchObject({ type: 'done', id, summary: { bytes: 8 } })
    expect(await client.socket.closed).toBe(1000)
    expect(client.messages).toHaveLength(1)
  })

  test('out: a start, numbered frames under an id of its own, and a done', async () => {
    const { client } = await opened()
    client.start('make', { arguments: { bytes: 250_000 } })
    const begun = await client.until(({ type }) => type === 'start')
    expect(begun.meta).toEqual({ method: 'make', mime: 'application/octet-stream', binary: true })
    expect(Date.parse(begun.timestamp)).not.toBeNaN()
    expect(await client.end(begun.id)).toMatchObject({ type: 'done', summary: { bytes: 250_000 } })
    const payloads = client.payloads(begun.id)
    expect(Buffer.concat(payloads).equals(Buffer.alloc(250_000, 7))).toBe(true)
    expect(Math.max(...payloads.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024)
    expect(await client.socket.closed).toBe(1000)
    expect(client.messages.map(({ type }) => type)).toEqual(['start', 'done'])
  })

  test('duplex: two streams, two summaries, the client’s own last', async () => {
    const { client } = await opened()
    const id = client.start('echo')
    for (const word of ['one', 'two', 'three']) await client.send(id, Buffer.from(word))
    client.control('done', id)
    expect(await client.end(id)).toMatchObject({ summary: { fine: true } })
    const [begun, back, own] = client.messages
    expect(begun).toMatchObject({ type: 'start', meta: { method: 'back', mime: 'text/plain', binary: true } })
    expect(back).toMatchObject({ type: 'done', id: begun?.id, summary: { all: true } })
    expect(own).toMatchObject({ type: 'done', id })
    expect(client.payloads(begun?.id ?? '').map(String)).toEqual(['one', 'two', 'three'])
  })

  test('a request by the name of the tool starts one under its id', async () => {
    const { client } = await opened()
    client.socket.send({ jsonrpc: '2.0', id: 'direct', method: 'count' })
    client.socket.ws.send(Buffer.concat([Buffer.alloc(24), Buffer.from('four')]))
    client.control('done', 'direct')
    expect(await client.end('direct')).toMatchObject({ summary: { bytes: 4 } })
  })

  test('a text stream has its chunks in control messages', async () => {
    const { client } = await opened()
    const id = client.start('count', { binary: false })
    client.control('chunk', id, { index: 0, data: 'äß' })
    client.control('done', id)
    expect(await client.end(id)).toMatchObject({ summary: { bytes: 4 } })
  })

  test('several at once are kept apart, and calls are answered between them', async () => {
    const { client } = await opened()
    const ids = Array.from({ length: 5 }, () => client.start('count', { keepOpen: true }))
    const echo = client.start('echo', { keepOpen: true })
    for (let round = 0; round < 10; round++) {
      for (const [i, id] of ids.entries()) await client.send(id, Buffer.alloc(i + 1))
      await client.send(echo, Buffer.from([round]))
    }
    client.socket.send({ jsonrpc: '2.0', id: 1, method: 'plain' })
    expect(await client.socket.answered(1)).toMatchObject({ result: 'plain' })
    for (const id of [...ids, echo]) client.control('done', id)
    for (const [i, id] of ids.entries())
      expect(await client.end(id)).toMatchObject({ summary: { bytes: 10 * (i + 1) } })
    await client.end(echo)
    const back = client.messages.find(({ type }) => type === 'start')?.id ?? ''
    expect(Buffer.concat(client.payloads(back))).toEqual(Buffer.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
    client.socket.send({ jsonrpc: '2.0', id: 2, method: 'plain' })
    expect(await client.socket.answered(2)).toMatchObject({ result: 'plain' })
  })

  test('cancel ends one and its tool, and leaves the others', async () => {
    const { client, seen } = await opened()
    const other = client.start('count')
    client.start('make', { arguments: { bytes: 1e12 } }, 'endless')
    await client.socket.reads(() => client.socket.bytes.length > 3)
    client.control('cancel', 'endless')
    expect(await client.end('endless')).toMatchObject({ error: { code: -32000, message: 'Stream cancelled' } })
    await expect.poll(() => seen.at(-1), { interval: 5 }).toBe('make was stopped')
    client.control('done', other)
    expect(await client.end(other)).toMatchObject({ summary: { bytes: 0 } })
    expect(await client.socket.closed).toBe(1000)
  })

  test('a client that leaves ends its tools', async () => {
    const { client, seen, service } = await opened()
    client.start('make', { arguments: { bytes: 1e12 } })
    await client.socket.reads(() => client.socket.bytes.length > 3)
    client.socket.ws.terminate()
    await expect.poll(() => seen.at(-1), { interval: 5 }).toMatch(/^make (was stopped|ended)$/)
    await expect.poll(() => service.open.sockets, { interval: 5 }).toBe(0)
  })
})

describe('what is wrong', () => {
  test.each([
    ['an unknown tool', 'nothing', { code: -32601, message: 'Method not found', data: { method: 'nothing' } }],
    [
      'one that does not stream',
      'plain',
      { code: -32601, message: expect.stringMatching(/^Tool does not support streaming/) },
    ],
    ['no tool', undefined, { code: -32602, message: expect.stringMatching(/meta\.method/) }],
    ['arguments that do not fit', 'make', { message: expect.stringMatching(/bytes/) }],
  ])('%s is refused, and the socket stays open', async (_, method, error) => {
    const { client } = await opened()
    const id = client.start(method)
    expect(await client.end(id)).toMatchObject({ type: 'error', error })
    client.socket.send({ jsonrpc: '2.0', id: 1, method: 'plain' })
    expect(await client.socket.answered(1)).toMatchObject({ result: 'plain' })
  })

  test.each<[string, object, (client: StreamClient, id: string) => unknown, RegExp]>([
    [
      'a text chunk on a binary stream',
      {},
      (c, id) => c.control('chunk', id, { index: 0, data: 'x' }),
      /^A text chunk/,
    ],
    ['a binary frame on a text stream', { binary: false }, (c, id) => c.send(id, Buffer.from('x')), /^A binary frame/],
    [
      'data after done',
      {},
      (c, id) => {
        c.control('done', id)
        return c.send(id, Buffer.from('x'))
      },
      /^Data came after done/,
    ],
  ])('%s fails the stream, and the socket closes with 1011', async (_, meta, act, words) => {
    const { client } = await opened()
    const id = client.start('slow', meta)
    await act(client, id)
    expect(await client.end(id)).toMatchObject({ error: { code: -32000, message: expect.stringMatching(words) } })
    expect(await client.socket.closed).toBe(1011)
  })

  test('frames of no stream, and those too short to be one, are answered once, and change nothing', async () => {
    const { client } = await opened()
    client.socket.ws.send(Buffer.alloc(10))
    const stray = crypto.randomUUID()
    for (const index of [0, 1, 2]) client.socket.ws.send(frameOf(stray, index, Buffer.from('stray')))
    client.control('chunk', 'nobody', { index: 0, data: 'stray' })
    await client.socket.reads(() => client.socket.frames.length >= 3)
    expect(client.socket.frames.map(text => JSON.parse(text) as unknown)).toEqual([
      expect.objectContaining({
        type: 'error',
        id: '',
        error: { code: -32000, message: expect.stringMatching(/24 bytes/) },
      }),
      expect.objectContaining({
        type: 'error',
        id: stray,
        error: { code: -32000, message: expect.stringMatching(/no such stream/) },
      }),
      expect.objectContaining({ type: 'error', id: 'nobody' }),
    ])
    client.start('count', { keepOpen: true }, 'first')
    const id = client.start('count')
    client.socket.ws.send(frameOf(crypto.randomUUID(), 0, Buffer.from('stray')))
    await client.send(id, Buffer.from('own'))
    client.control('done', id)
    expect(await client.end(id)).toMatchObject({ summary: { bytes: 3 } })
  })

  test('a frame out of order ends its stream with an error', async () => {
    const { client } = await opened()
    const id = client.start('count')
    client.socket.ws.send(frameOf(id, 0, Buffer.from('a')))
    client.socket.ws.send(frameOf(id, 2, Buffer.from('c')))
    expect(await client.end(id)).toMatchObject({
      error: { code: -32000, message: 'A frame has the number 2, but 1 comes next' },
    })
  })

  test('a message without a time is no message of a stream', async () => {
    const { client } = await opened()
    client.socket.send({ type: 'start', id: 'x', meta: { method: 'count' } })
    await client.socket.reads(() => client.socket.frames.length > 0)
    expect(JSON.parse(client.socket.frames[0] ?? '')).toMatchObject({ error: { code: -32600 } })
  })

  test('a tool that fails is told, and the socket closes with 1011', async () => {
    const { client } = await opened()
    const id = client.start('breaks')
    await client.send(id, Buffer.alloc(9))
    expect(await client.end(id)).toMatchObject({ error: { code: -32603, message: 'cannot take 9 bytes' } })
    expect(await client.socket.closed).toBe(1011)
  })

  test('a silent sender is timed out', async () => {
    const { client } = await opened({ streamIdleMs: 50 })
    const id = client.start('count')
    expect(await client.end(id)).toMatchObject({
      error: { code: -32000, message: expect.stringMatching(/^Stream timeout/) },
    })
    expect(await client.socket.closed).toBe(1011)
  })

  test('one id twice, and more streams than a socket may have', async () => {
    const { client } = await opened({ maxStreamsPerSocket: 2 })
    const id = client.start('count')
    client.start('count', {}, id)
    expect(await client.end(id)).toMatchObject({ error: { message: expect.stringMatching(/is open already/) } })
    client.start('count')
    const third = client.start('count')
    expect(await client.end(third)).toMatchObject({
      error: { code: -32000, message: expect.stringMatching(/^Too many streams: at most 2/) },
    })
  })
})

describe('other transports', () => {
  const rpc = async ({ service }: Served, method: string, params?: object): Promise<Record<string, unknown>> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) })
    const { text } = await exchange(service.url, { path: '/rpc', headers: JSON_HEADERS, body })
    return JSON.parse(text) as Record<string, unknown>
  }
  const namesIn = (answer: unknown): string[] =>
    (answer as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)

  test('do not list them, in whatever order lists are asked for', async () => {
    const { client, ...served } = await opened()
    for (const id of [1, 2]) {
      client.socket.send({ jsonrpc: '2.0', id, method: 'tools/list' })
      expect(namesIn(await client.socket.answered(id))).toEqual(expect.arrayContaining(['count', 'make', 'plain']))
      expect(namesIn(await rpc(served, 'tools/list'))).toEqual(['plain'])
    }
  })

  test('refuse a call with -32601, and so does a call over the socket', async () => {
    const { client, ...served } = await opened()
    const refused = { error: { code: -32601, message: expect.stringMatching(/^Tool requires streaming/) } }
    expect(await rpc(served, 'tools/call', { name: 'count' })).toMatchObject(refused)
    expect(await rpc(served, 'count')).toMatchObject({
      error: { code: -32601, message: expect.stringMatching(/^Use StreamMessage to initiate streaming/) },
    })
    client.socket.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count' } })
    expect(await client.socket.answered(1)).toMatchObject(refused)
  })
})

describe('backpressure', () => {
  test('a tool that does not read stops the sender, and loses nothing', async () => {
    const { client, gates, seen } = await opened()
    const id = client.start('slow')
    await expect.poll(() => seen, { interval: 5 }).toContain('slow began')
    let taken = 0
    const sending = (async () => {
      for (let i = 0; i < 64; i++) {
        await client.send(id, Buffer.alloc(MB))
        taken += 1
      }
      client.control('done', id)
    })()
    // What is not read stays with the sender, once what lies between them is full.
    await expect.poll(() => client.socket.ws.bufferedAmount, { interval: 50 }).toBeGreaterThan(0)
    await settled(() => taken)
    expect(taken).toBeLessThan(32)
    gates.open('slow')
    await sending
    expect(await client.end(id)).toMatchObject({ summary: { bytes: 64 * MB } })
  })

  test('a client that does not read stops the tool', async () => {
    const { client, seen } = await opened()
    client.socket.ws.pause()
    client.start('make', { arguments: { bytes: 64 * MB } })
    await expect.poll(() => seen.length, { interval: 5 }).toBeGreaterThan(0)
    await settled(() => seen.length)
    const made = seen.length
    expect(made * 100_000).toBeLessThan(32 * MB)
    client.socket.ws.resume()
    const { id } = await client.until(({ type }) => type === 'start')
    expect(await client.end(id)).toMatchObject({ summary: { bytes: 64 * MB } })
    expect(client.payloads(id).reduce((sum, { length }) => sum + length, 0)).toBe(64 * MB)
  })
})

/** Resolves once a number has been the same for a while. */
async function settled(value: () => number): Promise<void> {
  let last = -1
  let same = 0
  await expect
    .poll(
      () => {
        same = value() === last ? same + 1 : 0
        last = value()
        return same
      },
      { interval: 20, timeout: 10_000 },
    )
    .toBeGreaterThan(10)
}
