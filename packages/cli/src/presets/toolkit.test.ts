import { concurrency, connect, createServer, rateLimit, resultLimit } from '@causeway/engine'
import type { Client, RpcError } from '@causeway/engine'
import { toolkit as pack } from '@causeway/packs/toolkit'
import { describe, expect, test } from 'vitest'
import { count, rate, size } from '../values.ts'
import { toolkit } from './toolkit.ts'

const { flags = {} } = toolkit
const flag = (name: string): string => flags[name] ?? ''

/** The preset as it is served on stdio, with the limits its flags name. */
function opened(version = '2024-11-05'): Client {
  const { identity = { name: '', version: '' }, dialect } = toolkit
  const server = createServer({ ...identity, dialect })
  const limit = rate(flag('rate-limit'), 'rate-limit') ?? { burst: 0, perSecond: 0 }
  server
    .use(rateLimit({ ...limit, methods: 'all', now: () => 0 }))
    .use(concurrency({ running: count(flag('max-inflight'), 'max-inflight'), waiting: 10_000 }))
    .use(resultLimit(size(flag('max-response'), 'max-response')))
    .mount(pack({ server: identity }))
  return connect(server, { version, strict: true, direct: toolkit.direct ?? false })
}

const generate = (client: Client, resource_uri: string, parameters: object): Promise<unknown> =>
  client.request('tools/call', { name: 'generate_template', arguments: { resource_uri, parameters } })

describe('the toolkit preset', () => {
  test('introduces itself as the document does', async () => {
    const answer = await opened().raw(
      JSON.stringify({
        jsonrpc: '2.0',
        id: '1',
        method: 'initialize',
        params: {
          protocolVersion: '2024-11-05',
          capabilities: {},
          clientInfo: { name: 'claude-code', version: '1.0.0' },
        },
      }),
    )
    expect(JSON.parse(answer ?? '')).toMatchObject({
      id: '1',
      result: { protocolVersion: '2024-11-05', serverInfo: { name: 'paiml-mcp-agent-toolkit', version: '0.5.3' } },
    })
  })

  test('has the limits of the document', () => {
    expect(size(flag('max-request'), 'max-request')).toBe(1024 * 1024)
    expect(size(flag('max-response'), 'max-response')).toBe(10 * 1024 * 1024)
    expect(count(flag('max-inflight'), 'max-inflight')).toBe(128)
    expect(rate(flag('rate-limit'), 'rate-limit')).toEqual({ burst: 1000, perSecond: 100 })
    expect(toolkit).toMatchObject({ direct: true, countEverything: true, flags: { lifecycle: 'strict' } })
  })

  test.each(['2024-11-05', '2025-11-25', '2026-07-28'])(
    'spells its errors as the document does in %s',
    async version => {
      const client = opened(version)
      const codes = await Promise.all(
        [
          generate(client, 'template://makefile/cobol/cli', {}),
          generate(client, 'template://makefile/../../x', {}),
          generate(client, 'template://makefile/rust/cli', { project_name: '' }),
          client.request('tools/call', { name: 'generate_template', arguments: {} }),
          client.request('tools/call', { name: 'no_such_tool', arguments: {} }),
          client.request('tools/call', {
            name: 'analyze_complexity',
            arguments: { project_path: '/', toolchain: 'rust' },
          }),
          client.request('resources/read', { uri: 'template://readme/cobol/cli' }),
          client.request('resources/read', { uri: 'template://readme/../cli' }),
          client.request('prompts/get', { name: 'no-such-prompt' }),
          client.request('no/such/method'),
        ].map(answer => answer.then(String, (error: RpcError) => error.code)),
      )
      expect(codes).toEqual([-32000, -32001, -32002, -32602, -32602, -32602, -32000, -32001, -32602, -32601])
    },
  )

  test('counts every request: the one after the burst is told when to come back', async () => {
    const client = opened()
    // The handshake is one of the thousand.
    for (let i = 0; i < 999; i++) await client.request('ping')
    await expect(client.request('ping')).rejects.toMatchObject({ code: -32003, data: { retryAfterMs: 10 } })
  })

  test('refuses what comes before the handshake, and a tool called by its name too', async () => {
    const direct = { jsonrpc: '2.0', id: 1, method: 'list_templates', params: { toolchain: 'rust' } }
    const client = opened()
    expect(JSON.parse((await client.raw(JSON.stringify(direct))) ?? '')).toMatchObject({ error: { code: -32600 } })
    await client.request('ping')
    const { result } = JSON.parse((await client.raw(JSON.stringify(direct))) ?? '') as { result: unknown[] }
    expect(result).toHaveLength(3)
  })

  test('answers pipelined requests by their ids', async () => {
    const client = opened()
    await client.request('ping')
    const ids = Array.from({ length: 200 }, (_, i) => `id-${i}`)
    const answers = await Promise.all(
      ids.map(id => client.raw(JSON.stringify({ jsonrpc: '2.0', id, method: 'validate_template', params: VALID }))),
    )
    expect(answers.map(answer => JSON.parse(answer ?? '') as unknown)).toEqual(
      ids.map(id => ({ jsonrpc: '2.0', id, result: { valid: true, errors: [] } })),
    )
  })
})

const VALID = { resource_uri: 'template://gitignore/go/cli', parameters: {} }
