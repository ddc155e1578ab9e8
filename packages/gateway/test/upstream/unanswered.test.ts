import { connect } from '@causeway/engine/testing'
import type { Params, Result } from '@causeway/engine'
import { RemoteServer, httpTransport } from '@causeway/engine/client'
import { serveHttp } from '@causeway/engine/http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SCRIPTED, scripted } from '../support/scripted.ts'
import { gatewayTo, later, textOf } from '../support/world.ts'

afterEach(() => vi.useRealTimers())

const CAN = { elicitation: { form: {} } }
const question = { message: 'Well?', requestedSchema: { type: 'object' } }

/** A server that asks on a stream all calls share; it answers with what it is answered. */
function curious() {
  const waiting = new Map<unknown, (text: string) => void>()
  return scripted({
    capabilities: { tools: {} },
    answered(message) {
      if ('id' in message) waiting.get(message.id)?.('result' in message ? JSON.stringify(message.result) : 'refused')
    },
    result(method, { id, params }, send) {
      if (method === 'tools/list') return { tools: ['ask', 'echo'].map(name => ({ name, inputSchema: {} })) }
      if (method !== 'tools/call') return {}
      if (params.name === 'echo') return { content: [{ type: 'text', text: 'echo' }] }
      const asked = `of ${String(id)}`
      send({ jsonrpc: '2.0', id: asked, method: 'elicitation/create', params: question })
      return new Promise(resolve => waiting.set(asked, text => resolve({ content: [{ type: 'text', text }] })))
    },
  })
}

const answered = ({ inputRequests, requestState }: Result): Params => {
  const inputResponses = Object.fromEntries(
    Object.keys(inputRequests as Params).map(key => [key, { action: 'accept', content: { value: 'yes' } }]),
  )
  return { name: 'up__ask', arguments: {}, inputResponses, requestState }
}

describe('a question that is not answered', () => {
  test('may stay open for ten minutes, though calls have a second', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const { server, gateway } = await gatewayTo({ up: { ...SCRIPTED, timeout: 1000 } }, curious())
    await gateway.servers.get('up')?.refresh()
    const client = connect(server, { capabilities: CAN })
    const asked = await client.request('tools/call', { name: 'up__ask', arguments: {} })
    expect(asked.resultType).toBe('input_required')
    vi.advanceTimersByTime(590_000)
    expect(textOf(await client.request('tools/call', answered(asked)))).toContain('yes')
  })

  test('is given up for another client that waits for the process it holds', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
    const { server, gateway } = await gatewayTo({ up: { ...SCRIPTED, processes: 1 } }, curious())
    await gateway.servers.get('up')?.refresh()
    const [ada, bob] = ['ada', 'bob'].map(name => connect(server, { capabilities: CAN, principal: { name } }))
    const asked = await ada?.request('tools/call', { name: 'up__ask', arguments: {} })
    expect(asked?.resultType).toBe('input_required')
    const waiting = bob?.call('up__echo')
    await vi.waitFor(() => expect(gateway.servers.get('up')?.pool.waiting).toBe(1))
    // Not at once: a person needs time.
    vi.advanceTimersByTime(9000)
    expect(gateway.servers.get('up')?.pool.waiting).toBe(1)
    vi.advanceTimersByTime(2000)
    expect(await waiting).toBe('echo')
    const late = ada?.request('tools/call', answered(asked ?? {}))
    await expect(late).rejects.toThrow('others waited for the server')
  })

  test('counts for its client, however many sessions that has', async () => {
    const { server, gateway } = await gatewayTo({ up: { ...SCRIPTED, limits: { inFlight: 4 } } }, curious())
    await gateway.servers.get('up')?.refresh()
    const service = await serveHttp(server, { port: 0 })
    later(() => service.close())
    const session = async (): Promise<RemoteServer> => {
      const remote = await RemoteServer.connect(
        { open: () => httpTransport({ url: `${service.url}/mcp` }) },
        { client: { name: 'near', version: '1' }, version: '2025-11-25', capabilities: CAN },
      )
      later(() => remote.close())
      return remote
    }
    const [one, two] = [await session(), await session()]
    expect((await one.callTool('up__ask')).resultType).toBe('input_required')
    await expect(two.callTool('up__ask')).rejects.toThrow('Too many calls wait for answers (1 of this client)')
    expect(textOf(await two.callTool('up__echo'))).toBe('echo')
  })
})

test.each([
  [{ tools: {} }, undefined],
  [{ tools: {}, completions: {} }, {}],
])('of a server with %j completions are declared as %j', async (capabilities, completions) => {
  const { reach } = scripted({ capabilities })
  const { server, gateway } = await gatewayTo({ up: SCRIPTED }, { reach })
  await gateway.servers.get('up')?.refresh()
  const { capabilities: declared } = await connect(server).request('server/discover')
  expect((declared as Params).completions).toEqual(completions)
})
