import { RpcError, createServer, fault, jsonLog, prompt, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { P, wordsOf } from '../support/peer.ts'
import { scenario } from '../support/scenario.ts'

const logs = new WeakMap<Server, string[]>()
const logOf = (server: Server): string => (logs.get(server) ?? []).join('')

declare const missing: { readonly thing: string }

/** Everything that can be thrown, and a log to look at. */
function failing(): Server {
  const lines: string[] = []
  const throwing = (name: string, make: () => unknown): ReturnType<typeof tool> =>
    tool({ name }, () => {
      throw make()
    })
  const server = createServer({ name: 's', version: '1', log: jsonLog('error', line => lines.push(line)) }).add(
    throwing('error', () => new Error('The disk is full')),
    throwing('rpc', () => new RpcError(4001, 'Quota used up', { used: 10 })),
    throwing('known', () => fault('rate-limited', 'Slow down', { retryAfterMs: 5 }, { hint: 'Wait.' })),
    throwing('own', () => fault('my-own-kind', 'Mine')),
    throwing('accident', () => new TypeError("Cannot read properties of undefined (reading 'password')")),
    throwing('range', () => new RangeError('Invalid array length')),
    throwing('text', () => 'just words'),
    tool({ name: 'fetch' }, async () => void (await fetch('http://127.0.0.1:1/'))),
    tool({ name: 'fetched_url' }, async () => void (await fetch('no url'))),
    tool({ name: 'url' }, () => new URL('no url').href),
    tool({ name: 'json' }, () => JSON.parse('{"a":')),
    tool({ name: 'uri' }, () => decodeURIComponent('%')),
    tool({ name: 'file' }, () => readFile('/no/such/file', 'utf8')),
    tool({ name: 'reference' }, () => missing.thing),
    tool({ name: 'argument' }, () => readFile(5 as never, 'utf8').then(String, () => readFileSync(undefined as never))),
    throwing('long', () => new Error('x'.repeat(2_000_000))),
    throwing('nothing', () => undefined),
    throwing('object', () => ({ secret: 'hidden', apiKey: 'abc' })),
    tool({ name: 'later' }, () => Promise.reject(new Error('Later'))),
    tool({ name: 'unwritable' }, () => ({ content: [], _meta: { big: 1n } })),
    prompt({ name: 'rpc' }, () => {
      throw new RpcError(4001, 'Quota used up', { used: 10 })
    }),
    prompt({ name: 'error' }, () => {
      throw new Error('at /home/me/secret')
    }),
  )
  logs.set(server, lines)
  return server
}

scenario('[S-TOOL-03] an Error thrown by a tool is a result with its words', { server: failing }, async peer => {
  expect(await peer.call('error')).toMatchObject({
    content: [{ type: 'text', text: 'The disk is full' }],
    isError: true,
  })
  expect(await peer.call('later')).toMatchObject({ content: [{ type: 'text', text: 'Later' }], isError: true })
})

scenario('[S-TOOL-03] so is what a library makes of bad data, whatever its class', { server: failing }, async peer => {
  const words = async (name: string): Promise<string> => {
    const result = await peer.call(name)
    expect(result).toMatchObject({ isError: true })
    return wordsOf(result)
  }
  expect(await words('text')).toBe('just words')
  expect(await words('fetch')).toMatch(/^fetch failed: .+/)
  expect(await words('fetched_url')).toMatch(/^Failed to parse URL from no url$/)
  expect(await words('url')).toBe('Invalid URL')
  expect(await words('json')).toMatch(/JSON/)
  expect(await words('uri')).toBe('URI malformed')
  expect(await words('file')).toMatch(/^ENOENT: no such file/)
  expect(await words('long')).toHaveLength(1_000_001)
})

scenario(
  '[S-ERR-01] an RpcError is a protocol error with its code, words and data',
  { server: failing },
  async peer => {
    const quota = { code: 4001, message: 'Quota used up', data: { used: 10 } }
    expect(await peer.error('tools/call', { name: 'rpc' })).toEqual(quota)
    expect(await peer.error('prompts/get', { name: 'rpc' })).toEqual(quota)
    expect(await peer.error('tools/call', { name: 'known' })).toEqual({
      code: -32003,
      message: 'Slow down. Wait.',
      data: { retryAfterMs: 5, hint: 'Wait.' },
    })
  },
)

scenario('[S-TOOL-03] a kind of a pack’s own is a failure of the tool', { server: failing }, async peer => {
  expect(await peer.call('own')).toMatchObject({ content: [{ type: 'text', text: 'Mine' }], isError: true })
})

scenario(
  '[S-LOG-03] anything else is masked, and logged under the reference the client is given',
  { server: failing },
  async (peer, server) => {
    for (const name of ['accident', 'range', 'reference', 'argument', 'nothing', 'object']) {
      const words = wordsOf(await peer.call(name))
      const [, reference] = /^Internal error \(reference ([\da-f]{8})\)$/.exec(words) ?? []
      expect(reference, words).toBeDefined()
      expect(logOf(server)).toContain(reference)
    }
    expect(JSON.stringify(peer.received)).not.toMatch(/password|hidden|missing/)
    expect(logOf(server)).toContain('Cannot read properties')
    // A reference may well have the letters abc.
    expect(logOf(server)).not.toMatch(/hidden|\babc\b/)
  },
)

scenario(
  '[S-ERR-01] [S-PRM-01] an Error outside a tool is internal and masked',
  { server: failing },
  async (peer, server) => {
    const error = await peer.error('prompts/get', { name: 'error' })
    expect(error.code).toBe(-32603)
    expect(error.data).toEqual({ reference: /reference ([\da-f]{8})/.exec(error.message)?.[1] })
    expect(JSON.stringify(error)).not.toContain('secret')
    expect(logOf(server)).toContain('/home/me/secret')
  },
)

scenario(
  '[S-ERR-01] an answer that JSON cannot express is an error, not a silence',
  { server: failing },
  async peer => {
    expect(await peer.error('tools/call', { name: 'unwritable' })).toEqual({
      code: -32603,
      message: 'The answer could not be written: it holds something JSON cannot express',
    })
    expect(await peer.call('error')).toMatchObject({ isError: true })
  },
)

scenario(
  '[S-ERR-02] [S-ERR-03] the newest revision sees no code of the older ones',
  { server: failing, in: ['2026-07-28'] },
  async peer => {
    const codes = [
      await peer.error('resources/read', { uri: 'x://' }),
      await peer.error('ping'),
      await peer.error('tools/list', { _meta: { [`${P}protocolVersion`]: '2025-11-25' } }),
      await peer.error('tools/call', { name: 'nope' }),
    ].map(error => error.code)
    expect(codes).toEqual([-32601, -32601, -32022, -32602])
  },
)

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

const mirror = (): Server =>
  createServer({ name: 's', version: '1' }).add(
    tool({ name: 'meta' }, (_, ctx) => JSON.stringify(ctx.meta)),
    tool({ name: 'trace' }, (_, ctx) => JSON.stringify(ctx.trace)),
    tool({ name: 'client' }, (_, ctx) => JSON.stringify([ctx.client, ctx.principal ?? null])),
  )

scenario(
  '[S-META-01] [S-META-03] a handler sees `_meta` without the protocol’s own envelope',
  { server: mirror },
  async peer => {
    const mine = { 'com.example/a': { b: [1] }, progressToken: 0, plain: null }
    const _meta = { ...mine, ...(peer.stateless && { [`${P}logLevel`]: 'info' }) }
    expect(JSON.parse(wordsOf(await peer.call('meta', {}, _meta)))).toEqual(mine)
    expect(wordsOf(await peer.call('meta'))).toBe('{}')
  },
)

scenario(
  '[S-META-02] trace context reaches the handler in every revision, unless it is malformed',
  { server: mirror },
  async peer => {
    const trace = async (_meta: Record<string, unknown>): Promise<unknown> =>
      JSON.parse(wordsOf(await peer.call('trace', {}, _meta)))
    const whole = { traceparent: TRACEPARENT, tracestate: 'a=1', baggage: 'k=v' }
    expect(await trace({ ...whole, other: 1 })).toEqual(whole)
    expect(await trace({ traceparent: TRACEPARENT, tracestate: 5 })).toEqual({ traceparent: TRACEPARENT })
    for (const traceparent of [
      undefined,
      '',
      'x',
      TRACEPARENT.toUpperCase(),
      TRACEPARENT.slice(1),
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`,
      5,
    ]) {
      expect(await trace({ traceparent, tracestate: 'a=1' })).toEqual({})
    }
  },
)

scenario('[S-LIFE-13] a handler sees who the client says it is', { server: mirror }, async peer => {
  expect(JSON.parse(wordsOf(await peer.call('client')))).toEqual([{ name: 'tester', version: '9.9.9' }, null])
})

test('the log links each failure of a kind in the catalogue to its entry there', async () => {
  const lines: string[] = []
  const server = createServer({ name: 's', version: '1', log: jsonLog('debug', line => lines.push(line)) }).add(
    tool({ name: 'own' }, () => {
      throw fault('my-own-kind', 'Mine')
    }),
  )
  const client = connect(server)
  await expect(client.call('absent')).rejects.toThrow('absent')
  await expect(client.call('own')).rejects.toThrow('Mine')
  client.close()
  const links = lines.map(line => JSON.parse(line) as { kind?: string; see?: string })
  expect(links.find(({ kind }) => kind === 'unknown-tool')?.see).toBe('docs/errors.md#unknown-tool')
  expect(links.find(({ kind }) => kind === 'my-own-kind')).not.toHaveProperty('see')
})
