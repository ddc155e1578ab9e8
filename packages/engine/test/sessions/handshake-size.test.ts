import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Call, Params } from '@causeway/engine'
import { expect, test } from 'vitest'

const handshake = (params: Params): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', ...params } })

test('of a client that says more than a few kB of itself, only the names are kept', async () => {
  const server = createServer({ name: 'near', version: '1', log: false })
  const seen: Call['caller'][] = []
  server.use((call, next) => {
    seen.push(call.caller)
    return next(call)
  })
  const icons = [{ src: `data:image/png;base64,${'A'.repeat(10_000)}` }]
  const clientInfo = { name: 'far', version: '1'.repeat(5000), title: 'Far', icons }
  const answer = await connect(server, { version: '2025-11-25' }).raw(handshake({ capabilities: {}, clientInfo }))
  expect(answer).toContain('serverInfo')
  expect(seen[0]?.client).toEqual({ name: 'far', version: '1'.repeat(200), title: 'Far' })
  const small = { name: 'far', version: '1', title: 'Far', icons: [{ src: 'https://far.example/icon.png' }] }
  await connect(server, { version: '2025-11-25' }).raw(handshake({ capabilities: {}, clientInfo: small }))
  expect(seen[1]?.client).toEqual(small)
})

test('capabilities of more than some kB are refused', async () => {
  const server = createServer({ name: 'near', version: '1', log: false })
  const capabilities = { experimental: { a: 'x'.repeat(20_000) } }
  const client = connect(server, { version: '2025-11-25' })
  const answer = await client.raw(handshake({ capabilities, clientInfo: { name: 'far', version: '1' } }))
  expect(JSON.parse(answer ?? '')).toMatchObject({ error: { code: -32602 } })
})
