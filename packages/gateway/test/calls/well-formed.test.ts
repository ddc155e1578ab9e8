import { resultBudget } from '@causeway/engine/policies'
import { expect, test } from 'vitest'
import { SCRIPTED, scripted } from '../support/scripted.ts'
import { clientOf, gatewayTo, textOf } from '../support/world.ts'

test.each([[[null]], [[5, 'text']], ['text'], [{ type: 'text', text: 'x' }]])(
  'content that is no list of blocks is refused in words: %j',
  async content => {
    const { reach } = scripted({
      capabilities: { tools: {} },
      result: method => {
        if (method === 'tools/list') return { tools: [{ name: 'odd', inputSchema: { type: 'object' } }] }
        return method === 'tools/call' ? { content } : {}
      },
    })
    const { server, gateway } = await gatewayTo({ up: SCRIPTED }, { reach })
    const budget = resultBudget({ tokens: 300 })
    server.use(budget.policy)
    await gateway.servers.get('up')?.refresh()
    const result = await (await clientOf(server)).callTool('up__odd')
    expect(textOf(result)).toBe("The server 'up' returned content that is not a list of blocks")
  },
)
