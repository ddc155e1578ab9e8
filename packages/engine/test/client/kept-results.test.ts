import { createServer, prompt, resource, template, tool } from '@causeway/engine'
import type { Feature, Server } from '@causeway/engine'
import { RemoteServer, memoryTransport } from '@causeway/engine/client'
import type { RemoteOptions } from '@causeway/engine/client'
import { connect } from '@causeway/engine/testing'
import { expect, test, vi } from 'vitest'
import { KeptResults } from '../../src/client/kept-results.ts'

const MINUTE = { ttlMs: 60_000 }
const named = (name: string, cache?: { ttlMs: number; scope?: 'public' | 'private' }) =>
  tool({ name, ...(cache && { cache }) }, () => 'x')

function serverOf(...features: readonly Feature[]): { server: Server; asked: string[] } {
  const asked: string[] = []
  const server = createServer({ name: 'near', version: '1', log: false })
  server.use((call, next) => (asked.push(call.method), next(call)))
  server.add(...features)
  return { server, asked }
}

const clientOf = (server: Server, options: Partial<RemoteOptions> = {}): Promise<RemoteServer> =>
  RemoteServer.connect({ open: () => memoryTransport(server) }, { client: { name: 'c', version: '1' }, ...options })

test('a list may be kept as long as its shortest feature says, and shared if none is private', async () => {
  const hintOf = async (...caches: (Parameters<typeof named>[1] | undefined)[]): Promise<unknown> => {
    const { server } = serverOf(...caches.map((cache, i) => named(`t${i}`, cache)))
    const { ttlMs, cacheScope } = await connect(server).request('tools/list')
    return [ttlMs, cacheScope]
  }
  expect(await hintOf({ ttlMs: 5, scope: 'public' }, { ttlMs: 3, scope: 'public' })).toEqual([3, 'public'])
  expect(await hintOf({ ttlMs: 5, scope: 'public' }, { ttlMs: 9 })).toEqual([5, 'private'])
  expect(await hintOf({ ttlMs: 5 }, undefined)).toEqual([0, 'private'])
  expect(await hintOf(undefined)).toEqual([0, 'private'])
})

test('the hint of a definition is for clients of the newest revision, and no part of the definition', async () => {
  const { server } = serverOf(
    resource({ uri: 'x://a', name: 'a', cache: { ttlMs: 7, scope: 'public' } }, () => 'a'),
    template({ uriTemplate: 'x://b/{c}', name: 'b', cache: { ttlMs: 8 } }, () => 'b'),
    prompt({ name: 'p', cache: { ttlMs: 9 } }, () => 'p'),
  )
  const client = connect(server)
  expect(await client.request('resources/read', { uri: 'x://a' })).toMatchObject({ ttlMs: 7, cacheScope: 'public' })
  expect(await client.request('resources/read', { uri: 'x://b/1' })).toMatchObject({ ttlMs: 8, cacheScope: 'private' })
  expect(await client.request('prompts/list')).toMatchObject({ prompts: [{ name: 'p' }], ttlMs: 9 })
  const old = connect(server, { version: '2025-11-25' })
  expect(await old.request('resources/read', { uri: 'x://a' })).toEqual({ contents: [{ uri: 'x://a', text: 'a' }] })
  expect(await old.request('resources/list')).toEqual({ resources: [{ uri: 'x://a', name: 'a' }] })
  expect(JSON.stringify(await client.request('resources/templates/list'))).not.toContain('"cache"')
})

test.each([
  [{ ttlMs: -1 }, 'whole number'],
  [{ ttlMs: 1.5 }, 'whole number'],
  [{}, 'whole number'],
  ['5m', 'whole number'],
  [{ ttlMs: 1, scope: 'all' }, "'public' or 'private'"],
  [{ ttlMs: 1, cacheScope: 'public' }, "there is no 'cacheScope'"],
])('the hint %j is refused', (cache, why) => {
  expect(() => tool({ name: 'a', cache: cache as never }, () => 'x')).toThrow(why)
})

test('our client asks again when the time is over, or the server says that something changed', async () => {
  const { server, asked } = serverOf(
    named('a', MINUTE),
    resource({ uri: 'x://a', name: 'a', cache: MINUTE }, () => 'a'),
  )
  const client = await clientOf(server, { onChange: () => {} })
  const names = async (fresh = false): Promise<unknown[]> =>
    (await client.list('tools/list', { fresh })).map(({ name }) => name)
  const lists = (): number => asked.filter(method => method === 'tools/list').length
  expect(await names()).toEqual(['a'])
  expect(await names()).toEqual(['a'])
  expect(lists()).toBe(1)
  await names(true)
  expect(lists()).toBe(2)
  server.add(named('b', MINUTE))
  await vi.waitFor(async () => expect(await names()).toEqual(['a', 'b']))
  await client.request('resources/read', { uri: 'x://a' })
  await client.request('resources/read', { uri: 'x://a' })
  expect(asked.filter(method => method === 'resources/read')).toHaveLength(1)
  await client.subscribe('x://a')
  server.updated('x://a')
  await vi.waitFor(async () => {
    await client.request('resources/read', { uri: 'x://a' })
    expect(asked.filter(method => method === 'resources/read').length).toBeGreaterThan(1)
  })
  await client.close()
})

test('what a server says nothing of is asked for each time, and everything where nothing is to be kept', async () => {
  const plain = serverOf(named('a'))
  const unkept = serverOf(named('a', MINUTE))
  for (const [{ server, asked }, options] of [
    [plain, {}],
    [unkept, { cache: false }],
  ] as const) {
    const client = await clientOf(server, options)
    await client.list('tools/list')
    await client.list('tools/list')
    expect(asked.filter(method => method === 'tools/list')).toHaveLength(2)
    await client.close()
  }
})

test('little is kept, and not for longer than a day', () => {
  let now = 0
  const kept = new KeptResults(() => now)
  const long = 'x'.repeat(1024 * 1024)
  for (let i = 0; i < 20; i++) kept.keep('resources/read', { uri: String(i) }, { contents: [long], ttlMs: 1e12 })
  expect(kept.find('resources/read', { uri: '0' })).toBeUndefined()
  expect(kept.find('resources/read', { uri: '19' })).toBeDefined()
  now = 25 * 60 * 60_000
  expect(kept.find('resources/read', { uri: '19' })).toBeUndefined()
  for (const ttlMs of [0, -1, Number.NaN, '5', null]) kept.keep('tools/list', {}, { tools: [], ttlMs })
  kept.keep('tools/call', {}, { content: [], ttlMs: 5 })
  expect([kept.find('tools/list', {}), kept.find('tools/call', {})]).toEqual([undefined, undefined])
})
