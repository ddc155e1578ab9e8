import { createServer, prompt, resource, tool, versions } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { ServerOptions } from '@causeway/engine'
import { expect, test } from 'vitest'

const features = [
  tool({ name: 'echo', input: '{"type":"object","properties":{"word":{"type":"string"}}}' }, ({ word }) =>
    String(word),
  ),
  resource({ uri: 'x://a', name: 'a' }, () => 'a'),
  prompt({ name: 'p', arguments: [{ name: 'who', complete: ['me'] }] }, () => 'hello'),
]
const client = (options: Partial<ServerOptions>, version: string) =>
  connect(createServer({ name: 's', version: '1', ...options }).add(...features), { version })

const hello = (protocolVersion: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion, capabilities: {} } })

const QUIET = { brief: true, listChanged: false, subscribe: false, logging: false, completions: false }

test('capabilities that are false are left out where that is wanted', async () => {
  const declared = async (options: Partial<ServerOptions>): Promise<unknown> => {
    const answer = await client(options, '2025-11-25').raw(hello('2025-11-25'))
    return (JSON.parse(answer ?? '') as { result: { capabilities: object } }).result.capabilities
  }
  expect(await declared(QUIET)).toEqual({ tools: {}, resources: {}, prompts: {} })
  expect(await declared({ ...QUIET, brief: false })).toEqual({
    tools: { listChanged: false },
    resources: { listChanged: false, subscribe: false },
    prompts: { listChanged: false },
  })
  expect(await declared({ brief: true })).toMatchObject({ tools: { listChanged: true }, completions: {}, logging: {} })
})

test('what is not declared is not served', async () => {
  const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'who', value: '' } }
  const asked = client(QUIET, '2025-11-25').request('completion/complete', params)
  await expect(asked).rejects.toMatchObject({ code: -32601 })
  expect(await client({}, '2025-11-25').request('completion/complete', params)).toMatchObject({ completion: {} })
})

test.each(versions.slice(1))('a server may understand batches after every handshake: %s', async version => {
  const talk = client({ batches: true }, version)
  await talk.raw(hello(version))
  expect(JSON.parse((await talk.raw('[{"jsonrpc":"2.0","id":2,"method":"ping"}]')) ?? '')).toEqual([
    { jsonrpc: '2.0', id: 2, result: {} },
  ])
})

test('a message that describes itself is in no batch, whatever the server understands', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const batch = JSON.stringify([{ jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta } }])
  expect(JSON.parse((await client({ batches: true }, '2026-07-28').raw(batch)) ?? '')).toMatchObject({
    error: { code: -32600 },
  })
})

test('a schema may be JSON text, of which the refusal says what is wrong', async () => {
  expect(await client({}, '2025-11-25').call('echo', { word: 'x' })).toBe('x')
  const server = createServer({ name: 's', version: '1' })
  const bad = (input: string) => () => server.add(tool({ name: 'bad', input }, () => ''))
  expect(bad('{"type":')).toThrow("Tool 'bad', input schema: Malformed JSON Schema: the text is not JSON: ")
  expect(bad('5')).toThrow('it must be an object or the JSON text of one, got 5')
  expect(bad('{"type":"objct"}')).toThrow('#/type must be one of object')
  expect(bad('')).toThrow('the text is not JSON')
})
