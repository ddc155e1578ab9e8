import { createServer, tool } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, hello, tell } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, open } from '../support/http-exchange.ts'

let service: HttpService
beforeAll(async () => {
  const server = createServer({ name: 's', version: '1', batches: true }).add(tool({ name: 'a' }, () => 'a'))
  service = await serveHttp(server, { port: 0 })
})
afterAll(() => service.close())

const BATCH = [ask(1, 'ping'), tell('notifications/unknown'), ask(2, 'ping')]
const ANSWERS = [
  { jsonrpc: '2.0', id: 1, result: {} },
  { jsonrpc: '2.0', id: 2, result: {} },
]

test.each(['2025-06-18', '2025-11-25'])('Streamable HTTP takes a batch in %s where the server does', async version => {
  const { headers } = await exchange(service.url, { headers: JSON_HEADERS, body: hello(version) })
  const session = { ...JSON_HEADERS, 'mcp-session-id': String(headers['mcp-session-id']) }
  const { status, text } = await exchange(service.url, { headers: session, body: BATCH })
  expect(status).toBe(200)
  const found = text.startsWith('[') ? (JSON.parse(text) as unknown[]) : eventsIn(text)
  expect(found).toEqual(ANSWERS)
})

const eventsIn = (text: string): unknown[] =>
  Array.from(text.matchAll(/^data: (\S.*)$/gm), ([, data]) => JSON.parse(data ?? '') as unknown).flat()

test('so does HTTP+SSE', async () => {
  const stream = await open(service.url, { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } })
  await stream.reads(() => stream.events.length === 1)
  const path = stream.events[0]?.data ?? ''
  await exchange(service.url, { path, headers: JSON_HEADERS, body: hello('2025-06-18') })
  await stream.reads(() => stream.events.length === 2)
  await exchange(service.url, { path, headers: JSON_HEADERS, body: BATCH })
  await stream.reads(() => stream.events.length === 3)
  expect(JSON.parse(stream.events[2]?.data ?? '')).toEqual(ANSWERS)
  stream.hangUp()
})
