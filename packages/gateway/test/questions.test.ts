import { RpcError } from '@causeway/engine'
import type { Params } from '@causeway/engine'
import { memoryWire } from '@causeway/engine/client'

import { describe, expect, test, vi } from 'vitest'
import { clientOf, entryOf, gatewayTo, textOf } from './support/world.ts'

type Serving = Parameters<typeof memoryWire>[0]
type Answered = Awaited<ReturnType<Serving['handle']>>

/** A server that asks in the middle of its one tool, and never wants to be done with it; what it was answered. */
function askingServer(): { serving: Serving; answers: unknown[] } {
  const answers: unknown[] = []
  const results: Readonly<Record<string, Params>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'asking', version: '1' },
    },
    'tools/list': { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] },
  }
  const ask = { method: 'elicitation/create', params: { message: 'Well?', requestedSchema: { type: 'object' } } }
  const serving: Serving = {
    handle(message, { send }): Answered | Promise<Answered> {
      if (!('method' in message)) answers.push(message)
      else if ('id' in message && message.method !== 'tools/call')
        return { jsonrpc: '2.0', id: message.id, result: results[message.method] ?? {} }
      else if ('id' in message) send({ jsonrpc: '2.0', id: `of ${String(message.id)}`, ...ask })
      return undefined
    },
  }
  return { serving, answers }
}

describe('a question whose call is over', () => {
  test('is answered with a refusal, so that neither side keeps it', async () => {
    const { serving, answers } = askingServer()
    const entry = { command: 'none', revision: '2025-11-25' }
    const reach = (): { open: () => ReturnType<typeof memoryWire> } => ({ open: () => memoryWire(serving) })
    const { server } = await gatewayTo({ up: entry }, { reach, parkedMs: 20 })
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
