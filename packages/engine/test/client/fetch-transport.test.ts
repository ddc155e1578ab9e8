import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer, tool, versions } from '@causeway/engine'
import { RemoteServer, fetchTransport } from '@causeway/engine/browser'
import type { ObservedMessage } from '@causeway/engine/browser'
import { serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'

let service: HttpService

beforeAll(async () => {
  const server = createServer({ name: 'far', version: '1', log: false }).add(
    tool(
      { name: 'greet', input: { type: 'object', properties: { name: { type: 'string' } } } as const },
      ({ name }) => `Hello ${name}`,
    ),
    tool({ name: 'ask' }, async (_, ctx) => {
      ctx.progress(1, 'asking')
      const schema = { type: 'object', properties: { ok: { type: 'boolean' } } } as const
      return JSON.stringify(await ctx.elicit('ok', { message: 'Ok?', schema }))
    }),
    tool(
      { name: 'wait' },
      (_, ctx) =>
        new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('stopped')))),
    ),
  )
  service = await serveHttp(server, { port: 0 })
})
afterAll(() => service.close())

const open = (version: string, observe?: (message: ObservedMessage) => void): Promise<RemoteServer> =>
  RemoteServer.connect(
    { open: () => fetchTransport({ url: `${service.url}/mcp`, ...(observe && { observe }) }) },
    { client: { name: 'page', version: '1' }, version, answer: () => ({ action: 'accept', content: { ok: true } }) },
  )

describe.each(versions.map(version => ({ version })))('with the platform’s fetch, $version', ({ version }) => {
  test('calls and cancellation work, and every message can be seen', async () => {
    const seen: ObservedMessage[] = []
    const remote = await open(version, message => seen.push(message))
    expect(await remote.callTool('greet', { name: 'Åsa' })).toMatchObject({
      content: [{ type: 'text', text: 'Hello Åsa' }],
    })
    const ending = new AbortController()
    const waiting = remote.callTool('wait', {}, { signal: ending.signal })
    ending.abort(new Error('not wanted'))
    await expect(waiting).rejects.toThrow('not wanted')
    expect(seen.some(({ direction, text }) => direction === 'sent' && text.includes('"greet"'))).toBe(true)
    expect(seen.some(({ direction, status }) => direction === 'received' && status === 200)).toBe(true)
    await remote.close()
  })
})

const canAsk = versions.filter(version => version >= (versions.at(-3) ?? ''))

test.each(canAsk.map(version => ({ version })))(
  'questions and progress reach the caller, $version',
  async ({ version }) => {
    const remote = await open(version)
    const progress: unknown[] = []
    const asked = await remote.callTool('ask', {}, { onProgress: params => progress.push(params.progress) })
    expect(JSON.stringify(asked.content)).toContain('accept')
    expect(progress).toContain(1)
    await remote.close()
  },
)

test('a refusal of the server is an error with its words, a missing one of the network', async () => {
  const remote = await open(versions[0] ?? '')
  await expect(remote.callTool('nothing')).rejects.toThrow('nothing')
  await remote.close()
  const nowhere = { open: () => fetchTransport({ url: 'http://127.0.0.1:9/mcp' }) }
  await expect(RemoteServer.connect(nowhere, { client: { name: 'page', version: '1' } })).rejects.toThrow(/fetch/)
})

test('the entry for browsers needs nothing of Node', () => {
  const file = fileURLToPath(new URL('../../dist/browser.js', import.meta.url))
  const code = readFileSync(file, 'utf8')
  expect(code).not.toMatch(/from\s*['"]node:|require\(|\bBuffer\b|\bprocess\./)
})
