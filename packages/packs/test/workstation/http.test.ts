import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, expect, test } from 'vitest'
import { createServer } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { workstation } from '@causeway/packs/workstation'
import { EVERYTHING } from './everything.ts'
import { repository } from './place.ts'
import { running, until } from './processes.ts'

const services: HttpService[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
})

async function serve(root: string): Promise<URL> {
  const server = createServer({ name: 'ancplua-mcp', version: '1.0.0' })
  server.mount(workstation({ roots: [root], allowCommand: ['*'] }))
  const service = await serveHttp(server, { port: 0, drainMs: 200 })
  services.push(service)
  return new URL(`${service.url}/mcp`)
}

// The other official client does the same over stdio.
test('every tool works over HTTP with the official client', async () => {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(await serve(repository())))
  const { tools } = await client.listTools()
  expect(new Set(tools.map(tool => tool.name))).toEqual(new Set(EVERYTHING.map(([name]) => name)))
  for (const [name, args, words] of EVERYTHING) {
    const { content, isError = false } = await client.callTool({ name, arguments: args })
    const said = (content as { text?: string }[]).map(block => block.text ?? '').join('')
    expect({ name, isError, said }).toEqual({ name, isError: false, said: expect.stringMatching(words) })
  }
  await client.close()
})

test('a request given up, and a service closed, end their commands', async () => {
  const url = await serve(repository())
  const mark = `mark-${crypto.randomUUID()}`
  const stop = new AbortController()
  const params = { name: 'run_command', arguments: { command: `sh -c "trap '' TERM; sleep 1000; echo ${mark}"` } }
  const post = (signal?: AbortSignal): Promise<unknown> =>
    fetch(new URL('/rpc', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      ...(signal && { signal }),
    }).catch(() => 'given up')
  const given = post(stop.signal)
  await until(() => running(mark).length > 0)
  stop.abort()
  expect(await given).toBe('given up')
  await until(() => running(mark).length === 0)
  const cut = post()
  await until(() => running(mark).length > 0)
  await services.pop()?.close()
  await cut
  await until(() => running(mark).length === 0)
})

test('a command in the background ends with its session; without one it runs on for who knows its id', async () => {
  const url = await serve(repository())
  const mark = `mark-${crypto.randomUUID()}`
  const start = { name: 'start_command', arguments: { command: `sh -c "trap '' TERM; sleep 1000; echo ${mark}"` } }
  const transport = new StreamableHTTPClientTransport(url)
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  await client.callTool(start)
  await until(() => running(mark).length === 1)
  await transport.terminateSession()
  await until(() => running(mark).length === 0)

  const rpc = async (params: object): Promise<string> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(new URL('/rpc', url), { method: 'POST', headers, body })).text()
  }
  const started = await rpc(start)
  expect(started).toContain('runs for')
  const id = /"text":"(command-\S+) /.exec(started)?.[1]
  expect(await rpc({ name: 'stop_command', arguments: { id } })).toContain('was stopped')
  expect(running(mark)).toEqual([])
})
