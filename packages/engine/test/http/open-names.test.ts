import { createServer } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import type { ToolEntry } from '@causeway/engine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { META } from '../../src/protocol/keys.ts'
import { JSON_HEADERS, exchange, messageOf } from '../support/http-exchange.ts'
import type { Answer } from '../support/http-exchange.ts'

const ID = 'com.example/previews'
const entry: ToolEntry = {
  key: 'far',
  info: { name: 'far', inputSchema: { type: 'object' } },
  headers: [{ header: 'Region', path: ['region'] }],
  run: ({ params }) => ({ content: [{ type: 'text', text: JSON.stringify(params.arguments) }] }),
}
const server = createServer({ name: 's', version: '1', log: false })
  .add({
    name: 'far',
    tools: { list: async () => [entry], find: async key => (key === 'far' ? entry : undefined) },
  })
  .extend({
    id: ID,
    methods: [{ name: 'previews/get', run: ({ params }) => ({ preview: params.of }), mirror: 'of' }],
  })

let http: Awaited<ReturnType<typeof serveHttp>>
beforeAll(async () => {
  http = await serveHttp(server, { port: 0 })
})
afterAll(() => http.close())

function post(method: string, params: object, headers: Record<string, string>, extensions = {}): Promise<Answer> {
  const version = '2026-07-28'
  const _meta = { [META.protocolVersion]: version, [META.clientCapabilities]: { extensions } }
  return exchange(`${http.url}/mcp`, {
    headers: { ...JSON_HEADERS, 'mcp-protocol-version': version, 'mcp-method': method, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
}

test('a tool of a promise has its arguments repeated in headers like any other', async () => {
  const call = { name: 'far', arguments: { region: 'eu' } }
  const served = await post('tools/call', call, { 'mcp-name': 'far', 'mcp-param-region': 'eu' })
  expect(served.status).toBe(200)
  expect(messageOf(served)).toMatchObject({ result: { content: [{ text: '{"region":"eu"}' }] } })
  const refused = await post('tools/call', call, { 'mcp-name': 'far', 'mcp-param-region': 'us' })
  expect(refused.status).toBe(400)
  expect(messageOf(refused)).toMatchObject({ error: { code: -32020 } })
})

test('a method of an extension says which parameter its header repeats, and is refused to clients that do not name it', async () => {
  const named = { [ID]: {} }
  const served = await post('previews/get', { of: 'x' }, { 'mcp-name': 'x' }, named)
  expect(served.status).toBe(200)
  expect(messageOf(served)).toMatchObject({ result: { preview: 'x' } })
  expect((await post('previews/get', { of: 'x' }, { 'mcp-name': 'y' }, named)).status).toBe(400)
  const unknown = await post('previews/get', { of: 'x' }, { 'mcp-name': 'x' })
  expect(unknown.status).toBe(400)
  expect(messageOf(unknown)).toMatchObject({ error: { code: -32021 } })
})
