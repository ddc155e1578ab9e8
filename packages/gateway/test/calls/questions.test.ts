import { RpcError } from '@causeway/engine'
import { describe, expect, test, vi } from 'vitest'
import { SCRIPTED, scripted } from '../support/scripted.ts'
import { clientOf, entryOf, gatewayTo, textOf } from '../support/world.ts'

describe('a question whose call is over', () => {
  test('is answered with a refusal, so that neither side keeps it', async () => {
    const answers: unknown[] = []
    const params = { message: 'Well?', requestedSchema: { type: 'object' } }
    const { reach } = scripted({
      capabilities: { tools: {} },
      answered: message => answers.push(message),
      result(method, { id }, send) {
        if (method === 'tools/list') return { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] }
        if (method !== 'tools/call') return {}
        send({ jsonrpc: '2.0', id: `of ${String(id)}`, method: 'elicitation/create', params })
        return undefined
      },
    })
    const { server } = await gatewayTo({ up: SCRIPTED }, { reach, parkedMs: 20 })
    const client = await clientOf(server, { answer: () => new Promise<never>(() => {}) })
    const ending = new AbortController()
    client.callTool('up__ask', {}, { signal: ending.signal }).catch(() => {})
    await vi.waitFor(() => expect(answers).toMatchObject([{ error: { message: expect.stringContaining('over') } }]))
    ending.abort()
  })
})

describe.each(['2025-11-25', '2026-07-28'])('a client of %s that refuses to answer', version => {
  test.each([
    ['sdk-v1', 'stdio'],
    ['sdk-v1', 'http'],
    ['sdk-v2', 'stdio'],
    ['sdk-v2', 'http'],
  ])('is asked once by %s over %s, and the call ends', async (name, door) => {
    const { server, gateway } = await gatewayTo({ up: await entryOf(name, door) })
    await gateway.servers.get('up')?.refresh()
    let asked = 0
    const client = await clientOf(server, {
      version,
      answer: () => {
        asked += 1
        throw new RpcError(-1, 'Nobody is there')
      },
    })
    const ended = await client.callTool('up__ask').then(textOf, (error: unknown) => (error as Error).message)
    expect(ended).toContain('Nobody is there')
    expect(asked).toBe(1)
  })
})
