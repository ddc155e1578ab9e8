import { connect } from '@causeway/engine/testing'
import { expect, test } from 'vitest'
import { entryOf, gatewayTo } from '../support/world.ts'

test('what a server of others returns hides nothing, and is marked as data', async () => {
  const { server, gateway } = await gatewayTo({ near: await entryOf('sdk-v1', 'stdio') })
  await gateway.servers.get('near')?.refresh()
  const words = 'a\u202Eb \u001B[31mred \u{E0041}'
  const result = await connect(server).request('tools/call', { name: 'near__echo', arguments: { text: words } })
  expect(result).toMatchObject({
    content: [{ type: 'text', text: 'a[U+202E]b red [U+E0041]' }],
    _meta: { 'dev.causeway/data': 'server near' },
  })
})
