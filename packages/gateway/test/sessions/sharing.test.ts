import { createServer, tool } from '@causeway/engine'
import { memoryStore } from '@causeway/engine/stores'
import type { Params, Server } from '@causeway/engine'
import type { Store } from '@causeway/engine/stores'
import { RemoteServer, httpTransport } from '@causeway/engine/client'
import { serveHttp } from '@causeway/engine/http'
import type { Gateway } from '@causeway/gateway'
import { expect, test, vi } from 'vitest'
import { answer, gatewayTo, later, listening, textOf } from '../support/world.ts'

interface Side {
  readonly gateway: Gateway
  readonly client: RemoteServer
}

/** Two gateways that share a store, with a client each, in front of the same server. */
async function pair(entry: Params): Promise<readonly [Side, Side]> {
  const store = memoryStore({ processId: 'a' })
  const stores = [store, memoryStore({ shareWith: store, processId: 'b' })]
  const side = async (own: Store): Promise<Side> => {
    const { server, gateway } = await gatewayTo({ up: entry }, { store: own })
    await gateway.servers.get('up')?.refresh()
    const { url } = await served(server, { store: own })
    const client = await RemoteServer.connect(
      { open: () => httpTransport({ url: `${url}/mcp` }) },
      { client: { name: 'near', version: '1' }, answer },
    )
    later(() => client.close())
    return { gateway, client }
  }
  const sides = await Promise.all(stores.map(side))
  return sides as unknown as readonly [Side, Side]
}

async function served(server: Server, options: Parameters<typeof serveHttp>[1] = {}): Promise<{ url: string }> {
  const service = await serveHttp(server, { port: 0, ...options })
  later(() => service.close())
  return service
}

const poolOf = ({ gateway }: Side) => {
  const pool = gateway.servers.get('up')?.pool
  if (!pool) throw new Error('no server')
  return pool
}

test('a process that goes on with a session of another hears of changes all the same', async () => {
  const upstream = createServer({ name: 'up', version: '1.0.0', log: () => {} })
  upstream.add(tool({ name: 'one' }, () => '1'))
  const { url } = await served(upstream)
  const sides = await pair({ url: `${url}/mcp`, revision: '2025-11-25' })
  for (const { client } of sides) expect(textOf(await client.callTool('up__one'))).toBe('1')
  upstream.add(tool({ name: 'two' }, () => '2'))
  for (const { client } of sides) {
    await vi.waitFor(async () => {
      expect((await client.list('tools/list')).map(({ name }) => name)).toContain('up__two')
    }, 5000)
  }
  // Nobody uses them, but for the changes that are heard there.
  const [, there] = sides
  const before = poolOf(there).size
  expect(before).toBe(2)
  await poolOf(there).stopIdle(0)
  expect(poolOf(there).size).toBe(0)
})

test('the last one that uses a session ends it; whoever leaves before does not', async () => {
  const url = await listening('sdk-v1')
  const sessions = async (): Promise<number> => Number(await (await fetch(new URL('/sessions', url))).text())
  const [here, there] = await pair({ url })
  expect(textOf(await here.client.callTool('up__counter'))).toBe('1')
  expect(textOf(await there.client.callTool('up__counter'))).toBe('2')
  expect(await sessions(), 'one of each process, and one of the client').toBe(3)
  await vi.waitFor(async () => {
    await poolOf(here).stopIdle(0)
    expect(await sessions()).toBe(2)
  })
  expect(textOf(await there.client.callTool('up__counter'))).toBe('3')
  expect(textOf(await here.client.callTool('up__counter')), 'taken up again').toBe('4')
  await vi.waitFor(async () => {
    for (const side of [here, there]) await poolOf(side).stopIdle(0)
    expect(await sessions()).toBe(0)
  })
  expect(textOf(await there.client.callTool('up__counter'))).toBe('1')
})
