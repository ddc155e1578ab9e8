import { writeFileSync } from 'node:fs'
import { serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { httpModes } from '../../../../test/interop/http-clients.ts'
import { databases } from '../../src/cassini/files.ts'
import { folder, planned, serve } from './fixture.ts'
import type { Wire } from './fixture.ts'

// The official WebSocket transport is written for what browsers and later versions of Node have.
vi.stubGlobal('WebSocket', WebSocket)

const data = await planned()
// What preset `cassini` does with errors.
const dialect = {
  errors: { 'unknown-tool': -32001, 'invalid-arguments': -32602, 'tool-failed': -32002, timeout: -32002 },
}
const server = serve({ data }, dialect)

let service: HttpService
beforeAll(async () => {
  service = await serveHttp(server, { port: 0 })
})
afterAll(() => service.close())

interface Told {
  readonly id?: unknown
  readonly result?: Record<string, unknown>
  readonly error?: object
}

/** One message to one door, as the document writes it. */
async function post(door: string, body: unknown, at: HttpService = service): Promise<Told> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(new URL(door, at.url), { method: 'POST', headers, body: text })
  const answer = await response.text()
  return JSON.parse(answer.startsWith('{') ? answer : (/^data: (\{"jsonrpc".*)$/m.exec(answer)?.[1] ?? ''))
}

const ask = (method: string, params?: object, id: unknown = 1): object => ({
  jsonrpc: '2.0',
  method,
  ...(params && { params }),
  id,
})

const HELLO = ask('initialize', {
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name: 'client-name', version: '1.0.0' },
})

test.each(['/mcp', '/rpc'])('the examples of the document are answered on %s', async door => {
  expect(await post(door, HELLO)).toMatchObject({
    jsonrpc: '2.0',
    id: 1,
    result: {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'cassini-mcp-server', version: '1.0.0' },
    },
  })
})

test('tools are listed and called as in the document', async () => {
  const { result } = await post('/rpc', ask('tools/list', undefined, 2))
  expect(result).toMatchObject({
    tools: expect.arrayContaining([
      expect.objectContaining({
        name: 'query_observations_by_team',
        description: 'Query Cassini observations by team/instrument',
        inputSchema: expect.objectContaining({
          type: 'object',
          properties: expect.objectContaining({
            team: expect.objectContaining({ type: 'string', description: 'Team identifier (CAPS, ISS, etc.)' }),
          }),
          required: ['team'],
        }),
      }),
    ]),
  })
  const params = { name: 'query_observations_by_team', arguments: { team: 'ISS', limit: 10 } }
  const answer = await post('/rpc', ask('tools/call', params, 3))
  expect(answer.id).toBe(3)
  const { content } = answer.result as unknown as Wire
  expect(content).toHaveLength(1)
  expect(JSON.parse(content[0]?.resource?.text ?? '')).toMatchObject({ count: 10, total: 8989, team: 'ISS' })
})

test('errors have the codes of the document', async () => {
  const tool = (name: string, args: object): object => ask('tools/call', { name, arguments: args })
  const code = async (body: unknown): Promise<unknown> => (await post('/rpc', body)).error
  expect(await code('{"jsonrpc":')).toMatchObject({ code: -32700 })
  expect(await code({ method: 'tools/list', id: 1 })).toMatchObject({ code: -32600 })
  expect(await code(ask('observations/list'))).toMatchObject({ code: -32601 })
  expect(await code(tool('query_observations_by_team', {}))).toMatchObject({ code: -32602 })
  expect(await code(ask('tools/call', {}))).toMatchObject({ code: -32602 })
  expect(await code(tool('query_observations_by_moon', {}))).toMatchObject({ code: -32001 })
})

test('a tool that fails has its own code', async () => {
  const damaged = folder()
  writeFileSync(databases(damaged).imported, 'no database')
  const other = await serveHttp(serve({ data: damaged }, dialect), { port: 0 })
  try {
    expect(await post('/rpc', ask('tools/call', { name: 'list_teams', arguments: {} }), other)).toMatchObject({
      error: { code: -32002, message: expect.stringContaining('Import it again') as string },
    })
  } finally {
    await other.close()
  }
})

test('ids come back as they were sent', async () => {
  for (const id of ['a', 7, '', 0]) {
    expect(await post('/rpc', ask('tools/call', { name: 'list_teams', arguments: {} }, id))).toMatchObject({ id })
  }
})

describe.each(httpModes)('$name', ({ connect, version }) => {
  test('finds, reads and asks', async () => {
    const talk = await connect(service.url)
    expect(talk).toMatchObject({ version, server: 'cassini-mcp-server' })
    expect(await talk.tools()).toContain('query_observations_by_timerange')
    const found = (await talk.call('query_observations_by_timerange', {
      start_time: '2005-068',
      end_time: '2005-03-10',
      limit: 5,
    })) as unknown as Wire
    expect(found.content).toHaveLength(1)
    expect(found.structuredContent).toEqual(JSON.parse(found.content[0]?.resource?.text ?? ''))
    expect(found.structuredContent).toMatchObject({ count: 5, synthetic: true })
    const none = (await talk.call('get_observation_details', { id: 61_874 })) as unknown as Wire
    expect(none.content).toEqual([{ type: 'text', text: 'No observation found with ID: 61874' }])
    await expect(talk.call('query_observations_by_team', { team: 'ISS', limit: 0 })).rejects.toThrow(
      'between 1 and 1000',
    )
    expect(await talk.read('cassini://observations/1')).toMatchObject({ contents: [{ mimeType: 'application/json' }] })
    expect(await talk.prompt('mission-summary')).toHaveProperty('messages')
    await talk.close()
  })
})
