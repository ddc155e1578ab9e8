import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Params } from '@causeway/engine'
import { describe, expect, test, vi } from 'vitest'
import { SCRIPTED, scripted } from '../support/scripted.ts'
import { gatewayTo, later } from '../support/world.ts'

const capabilities = { tools: { listChanged: true }, prompts: {} }
const named = (...names: string[]): Params => ({
  tools: names.map(name => ({ name, inputSchema: { type: 'object' } })),
})

/** Lists one tool the first time it is asked, and two from then on; tells when it was asked. */
function growing(): { list: () => Params; listed: Promise<void> } {
  let tell = (): void => {}
  const listed = new Promise<void>(resolve => (tell = resolve))
  let asked = 0
  const list = (): Params => {
    tell()
    return asked++ === 0 ? named('a') : named('a', 'b')
  }
  return { list, listed }
}

const toolsOf = (gateway: Awaited<ReturnType<typeof gatewayTo>>['gateway']): unknown[] =>
  gateway.servers.get('up')?.lists?.tools.map(({ name }) => name) ?? []

describe('a list that changes', () => {
  test('while it is being asked for is asked for again', async () => {
    const { list } = growing()
    const { reach } = scripted({
      capabilities,
      result(method, _request, send) {
        if (method === 'tools/list') return list()
        // Each time: it would be asked without end.
        if (method === 'prompts/list') send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
        return {}
      },
    })
    const { gateway } = await gatewayTo({ up: SCRIPTED }, { reach })
    gateway.start()
    await vi.waitFor(() => expect(toolsOf(gateway)).toEqual(['a', 'b']), 10_000)
  })

  test('before a server of the stateless era says that it will tell is asked for again', async () => {
    const { list, listed } = growing()
    const { reach } = scripted({
      capabilities,
      async result(method, _request, send) {
        if (method === 'tools/list') return list()
        if (method !== 'subscriptions/listen') return {}
        await listed
        send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } })
        return undefined
      },
    })
    const { gateway } = await gatewayTo({ up: { ...SCRIPTED, revision: '2026-07-28' } }, { reach })
    gateway.start()
    await vi.waitFor(() => expect(toolsOf(gateway)).toEqual(['a', 'b']), 10_000)
  })

  test('before the stream of a server behind HTTP is open is asked for again', async () => {
    const { list, listed } = growing()
    const serverInfo = { name: 'late', version: '1' }
    const results: Readonly<Record<string, () => Params>> = {
      initialize: () => ({ protocolVersion: '2025-11-25', capabilities, serverInfo }),
      'tools/list': list,
    }
    const post = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { id, method } = (await json(request)) as { id?: unknown; method: string }
      if (id === undefined) return void response.writeHead(202).end()
      const result = results[method]?.() ?? {}
      const headers = { 'content-type': 'application/json', 'mcp-session-id': 'only' }
      response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }
    const http = createServer((request, response) => {
      if (request.method === 'POST') void post(request, response)
      else if (request.method === 'DELETE') response.writeHead(200).end()
      else void listed.then(() => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n'))
    })
    await once(http.listen(0, '127.0.0.1'), 'listening')
    later(async () => {
      http.closeAllConnections()
      await new Promise(resolve => http.close(resolve))
    })
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
    const { gateway } = await gatewayTo({ up: { url, revision: '2025-11-25' } })
    gateway.start()
    await vi.waitFor(() => expect(toolsOf(gateway)).toEqual(['a', 'b']), 10_000)
  })

  test('while the server did not run is asked for when it runs again', async () => {
    const { list } = growing()
    const { reach } = scripted({ capabilities, result: method => (method === 'tools/list' ? list() : {}) })
    const { gateway } = await gatewayTo({ up: SCRIPTED }, { reach })
    const managed = gateway.servers.get('up')
    await managed?.refresh()
    expect(toolsOf(gateway)).toEqual(['a'])
    await managed?.pool.restart()
    await managed?.pool.acquire(undefined)
    await vi.waitFor(() => expect(toolsOf(gateway)).toEqual(['a', 'b']), 10_000)
  })
})
