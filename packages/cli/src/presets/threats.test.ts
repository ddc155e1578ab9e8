import { connect, createServer, versions } from '@causeway/engine'
import type { Client, Level } from '@causeway/engine'
import { threats as pack } from '@causeway/packs/threats'
import { describe, expect, test } from 'vitest'
import { plainLog } from '../plain-log.ts'
import { threats } from './threats.ts'

/** A connection to the preset as it is served on stdio, and the lines of its log. */
function opened(version = '2025-11-25', least: Level = 'info'): { client: Client; lines: string[] } {
  const lines: string[] = []
  const log = plainLog(least, line => lines.push(line))
  const { identity = { name: '', version: '' }, server, dialect } = threats
  const served = createServer({ ...identity, ...server, dialect, log, declare: ['tools'] })
  served.mount(pack({ documented: true, log }))
  return { client: connect(served, { version, strict: true }), lines }
}

async function exchange(client: Client, message: unknown): Promise<unknown> {
  const answer = await client.raw(typeof message === 'string' ? message : JSON.stringify(message))
  return answer === undefined ? undefined : JSON.parse(answer)
}

const hello = (id: number, protocolVersion = '2025-11-25'): object => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: {
    protocolVersion,
    capabilities: { roots: { listChanged: true }, sampling: {} },
    clientInfo: { name: 'Claude Desktop', version: '1.0.0' },
  },
})
const ready = { jsonrpc: '2.0', method: 'notifications/initialized' }
const list = (id: number): object => ({ jsonrpc: '2.0', id, method: 'tools/list' })
const call = (id: number, args: unknown, name = 'tmkb_query'): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

async function greeted(): Promise<ReturnType<typeof opened>> {
  const connection = opened()
  await exchange(connection.client, hello(1))
  await exchange(connection.client, ready)
  return connection
}

const refusal = (id: number, words: string): object => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: words }], isError: true },
})

describe('the document’s examples', () => {
  test('initialize', async () => {
    const { client } = opened()
    expect(await exchange(client, hello(1))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: false } },
        serverInfo: {
          name: 'tmkb',
          version: '0.1.0',
          description: 'Threat Model Knowledge Base - Query authorization security threats',
        },
      },
    })
    expect(await exchange(client, ready)).toBeUndefined()
  })

  test('an unsupported version is answered with the newest', async () => {
    for (const asked of ['2026-07-28', '2099-01-01', '1.0']) {
      const { client } = opened()
      expect(await exchange(client, hello(1, asked))).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    }
  })

  test('tools/list', async () => {
    const { client } = await greeted()
    expect(await exchange(client, list(2))).toEqual({
      jsonrpc: '2.0',
      id: 2,
      result: {
        tools: [
          {
            name: 'tmkb_query',
            description:
              'Query the Threat Model Knowledge Base for authorization security threats relevant to your implementation. Returns concise, actionable security context optimized for code generation.',
            inputSchema: {
              type: 'object',
              properties: {
                context: {
                  type: 'string',
                  description:
                    "What you're implementing (e.g., 'multi-tenant API endpoint', 'background job processing')",
                  minLength: 1,
                },
                language: {
                  type: 'string',
                  enum: ['python'],
                  description: 'Programming language (MVP: Python only)',
                },
                framework: {
                  type: 'string',
                  enum: ['flask', 'any'],
                  description: 'Framework context (MVP: Flask or any)',
                },
                verbosity: {
                  type: 'string',
                  enum: ['agent', 'human'],
                  default: 'agent',
                  description: "Output format: 'agent' for concise, 'human' for detailed",
                },
              },
              required: ['context'],
              additionalProperties: false,
            },
          },
        ],
      },
    })
  })

  test('a query is answered with one text and isError false', async () => {
    const { client } = await greeted()
    const asked = { context: 'background job processing', language: 'python', framework: 'flask' }
    const { result } = (await exchange(client, call(3, asked))) as { result: Record<string, unknown> }
    expect(Object.keys(result)).toEqual(['content', 'isError'])
    expect(result.isError).toBe(false)
    const [{ text }] = result.content as [{ text: string }]
    expect(JSON.parse(text)).toMatchObject({ pattern_count: 1, patterns: [{ id: 'TMKB-AUTHZ-001' }] })
  })

  test('an invalid language', async () => {
    const { client } = await greeted()
    expect(await exchange(client, call(3, { context: 'x', language: 'java' }))).toEqual(
      refusal(3, "Invalid language 'java'. Supported languages: python"),
    )
  })

  test('an unknown tool', async () => {
    const { client } = await greeted()
    expect(await exchange(client, call(3, {}, 'invalid_tool_name'))).toEqual({
      jsonrpc: '2.0',
      id: 3,
      error: { code: -32602, message: 'Unknown tool: invalid_tool_name' },
    })
  })

  test('the tool’s name is case-sensitive', async () => {
    const { client } = await greeted()
    expect(await exchange(client, call(3, { context: 'x' }, 'TMKB_QUERY'))).toMatchObject({
      error: { code: -32602, message: 'Unknown tool: TMKB_QUERY' },
    })
  })
})

