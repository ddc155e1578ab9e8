import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Params, Server } from '@causeway/engine'
import { memoryTransport } from '@causeway/engine/client'
import { describe, expect, test, vi } from 'vitest'
import { gatewayTo } from '../support/world.ts'

const ID = 'com.example/previews'
const SPEAKS = { extensions: { [ID]: {} } }

/** A server with an extension, and what it was notified of. */
function previewing(): { upstream: Server; notified: Params[] } {
  const notified: Params[] = []
  const upstream = createServer({ name: 'far', version: '1', log: false })
  upstream.extend({
    id: ID,
    capabilities: { sizes: [1, 2] },
    methods: [{ name: 'previews/get', run: ({ params }) => ({ preview: params.of }) }],
    notifications: ['notifications/previews/ready'],
    onNotification: { 'notifications/previews/seen': ({ params }) => void notified.push(params) },
  })
  return { upstream, notified }
}

async function behind(upstream: Server, revision: string): Promise<Server> {
  const reach = (): { open: () => ReturnType<typeof memoryTransport> } => ({ open: () => memoryTransport(upstream) })
  const { server, gateway } = await gatewayTo({ up: { command: 'in-memory', revision } }, { reach })
  await gateway.servers.get('up')?.refresh()
  return server
}

describe.each(['2025-11-25', '2026-07-28'])('an extension of a server that speaks %s', revision => {
  test.each(['2025-11-25', '2026-07-28'])(
    'is declared to clients of %s, and its methods are passed on',
    async version => {
      const { upstream, notified } = previewing()
      const server = await behind(upstream, revision)
      const client = connect(server, { version, capabilities: SPEAKS })
      expect(await client.request('previews/get', { of: 'a' })).toMatchObject({ preview: 'a' })
      await expect(client.request('previews/none')).rejects.toMatchObject({ code: -32601 })
      const stranger = connect(server, { version, capabilities: {} })
      await expect(stranger.request('previews/get', { of: 'a' })).rejects.toMatchObject({ code: -32601 })
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientCapabilities': SPEAKS,
      }
      await client.notify('notifications/previews/seen', { of: 'b', ...(version === '2026-07-28' && { _meta }) })
      await vi.waitFor(() => expect(notified).toMatchObject([{ of: 'b' }]))
    },
  )
})

test('the second of two servers with one extension is asked where the first does not know a method', async () => {
  const others = createServer({ name: 'other', version: '1', log: false })
  others.extend({ id: ID, methods: [{ name: 'previews/count', run: () => ({ count: 3 }) }] })
  const servers: Record<string, Server> = { one: previewing().upstream, two: others }
  const reach = ({ name }: { name: string }): { open: () => ReturnType<typeof memoryTransport> } => ({
    open: () => memoryTransport(servers[name] ?? others),
  })
  const { server, gateway } = await gatewayTo({ one: { command: 'none' }, two: { command: 'none' } }, { reach })
  for (const upstream of gateway.servers.values()) await upstream.refresh()
  const client = connect(server, { capabilities: SPEAKS })
  expect(await client.request('previews/count')).toMatchObject({ count: 3 })
  expect(await client.request('previews/get', { of: 'a' })).toMatchObject({ preview: 'a' })
})

test('notifications of an extension reach the clients that declare it', async () => {
  const { upstream } = previewing()
  const server = await behind(upstream, '2025-11-25')
  const [one, other] = [SPEAKS, {}].map(capabilities => connect(server, { version: '2025-11-25', capabilities }))
  expect(await one?.request('previews/get', { of: 'a' })).toMatchObject({ preview: 'a' })
  await other?.request('ping')
  upstream.notify('notifications/previews/ready', { of: 'a' })
  await vi.waitFor(() => expect(JSON.stringify(one?.seen)).toContain('notifications/previews/ready'))
  expect(other?.seen).toEqual([])
})
