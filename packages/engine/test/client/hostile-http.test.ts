import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { SseTransport, StdioTransport, httpTransport } from '@causeway/engine/client'
import type { ClientTransport } from '@causeway/engine/client'
import { afterEach, describe, expect, test } from 'vitest'
import { EventReader } from '../../src/client/transports/event-parser.ts'
import type { ResponseHandler } from '../../src/client/transports/http-client.ts'
import { StandaloneStream } from '../../src/client/transports/standalone-stream.ts'
import type { RequestSink } from '../../src/client/transports/transport.ts'

const EVENTS = { 'content-type': 'text/event-stream' }
const CANCELLED = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } as const
const PING = { jsonrpc: '2.0', id: 7, method: 'ping', params: {} } as const
const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A server, and how many connections it has. */
async function serverOf(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<{ readonly url: string; connections(): Promise<number> }> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += chunk)).on('end', () => answer(request, response, body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    server.closeAllConnections()
    return new Promise(done => void server.close(done))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    connections: () => new Promise(done => void server.getConnections((_, count) => done(count))),
  }
}

async function opened(transport: ClientTransport): Promise<ClientTransport> {
  ends.push(() => transport.close())
  await transport.open()
  return transport
}

const answered = (transport: ClientTransport): Promise<unknown> =>
  new Promise((done, failed) => {
    const sink: RequestSink = { onMessage() {}, onResponse: done, onLost: failed }
    transport.request(PING, sink)
  })

const pong = (response: ServerResponse): void =>
  void response
    .writeHead(200, { 'content-type': 'application/json', connection: 'close' })
    .end('{"jsonrpc":"2.0","id":7,"result":{}}')

describe('messages that a server never takes', () => {
  test.each(['never answered', 'answered without end'])('%s, leave room for requests', async kind => {
    const server = await serverOf((_, response, body) => {
      if (body.includes('ping')) return pong(response)
      if (kind === 'answered without end') response.writeHead(200, EVENTS).write(':\n')
    })
    const transport = await opened(httpTransport({ url: server.url }))
    for (let i = 0; i < 500; i++) transport.send(CANCELLED)
    await expect(answered(transport)).resolves.toMatchObject({ result: {} })
    expect(await server.connections()).toBeLessThan(64)
  })

  test('are given up when there are too many', async () => {
    const server = await serverOf(() => {})
    const transport = await opened(httpTransport({ url: server.url }))
    const said: string[] = []
    transport.listener = { ...transport.listener, onInvalid: what => void said.push(what) }
    for (let i = 0; i < 5000; i++) transport.send(CANCELLED)
    expect(said.at(-1)).toContain('does not take')
  })

  test('leave room for requests over HTTP+SSE, too', async () => {
    let events: ServerResponse | undefined
    const server = await serverOf((request, response, body) => {
      if (request.method === 'GET') {
        events = response.writeHead(200, EVENTS)
        response.write('event: endpoint\ndata: /messages\n\n')
      } else if (body.includes('ping')) events?.write('data: {"jsonrpc":"2.0","id":7,"result":{}}\n\n')
    })
    const transport = await opened(new SseTransport({ url: server.url }))
    for (let i = 0; i < 500; i++) transport.send(CANCELLED)
    await expect(answered(transport)).resolves.toMatchObject({ result: {} })
  })

  test('over a pipe, are not kept without end', () => {
    const output = new PassThrough({ highWaterMark: 1 })
    const transport = new StdioTransport({ input: new PassThrough(), output })
    const text = 'x'.repeat(8 * 1024 * 1024)
    for (let i = 0; i < 20; i++) transport.send({ ...CANCELLED, params: { text } })
    expect(output.writableLength).toBeLessThan(100 * 1024 * 1024)
  })
})

describe('a stream of events', () => {
  test('of empty lines of data is an event that becomes too long', () => {
    const reader = new EventReader(1000, () => {})
    expect(() => {
      for (let i = 0; i < 1000; i++) reader.feed('data\ndata:\n')
    }).toThrow('longer than 1000')
  })

  test('with an id that no header can carry has none', () => {
    const reader = new EventReader(100_000, () => {})
    reader.feed(`id: 1\ndata: x\n\nid: ${'z'.repeat(50_000)}\ndata: x\n\n`)
    expect(reader.lastId).toBe('1')
  })

  test.each([
    ['has an event that is too long', 200, 'data: '.padEnd(2000, 'x')],
    ['is refused with a text without end', 500, 'x'.repeat(100_000)],
  ])('that %s is closed', (_, status, text) => {
    let aborted = 0
    let handler: ResponseHandler | undefined
    const stream = new StandaloneStream({
      limit: 1000,
      open: (_after, given) => {
        handler = given
        return { abort: () => void (aborted += 1) }
      },
      onOpen() {},
      onMessage() {},
    })
    handler?.onStart(status, EVENTS)
    handler?.onText(text, text.length)
    expect(aborted).toBe(1)
    stream.close()
  })
})

test.each([
  ['followed', '/other', expect.objectContaining({ result: {} })],
  ['refused', 'http://[::1', 'Invalid URL'],
])('a redirect with a body without end, %s, leaves no connection', async (_, location, becomes) => {
  const server = await serverOf((request, response) => {
    if (request.url !== '/mcp') return pong(response)
    response.writeHead(307, { location }).write('x')
  })
  const transport = await opened(httpTransport({ url: server.url }))
  const became = await answered(transport).catch((error: Error) => error.message)
  expect(became).toEqual(becomes)
  await expect.poll(() => server.connections()).toBe(0)
})
