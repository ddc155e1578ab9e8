import type * as dns from 'node:dns'
import { createServer as createListener } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, tool } from '@causeway/engine'
import type { Params } from '@causeway/engine'
import { httpHandler } from '@causeway/engine/http'
import { readServers } from '@causeway/gateway'
import { describe, expect, test, vi } from 'vitest'
import { publicLookup } from '@causeway/engine/internal'
import { clientOf, configsOf, gatewayTo, later, textOf } from '../support/world.ts'

// Names that lead where the tests want: no name of the outside is asked for.
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'public.test': ['127.0.0.1'],
  'inside.test': ['127.0.0.1'],
  'both.test': ['8.8.8.8', '10.0.0.1'],
  'outside.test': ['8.8.8.8'],
}
vi.mock('node:dns', async original => {
  const real = await original<typeof dns>()
  const lookup = (
    host: string,
    options: { all?: boolean },
    done: (e: Error | null, ...found: unknown[]) => void,
  ): void => {
    const found = (NAMES[host] ?? []).map(address => ({ address, family: 4 }))
    const [first] = found
    if (!first) return done(Object.assign(new Error(`ENOTFOUND ${host}`), { code: 'ENOTFOUND' }))
    if (options.all) done(null, found)
    else done(null, first.address, first.family)
  }
  return { ...real, lookup, default: { ...real, lookup } }
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A server on this machine, which is a private address; its port, and how often it was reached. */
async function listening(answer: Answer): Promise<{ port: number; reached: () => number }> {
  let count = 0
  const listener = createListener((request, response) => {
    count += 1
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await new Promise(done => listener.once('listening', done))
  later(async () => listener.close().closeAllConnections())
  return { port: (listener.address() as AddressInfo).port, reached: () => count }
}

function mcp(): Answer {
  const server = createServer({ name: 'inner', version: '1.0.0', log: () => {} })
  server.add(tool({ name: 'hello', description: 'Says hello' }, () => 'hello'))
  const { handle } = httpHandler(server, { allowedHosts: ['public.test', 'inside.test'] })
  return handle
}

const redirectTo =
  (location: string): Answer =>
  (request, response) => {
    request.resume()
    response.writeHead(307, { location }).end()
  }

/** What a call of a tool there says, or why it cannot be made. */
async function callAt(entry: Params): Promise<string> {
  const { server, gateway } = await gatewayTo({ up: { startTimeout: '5s', ...entry } })
  await gateway.servers
    .get('up')
    ?.refresh()
    .catch(() => {})
  return textOf(await (await clientOf(server)).callTool('up__hello'))
}

describe('a server of another’s file', () => {
  test.each(['http', 'sse'])('cannot be at a private address, over %s', async type => {
    const { port, reached } = await listening(mcp())
    const said = await callAt({ url: `http://127.0.0.1:${port}/mcp`, type, trusted: false })
    expect(said).toContain('private address [address]')
    expect(reached()).toBe(0)
  })

  test('nor over WebSocket', async () => {
    const { port, reached } = await listening(mcp())
    expect(await callAt({ url: `ws://inside.test:${port}/ws`, trusted: false })).toContain('private address [address]')
    expect(reached()).toBe(0)
  })

  test('nor behind a name that leads to one, and it is the connection’s own address that is looked at', async () => {
    const { port, reached } = await listening(mcp())
    const said = await callAt({ url: `http://inside.test:${port}/mcp`, trusted: false })
    expect(said).toContain('inside.test leads to the private address [address]')
    expect(reached()).toBe(0)
  })

  test('is what a file that is not the operator’s own has, whatever it says', () => {
    const mcpServers = { up: { url: 'http://10.0.0.1/mcp', trusted: true } }
    const around = { file: '/x.json', variables: () => undefined, readText: () => undefined }
    expect(readServers({ mcpServers }, { ...around, trusted: false }).upstreams).toMatchObject([{ trusted: false }])
    expect(readServers({ mcpServers }, around).upstreams[0]?.trusted).toBeUndefined()
    expect(() => configsOf({ up: { url: 'http://10.0.0.1/mcp', trusted: 'no' } })).toThrow("'trusted' must be")
  })
})

describe('a server of the operator’s own file', () => {
  test('may be at a private address, by number and by name', async () => {
    const { port } = await listening(mcp())
    expect(await callAt({ url: `http://127.0.0.1:${port}/mcp` })).toBe('hello')
    expect(await callAt({ url: `http://inside.test:${port}/mcp` })).toBe('hello')
  })

  test('may redirect on its own host', async () => {
    const handle = mcp()
    const { port } = await listening((request, response) =>
      request.url === '/old' ? redirectTo('/mcp')(request, response) : handle(request, response),
    )
    expect(await callAt({ url: `http://public.test:${port}/old` })).toBe('hello')
  })

  test.each(['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', 'inside.test'])('may not redirect to %s', async host => {
    const inner = await listening(mcp())
    const { port } = await listening(redirectTo(`http://${host}:${inner.port}/mcp`))
    expect(await callAt({ url: `http://public.test:${port}/mcp` })).toMatch(/leads to the private address/)
    expect(inner.reached()).toBe(0)
  })

  test.each(['file:///etc/passwd', 'ftp://public.test/x'])('nor to %s', async location => {
    const { port } = await listening(redirectTo(location))
    expect(await callAt({ url: `http://public.test:${port}/mcp` })).toContain('is not the address of a server')
  })
})

test('one private address among several is one too many', async () => {
  const look = (host: string): Promise<unknown> =>
    new Promise(resolve => publicLookup(host, { all: true }, (error, found) => resolve(error?.message ?? found)))
  expect(await look('both.test')).toContain('private address 10.0.0.1')
  expect(await look('outside.test')).toEqual([{ address: '8.8.8.8', family: 4 }])
  expect(await look('nowhere.test')).toContain('ENOTFOUND')
})
