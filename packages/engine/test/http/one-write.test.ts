import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createServer, tool } from '@causeway/engine'
import { httpHandler } from '@causeway/engine/http'
import { expect, onTestFinished, test } from 'vitest'
import { JSON_HEADERS, exchange } from '../support/http-exchange.ts'
import { Raw } from '../support/raw-http.ts'
import { Stateless, ask, hello } from '../support/http-client.ts'

const server = createServer({ name: 's', version: '1' }).add(
  tool({ name: 'say', input: { type: 'object', properties: { text: { type: 'string' } } } as const }, ({ text }) => ({
    content: [{ type: 'text', text: String(text) }],
  })),
)

/** The engine behind a server of Node; `before` is what a middleware does to a response. */
async function mounted(before: (request: IncomingMessage, response: ServerResponse) => void = () => {}) {
  const { handle } = httpHandler(server)
  const sockets: { socket: Socket; pieces: unknown[] }[] = []
  const front = createHttpServer((request, response) => {
    before(request, response)
    handle(request, response)
  })
  front.on('connection', (socket: Socket) => {
    const pieces: unknown[] = []
    const write = socket.write.bind(socket)
    socket.write = (data: never, ...rest: never[]) => (pieces.push(data), write(data, ...rest))
    sockets.push({ socket, pieces })
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  onTestFinished(() => {
    front.closeAllConnections()
    front.close()
  })
  const { port } = front.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}/mcp`, sockets }
}

const saying = async (url: string, text: string) => (await new Stateless(url).call('say', { text })).result?.content

/** A request on a connection that stays. */
function keptAlive(body: string, path = '/mcp'): string {
  const head = Object.entries({ ...JSON_HEADERS, host: 'localhost', 'content-length': String(body.length) })
  return `POST ${path} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

test('head and body leave in one piece, and the head says what Node would say', async () => {
  const { port, sockets } = await mounted()
  const raw = await Raw.open(port)
  raw.write(keptAlive(JSON.stringify(ask(1, 'tools/list')), '/rpc'))
  await raw.reads(() => raw.text.endsWith('}'))
  expect(sockets).toHaveLength(1)
  expect(sockets[0]?.pieces).toEqual([raw.text])
  const [head = '', body = ''] = raw.text.split('\r\n\r\n')
  const [, date = ''] = /^Date: (.+)$/m.exec(head) ?? []
  expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(60_000)
  expect(head.replace(date, 'NOW').split('\r\n')).toEqual([
    'HTTP/1.1 200 OK',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Date: NOW',
    'Connection: keep-alive',
    'Keep-Alive: timeout=5',
  ])
  raw.hangUp()
})

test.each([
  ['sets headers', (response: ServerResponse) => void response.setHeader('X-Of-Others', '1'), /^X-Of-Others: 1$/m],
  [
    'ends the connection',
    (response: ServerResponse) => void (response.shouldKeepAlive = false),
    /^Connection: close$/m,
  ],
  ['names the status', (response: ServerResponse) => void (response.statusMessage = 'Fine'), /^HTTP\/1\.1 200 Fine/],
])('middleware that %s is heard', async (_, before, expected) => {
  const { port } = await mounted((_request, response) => before(response))
  const raw = await Raw.open(port)
  raw.write(keptAlive(JSON.stringify(hello())))
  await raw.reads(() => raw.text.endsWith('}'))
  expect(raw.text).toMatch(expected)
  raw.hangUp()
})

test('whatever the body, its length is right and the next answer on the connection is whole', async () => {
  const { url, port } = await mounted()
  for (const text of ['', 'é', '\u{1f600} \u2028', 'x'.repeat(300_000)])
    expect(await saying(url, text)).toEqual([{ type: 'text', text }])
  const raw = await Raw.open(port)
  const request = keptAlive(JSON.stringify(ask(1, 'ping')))
  raw.write(request + request)
  await raw.reads(() => raw.text.split('HTTP/1.1 ').length === 3 && raw.text.endsWith('}'))
  raw.hangUp()
})

test('an answer to HEAD has no body', async () => {
  const { url } = await mounted()
  const answer = await fetch(url, { method: 'HEAD' })
  expect(await answer.text()).toBe('')
})

test('middleware that changes what is written sees the body', async () => {
  const { url } = await mounted((_, response) => {
    const { end } = response
    const shout = (body: string, encoding: BufferEncoding) => end.call(response, body.toUpperCase(), encoding)
    response.end = shout as typeof response.end
  })
  const { text } = await exchange(url, { headers: JSON_HEADERS, body: hello() })
  expect(text).toMatch(/"SERVERINFO"/)
})

test('a response that counts its body is answered too', async () => {
  const { url } = await mounted((_, response) => void (response.strictContentLength = true))
  expect(await saying(url, 'hello')).toEqual([{ type: 'text', text: 'hello' }])
})
