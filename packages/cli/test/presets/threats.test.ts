import { createServer, versions } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Level } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import { threats as pack } from '@causeway/packs/threats'
import { describe, expect, test } from 'vitest'
import { call, hello, ready, toolResult } from '../../../../test/documents/tmkb.ts'
import { plainLog } from '../../src/observe/plain-log.ts'
import { requireVersion } from '../../src/presets/require-version.ts'
import { threats } from '../../src/presets/threats.ts'

/** A connection to the preset as it is served on stdio, and the lines of its log. */
function opened(version = '2025-11-25', least: Level = 'info'): { client: Client; lines: string[] } {
  const lines: string[] = []
  const log = plainLog(least, line => lines.push(line))
  const { identity = { name: '', version: '' }, server, dialect } = threats
  const served = createServer({ ...identity, ...server, repair: false, dialect, log, declare: ['tools'] })
  served.use(requireVersion).add(pack({ documented: true, log }))
  return { client: connect(served, { version, strict: true }), lines }
}

async function exchange(client: Client, message: object): Promise<unknown> {
  const answer = await client.raw(JSON.stringify(message))
  return answer === undefined ? undefined : JSON.parse(answer)
}

async function initialized(): Promise<ReturnType<typeof opened>> {
  const connection = opened()
  await exchange(connection.client, hello(1))
  await exchange(connection.client, ready)
  return connection
}

test('an unsupported version is answered with the newest', async () => {
  for (const asked of ['2026-07-28', '2099-01-01', '1.0']) {
    const { client } = opened()
    expect(await exchange(client, hello(1, asked))).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
  }
})

test.each([[undefined], [{}], [{ capabilities: {} }]])('a handshake with params %j is refused', async params => {
  const { client } = opened()
  const said = { jsonrpc: '2.0', id: 1, method: 'initialize', ...(params && { params }) }
  expect(await exchange(client, said)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: expect.objectContaining({
      code: -32602,
      message: expect.stringMatching(/^Invalid params: protocolVersion/),
    }),
  })
  expect(await exchange(client, hello(2))).toMatchObject({ id: 2, result: { protocolVersion: '2025-11-25' } })
})

describe('arguments', () => {
  test.each([
    [{ context: 'x', language: '' }, "Invalid language ''. Supported languages: python"],
    [{ context: 'x', framework: 'Flask' }, "Invalid framework 'Flask'. Supported frameworks: flask, any"],
  ])('%j', async (args, expected) => {
    const { client } = await initialized()
    expect(await exchange(client, call(args))).toEqual(toolResult(expected, true))
  })

  test('the first failure only, in the order of the arguments', async () => {
    const { client } = await initialized()
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
      expect(await exchange(client, call(args))).toMatchObject({
        result: { content: [{ text: expect.stringMatching(expected) }] },
      })
    }
  })

  test('a context of more than 10,000 bytes is refused', async () => {
    const { client } = await initialized()
    const longest = await exchange(client, call({ context: 'é'.repeat(5000) }))
    expect(longest).toMatchObject({ result: { isError: false } })
    expect(await exchange(client, call({ context: `é${'é'.repeat(5000)}` }))).toEqual(
      toolResult('context must be at most 10000 bytes long', true),
    )
  })

  test('what is no string is refused, not ignored', async () => {
    const { client } = await initialized()
    for (const args of [
      { context: 5 },
      { context: null },
      { context: 'x', language: 5 },
      { context: 'x', verbosity: [] },
    ]) {
      expect(await exchange(client, call(args))).toMatchObject({ result: { isError: true } })
    }
  })
})

test('only tools are offered', async () => {
  const { client } = await initialized()
  for (const method of ['resources/list', 'prompts/list', 'logging/setLevel', 'completion/complete', 'nonsense']) {
    expect(await exchange(client, { jsonrpc: '2.0', id: 2, method, params: {} })).toMatchObject({
      error: { code: -32601, message: `Method not found: ${method}` },
    })
  }
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
  const { client, lines } = await initialized()
  await exchange(client, call({ context: 'x', language: 'java' }))
  await exchange(client, call({ context: 'celery worker task queue for tenant organization' }, 'tmkb_query', 4))
  await exchange(client, call({}, 'nothing\nhere', 5))
  await exchange(client, hello(6))
  await exchange(client, call({ context: 'secret plans' }, 'tmkb_query', 7))
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