describe('arguments', () => {
  const words: readonly (readonly [unknown, string])[] = [
    [{}, 'context parameter is required'],
    [undefined, 'context parameter is required'],
    [{ context: '' }, 'context must be non-empty'],
    [{ context: ' \t\n ' }, 'context must be non-empty'],
    [{ context: 'x', language: 'java' }, "Invalid language 'java'. Supported languages: python"],
    [{ context: 'x', language: '' }, "Invalid language ''. Supported languages: python"],
    [{ context: 'x', framework: 'django' }, "Invalid framework 'django'. Supported frameworks: flask, any"],
    [{ context: 'x', framework: 'Flask' }, "Invalid framework 'Flask'. Supported frameworks: flask, any"],
    [{ context: 'x', verbosity: 'loud' }, "Invalid verbosity 'loud'. Supported values: agent, human"],
    [
      { context: 'x', contxt: 1 },
      "Unknown parameter 'contxt'. Supported parameters: context, language, framework, verbosity",
    ],
  ]
  test.each(words)('%j', async (args, expected) => {
    const { client } = await greeted()
    expect(await exchange(client, call(2, args))).toEqual(refusal(2, expected))
  })

  test('the first failure only, in the document’s order', async () => {
    const { client } = await greeted()
    const faults: [string, unknown, RegExp][] = [
      ['context', ' ', /^context must be non-empty$/],
      ['language', 'java', /^Invalid language/],
      ['framework', 'x', /^Invalid framework/],
      ['verbosity', 'x', /^Invalid verbosity/],
      ['extra', 1, /^Unknown parameter 'extra'/],
    ]
    for (const [at, [, , expected]] of faults.entries()) {
      const given = Object.fromEntries(faults.slice(at).map(([name, value]) => [name, value]))
      const args = at === 0 ? given : { ...given, context: 'x' }
      expect(await exchange(client, call(2, args))).toMatchObject({
        result: { content: [{ text: expect.stringMatching(expected) }] },
      })
    }
  })

  test('a context of more than 10,000 bytes is refused', async () => {
    const { client } = await greeted()
    const longest = await exchange(client, call(2, { context: 'é'.repeat(5000) }))
    expect(longest).toMatchObject({ result: { isError: false } })
    expect(await exchange(client, call(2, { context: `é${'é'.repeat(5000)}` }))).toEqual(
      refusal(2, 'context must be at most 10000 bytes long'),
    )
  })

  test('what is no string is refused, not ignored', async () => {
    const { client } = await greeted()
    for (const args of [
      { context: 5 },
      { context: null },
      { context: 'x', language: 5 },
      { context: 'x', verbosity: [] },
    ]) {
      expect(await exchange(client, call(2, args))).toMatchObject({ result: { isError: true } })
    }
  })
})

describe('lifecycle', () => {
  const early = {
    code: -32600,
    message: 'Server not initialized. Send initialized notification first.',
  }

  test('nothing is served before the handshake is complete', async () => {
    const { client } = opened()
    for (const message of [list(1), call(1, { context: 'x' })])
      expect(await exchange(client, message)).toEqual({ jsonrpc: '2.0', id: 1, error: early })
    await exchange(client, hello(2))
    expect(await exchange(client, list(3))).toEqual({ jsonrpc: '2.0', id: 3, error: early })
    await exchange(client, ready)
    expect(await exchange(client, list(4))).toMatchObject({ result: { tools: [{ name: 'tmkb_query' }] } })
  })

  test('a second initialize is refused', async () => {
    const { client } = await greeted()
    expect(await exchange(client, hello(2))).toEqual({
      jsonrpc: '2.0',
      id: 2,
      error: { code: -32600, message: 'Already initialized' },
    })
  })

  test('only tools are offered', async () => {
    const { client } = await greeted()
    for (const method of ['resources/list', 'prompts/list', 'logging/setLevel', 'completion/complete', 'nonsense']) {
      expect(await exchange(client, { jsonrpc: '2.0', id: 2, method, params: {} })).toMatchObject({
        error: { code: -32601, message: `Method not found: ${method}` },
      })
    }
  })

  test('errors do not end the session', async () => {
    const { client } = await greeted()
    expect(await exchange(client, '{"jsonrpc": "2.0", "id": 5,')).toMatchObject({ error: { code: -32700 } })
    expect(await exchange(client, { jsonrpc: '1.0', id: 5, method: 'tools/list' })).toMatchObject({
      error: { code: -32600 },
    })
    expect(await exchange(client, { jsonrpc: '2.0', method: 'notifications/unknown' })).toBeUndefined()
    expect(await exchange(client, call(6, { context: 'list endpoint with pagination' }))).toMatchObject({
      id: 6,
      result: { isError: false },
    })
  })
})

test.each(versions)('every revision serves the tool: %s', async version => {
  const { client } = opened(version)
  const { tools } = await client.request('tools/list')
  expect(tools).toMatchObject([{ name: 'tmkb_query' }])
  const answer = await client.request('tools/call', { name: 'tmkb_query', arguments: { context: 'saas' } })
  expect(answer).toMatchObject({ isError: false, content: [{ text: expect.stringContaining('TMKB-AUTHZ-004') }] })
  expect(answer).not.toHaveProperty('structuredContent')
})

test('the log names the request', async () => {
  const { client, lines } = await greeted()
  await exchange(client, call(3, { context: 'x', language: 'java' }))
  await exchange(client, call(4, { context: 'celery worker task queue for tenant organization' }))
  await exchange(client, call(5, {}, 'nothing\nhere'))
  await exchange(client, hello(6))
  await exchange(client, call(7, { context: 'secret plans' }))
  expect(lines).toEqual([
    '[ERROR] [req_id=3] Invalid language parameter: java\n',
    '[INFO] [req_id=4] Query executed successfully: 3 patterns returned\n',
    '[ERROR] [req_id=5] Unknown tool: nothing here\n',
    '[ERROR] [req_id=6] Already initialized\n',
    '[INFO] [req_id=7] Query executed successfully: 0 patterns returned\n',
  ])
})

test('the log keeps to its level', async () => {
  const { client, lines } = opened('2025-11-25', 'error')
  await client.call('tmkb_query', { context: 'saas' })
  await expect(client.call('tmkb_query', {})).rejects.toThrow('context parameter is required')
  expect(lines).toEqual(["[ERROR] [req_id=3] Missing required parameter 'context' (a string).\n"])
})
