import { timeout } from '@causeway/engine/policies'
import { expect, test } from 'vitest'
import { SCRIPTED, scripted } from '../support/scripted.ts'
import { clientOf, gatewayTo, textOf } from '../support/world.ts'

/** A server that never answers a call. */
const silent = (): ReturnType<typeof scripted> =>
  scripted({
    capabilities: { tools: {} },
    result: method => {
      if (method === 'tools/list') return { tools: [{ name: 'wait', inputSchema: { type: 'object' } }] }
      return method === 'tools/call' ? undefined : {}
    },
  })

test('a server that does not answer within its timeout is named, with what to do', async () => {
  const { server, gateway } = await gatewayTo({ up: { ...SCRIPTED, prefix: false, timeout: 50 } }, silent())
  await gateway.servers.get('up')?.refresh()
  const client = await clientOf(server)
  expect(textOf(await client.callTool('wait'))).toBe(
    'The server \'up\' did not answer tools/call within 0.05 s. Ask for less, or try again later. Its entry among the servers can have a longer "timeout".',
  )
})

test('so is the one that a call waited for when its own time was over', async () => {
  const { server, gateway } = await gatewayTo({ up: { ...SCRIPTED, prefix: false } }, silent())
  server.use(timeout(50))
  await gateway.servers.get('up')?.refresh()
  const client = await clientOf(server)
  expect(textOf(await client.callTool('wait'))).toBe(
    "Tool 'wait' timed out after 0.05 s: the server 'up' has not answered. Ask for less, or try again later.",
  )
})
