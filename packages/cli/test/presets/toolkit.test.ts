import { createServer } from '@causeway/engine'
import { concurrency, rateLimit, resultLimit } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { RpcError } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import { toolkit as pack } from '@causeway/packs/toolkit'
import { describe, expect, test, vi } from 'vitest'
import { count, rate, size } from '../../src/config/values.ts'
import { toolkit } from '../../src/presets/toolkit.ts'

const { flags = {} } = toolkit
const flag = (name: string): string => flags[name] ?? ''

/** The preset as it is served on stdio, with the limits its flags name. */
function opened(version = '2024-11-05'): Client {
  const { identity = { name: '', version: '' }, dialect } = toolkit
  const server = createServer({ ...identity, dialect })
  const limit = rate(flag('rate-limit'), 'rate-limit') ?? { burst: 0, perSecond: 0 }
  server
    .use(...(toolkit.use ?? []))
    .use(rateLimit({ ...limit, methods: 'all', now: () => 0 }))
    .use(concurrency({ running: count(flag('max-inflight'), 'max-inflight'), waiting: 10_000 }))
    .use(resultLimit(size(flag('max-response'), 'max-response')))
    .add(pack({ server: identity, documented: true }))
  return connect(server, { version, strict: flag('lifecycle') === 'strict', direct: toolkit.direct ?? false })
}

const generate = (client: Client, resource_uri: string, parameters: object): Promise<unknown> =>
  client.request('tools/call', { name: 'generate_template', arguments: { resource_uri, parameters } })

describe('the toolkit preset', () => {
  test('introduces itself as documented', async () => {
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

  test('has the documented limits', () => {
    expect(size(flag('max-request'), 'max-request')).toBe(1024 * 1024)
    expect(size(flag('max-response'), 'max-response')).toBe(10 * 1024 * 1024)
    expect(count(flag('max-inflight'), 'max-inflight')).toBe(128)
    expect(rate(flag('rate-limit'), 'rate-limit')).toEqual({ burst: 1000, perSecond: 100 })
    expect(toolkit).toMatchObject({ direct: true, countEverything: true, flags: { lifecycle: 'lenient' } })
  })

  test.each(['2024-11-05', '2025-11-25', '2026-07-28'])('spells its errors as documented in %s', async version => {
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
      ].map(answer => answer.then(String, ({ code, message }: RpcError) => `${code} ${message}`)),
    )
    const begun = [
      '-32000 Template not found: template://makefile/cobol/cli',
      '-32001 Invalid template URI: template://makefile/../../x',
      '-32002 Parameter validation failed for template://makefile/rust/cli',
      '-32602 Invalid params: ',
      '-32602 Invalid params: ',
      '-32602 Invalid params: ',
      '-32000 Template not found: template://readme/cobol/cli',
      '-32001 Invalid template URI: template://readme/../cli',
      '-32602 Invalid params: Prompt not found: no-such-prompt',
      '-32601 Method not found: no/such/method',
    ]
    expect(codes.map((words, i) => words.slice(0, begun[i]?.length))).toEqual(begun)
  })

  test('counts every request: the one after the burst is told when to come back', async () => {
    // On a slow machine the clock would give back what was used.
    vi.useFakeTimers({ toFake: ['performance'] })
    const client = opened()
    // The handshake is one of the thousand.
    for (let i = 0; i < 999; i++) await client.request('ping')
    await expect(client.request('ping')).rejects.toMatchObject({ code: -32003, data: { retryAfterMs: 10 } })
  })

  test('serves the flow as it is drawn: initialize, then lists and calls; nothing before', async () => {
    const client = opened()
    const send = async (method: string, params: object = {}): Promise<Answer> =>
      JSON.parse((await client.raw(JSON.stringify({ jsonrpc: '2.0', id: method, method, params }))) ?? '') as Answer
    const direct = { name: 'list_templates', params: { toolchain: 'rust' } }
    for (const method of ['tools/list', 'resources/list', 'prompts/list', 'tools/call', direct.name]) {
      expect(await send(method, direct.params)).toMatchObject({ error: { code: -32600 } })
    }
    const clientInfo = { name: 'claude-code', version: '1.0.0' }
    await send('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo })
    expect((await send('tools/list')).result?.tools).toHaveLength(7)
    expect((await send('resources/list')).result?.resources?.[0]).toMatchObject({ name: 'Rust CLI Makefile' })
    expect((await send('prompts/list')).result?.prompts).toHaveLength(3)
    const called = await send('tools/call', { name: 'generate_template', arguments: { ...VALID, parameters: {} } })
    expect(called.result?.content?.[0]).toMatchObject({ type: 'text' })
    expect((await send(direct.name, direct.params)).result).toHaveLength(3)
    expect(await send('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo })).toMatchObject({
      error: { code: -32600 },
    })
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

interface Answer {
  readonly result?: {
    readonly tools?: unknown[]
    readonly resources?: unknown[]
    readonly prompts?: unknown[]
    readonly content?: unknown[]
  }
}

const VALID = { resource_uri: 'template://gitignore/go/cli', parameters: {} }
