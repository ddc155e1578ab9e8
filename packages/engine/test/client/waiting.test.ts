import { createServer, tool } from '@causeway/engine'
import { RemoteServer, memoryTransport } from '@causeway/engine/client'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.useRealTimers())

const client = { name: 'near', version: '1' }
const schema = { type: 'object', properties: { value: { type: 'string' } } } as const

const asking = () =>
  createServer({ name: 'far', version: '1', log: false }).add(
    tool({ name: 'ask' }, async (_, ctx) => JSON.stringify(await ctx.elicit('name', { message: 'Name?', schema }))),
    tool({ name: 'silent' }, () => new Promise<never>(() => {})),
  )

test.each([1, 3])('a person may take longer than a request, with %i calls on one stream', async calls => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const open: ((value: string) => void)[] = []
  const remote = await RemoteServer.connect(
    { open: () => memoryTransport(asking()) },
    {
      client,
      version: '2025-11-25',
      timeoutMs: 1000,
      answer: () => new Promise(resolve => open.push(value => resolve({ action: 'accept', content: { value } }))),
    },
  )
  const results = Array.from({ length: calls }, () => remote.callTool('ask'))
  await vi.waitFor(() => expect(open).toHaveLength(calls))
  vi.advanceTimersByTime(600_000)
  for (const answer of open) answer('Ada')
  for (const result of await Promise.all(results)) expect(JSON.stringify(result)).toContain('Ada')
  const silent = remote.callTool('silent')
  silent.catch(() => {})
  vi.advanceTimersByTime(1500)
  await expect(silent).rejects.toThrow('within 1 s')
  await remote.close()
})

test('a question that is left open when its request is given up leaves nothing behind', async () => {
  const asked = vi.fn<(signal: AbortSignal) => void>()
  const server = asking()
  const remote = await RemoteServer.connect(
    { open: () => memoryTransport(server) },
    { client, version: '2025-11-25', answer: (_, signal) => (asked(signal), new Promise(() => {})) },
  )
  const ending = new AbortController()
  const call = remote.callTool('ask', {}, { signal: ending.signal })
  call.catch(() => {})
  await vi.waitFor(() => expect(asked).toHaveBeenCalledOnce())
  ending.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
  expect(asked.mock.calls[0]?.[0].aborted).toBe(true)
  await vi.waitFor(() => expect(remote.inFlight).toBe(0))
  await remote.close()
})

test('a question that the server withdraws is withdrawn from whoever answers it', async () => {
  const signals: AbortSignal[] = []
  let withdraw = (): void => {}
  const hello = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'far', version: '1' },
  }
  const serving: Parameters<typeof memoryTransport>[0] = {
    async handle(message, { send }) {
      if (!('method' in message) || !('id' in message)) return undefined
      const { id, method } = message
      if (method === 'initialize') return { jsonrpc: '2.0', id, result: hello }
      const params = { message: 'Name?', requestedSchema: { type: 'object' } }
      send({ jsonrpc: '2.0', id: 'question', method: 'elicitation/create', params })
      await new Promise<void>(resolve => (withdraw = resolve))
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'question' } })
      return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'went on' }] } }
    },
  }
  const remote = await RemoteServer.connect(
    { open: () => memoryTransport(serving) },
    { client, version: '2025-11-25', answer: (_, signal) => (signals.push(signal), new Promise(() => {})) },
  )
  const call = remote.callTool('ask')
  await vi.waitFor(() => expect(signals).toHaveLength(1))
  withdraw()
  expect(JSON.stringify(await call)).toContain('went on')
  expect(signals[0]?.aborted).toBe(true)
  await remote.close()
})
