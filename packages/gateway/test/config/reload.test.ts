import { createServer, resource, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Server } from '@causeway/engine'
import { memoryTransport } from '@causeway/engine/client'
import { expect, test } from 'vitest'
import type { Gateway } from '@causeway/gateway'
import { configsOf, gatewayTo } from '../support/world.ts'

/** A server with one tool, and a resource that others have too. */
const upstream = (name: string): Server =>
  createServer({ name, version: '1', log: false }).add(
    tool({ name: 'hello' }, () => name),
    resource({ uri: 'shared://one', name: 'one' }, () => name),
  )

const gateway = (): Promise<{ server: Server; gateway: Gateway }> =>
  gatewayTo({}, { reach: ({ name }) => ({ open: () => memoryTransport(upstream(name)) }) })

const entries = (...names: string[]): Record<string, { command: string }> =>
  Object.fromEntries(names.map(name => [name, { command: 'in-memory' }]))

async function allLoaded({ servers }: Gateway): Promise<void> {
  for (const managed of servers.values()) await managed.refresh()
}

test('a server with the name of a pack of ours takes only itself away', async () => {
  const { server, gateway: reloading } = await gateway()
  server.mount({ name: 'basics', features: [tool({ name: 'echo' }, () => 'echo')] })
  await reloading.apply(configsOf(entries('basics')))
  await reloading.apply(configsOf({ basics: { command: 'in-memory', args: ['changed'] } }))
  expect(await connect(server).call('echo')).toBe('echo')
  await reloading.apply([])
  expect(await connect(server).call('echo')).toBe('echo')
  expect(await server.listed('tool')).toHaveLength(1)
})

test('a server that changed keeps its position: it still answers for what two have', async () => {
  const { server, gateway: reloading } = await gateway()
  await reloading.apply(configsOf(entries('first', 'second')))
  await allLoaded(reloading)
  const read = async (): Promise<unknown> => connect(server).request('resources/read', { uri: 'shared://one' })
  expect(await read()).toMatchObject({ contents: [{ text: 'first' }] })
  await reloading.apply(
    configsOf({ ...entries('first', 'second'), first: { command: 'in-memory', args: ['changed'] } }),
  )
  await allLoaded(reloading)
  expect(await read()).toMatchObject({ contents: [{ text: 'first' }] })
  expect([...reloading.servers.keys()]).toEqual(['first', 'second'])
  await reloading.apply(configsOf(entries('second')))
  expect(await read()).toMatchObject({ contents: [{ text: 'second' }] })
})
