import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { createServer as createListener } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { versions } from '@causeway/engine'
import type { Params } from '@causeway/engine'
import type { RemoteServer } from '@causeway/engine/client'
import { describe, expect, test, vi } from 'vitest'
import { answer, clientOf, gatewayTo, later, textOf } from '../support/world.ts'
import { needs } from '../../../../test/support/needs.ts'

const peers = fileURLToPath(new URL('../../../../bench/peers', import.meta.url))
const official = (name: string): string => join(peers, 'node_modules/@modelcontextprotocol', name, 'dist/index.js')
const isInstalled = ['tmcp', 'fastmcp', 'mcp-proxy', '@modelcontextprotocol/server-everything'].every(name =>
  existsSync(join(peers, 'node_modules', name)),
)
const needsPeers = needs('npm ci --prefix bench/peers', isInstalled)

const child = (...args: string[]): Params => ({ command: process.execPath, args })

/** A program that listens on a port it is told; its URL, once it answers there. */
async function listening(path: string, start: (port: number) => { args: string[]; env?: object }): Promise<string> {
  const probe = createListener().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise(done => probe.close(done))
  const { args, env = {} } = start(port)
  const program = spawn(process.execPath, args, { stdio: 'ignore', detached: true, env: { ...process.env, ...env } })
  later(async () => {
    const gone = once(program, 'close')
    process.kill(-(program.pid ?? 0), 'SIGKILL')
    await gone
  })
  const url = `http://127.0.0.1:${port}${path}`
  await vi.waitFor(() => fetch(url, { method: 'POST' }), { interval: 50 })
  return url
}

/** A client behind a gateway to one server that has been seen. */
async function through(entry: Params, version?: string, wanted: readonly string[] = []): Promise<RemoteServer> {
  const { server, gateway } = await gatewayTo({ up: entry })
  const client = await clientOf(server, { ...(version !== undefined && { version }), answer: named })
  // Some add what depends on the client after the handshake, and may tell of it before anybody listens.
  await vi.waitFor(async () => {
    await gateway.servers.get('up')?.refresh()
    expect(await namesOf(client)).toEqual(expect.arrayContaining([...wanted]))
  }, 10_000)
  return client
}

const named: typeof answer = ask =>
  ask.method === 'elicitation/create' ? { action: 'accept', content: { value: 'Ada', name: 'Ada' } } : answer(ask)

/** What becomes of a form with lists of choices, which not every revision has words for: that is said. */
function filledBy(version: string): string {
  if (version < '2025-06-18') return 'elicitation'
  return version === '2025-06-18' ? 'supports lists in forms' : 'User provided'
}

const namesOf = async (client: RemoteServer): Promise<unknown[]> =>
  (await client.list('tools/list')).map(({ name }) => name)

const EVERYTHING: Readonly<Record<string, () => Promise<Params>>> = {
  stdio: async () => child(official('server-everything'), 'stdio'),
  'Streamable HTTP': async () => ({
    url: await listening('/mcp', port => ({
      args: [official('server-everything'), 'streamableHttp'],
      env: { PORT: String(port) },
    })),
  }),
  'HTTP+SSE': async () => ({
    url: await listening('/sse', port => ({
      args: [official('server-everything'), 'sse'],
      env: { PORT: String(port) },
    })),
  }),
}

describe.each(['stdio', 'Streamable HTTP', 'HTTP+SSE'])('server-everything over %s', needsPeers, door => {
  test.each([...versions])('a client of %s uses all of it', async version => {
    const wanted = ['up__echo', 'up__trigger-sampling-request', 'up__get-roots-list']
    const client = await through((await EVERYTHING[door]?.()) ?? {}, version, wanted)
    const hasForms = version >= '2025-06-18'
    expect(textOf(await client.callTool('up__get-sum', { a: 1, b: 2 }))).toContain('3')
    const weather = await client.callTool('up__get-structured-content', { location: 'Chicago' })
    expect(textOf(weather)).toContain('humidity')
    expect('structuredContent' in weather).toBe(hasForms)
    expect(textOf(await client.callTool('up__trigger-elicitation-request'))).toContain(filledBy(version))
    expect(textOf(await client.callTool('up__trigger-sampling-request', { prompt: 'hm' }))).toContain('Hm!')
    expect(textOf(await client.callTool('up__get-roots-list'))).toContain('file:///home')
    const steps: unknown[] = []
    const long = { duration: 0.2, steps: 2 }
    await client.callTool('up__trigger-long-running-operation', long, { onProgress: said => steps.push(said.progress) })
    expect(steps).toEqual([1, 2])
    const read = await client.request('resources/read', { uri: 'demo://resource/dynamic/text/3' })
    expect(JSON.stringify(read)).toContain('Resource 3')
    expect((await client.list('resources/list')).length).toBeGreaterThan(3)
    const who = { department: 'Sales', name: 'Eve' }
    const asked = await client.request('prompts/get', { name: 'up__completable-prompt', arguments: who })
    expect(JSON.stringify(asked)).toContain('promote Eve')
    const proposed = await client.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'up__completable-prompt' },
      argument: { name: 'department', value: 'S' },
    })
    expect(proposed).toMatchObject({ completion: { values: ['Sales', 'Support'] } })
  })
})

describe('other servers', needsPeers, () => {
  test('server-filesystem, confined to its folder', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'causeway-files-')))
    const client = await through(child(official('server-filesystem'), folder))
    const path = join(folder, 'a.txt')
    await client.callTool('up__write_file', { path, content: 'written' })
    expect(readFileSync(path, 'utf8')).toBe('written')
    expect(await client.callTool('up__read_text_file', { path })).toMatchObject({
      content: [{ text: 'written' }],
      structuredContent: { content: 'written' },
    })
    expect(await client.callTool('up__read_text_file', { path: '/etc/passwd' })).toMatchObject({ isError: true })
  })

  test('server-memory, alone and on the official SDK 2.x behind mcp-proxy', async () => {
    const memory = join(mkdtempSync(join(tmpdir(), 'causeway-memory-')), 'graph.jsonl')
    const entry = { ...child(official('server-memory')), env: { MEMORY_FILE_PATH: memory } }
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }]
    const alone = await through(entry)
    await alone.callTool('up__create_entities', { entities })
    const url = await listening('/mcp', port => ({
      args: [
        join(peers, 'node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs'),
        '--port',
        String(port),
        '--host',
        '127.0.0.1',
        '--',
        process.execPath,
        official('server-memory'),
      ],
      env: { MEMORY_FILE_PATH: memory },
    }))
    const client = await through({ url })
    expect(textOf(await client.callTool('up__read_graph'))).toContain('counts')
    const graph = await client.request('resources/read', { uri: 'memory://knowledge-graph' })
    expect(JSON.stringify(graph)).toContain('Ada')
  })

  test.each(['2026-07-28', '2025-06-18'])('tmcp, for a client of %s', async version => {
    const client = await through(child(join(peers, 'tmcp-stdio.js')), version)
    expect(textOf(await client.callTool('up__add', { a: 1, b: 2 }))).toBe('3')
    expect(textOf(await client.callTool('up__ask'))).toContain('Ada')
    expect(await client.request('resources/read', { uri: 'tmcp://pages/3' })).toMatchObject({
      contents: [{ text: 'page 3' }],
    })
    const greeting = await client.request('prompts/get', { name: 'up__greet', arguments: { who: 'Ada' } })
    expect(JSON.stringify(greeting)).toContain('Hello Ada')
  })

  test.each(['stdio', 'http'])('fastmcp over %s', async door => {
    const script = join(peers, 'fastmcp-server.js')
    const entry =
      door === 'stdio' ? child(script) : { url: await listening('/mcp', port => ({ args: [script, String(port)] })) }
    const client = await through(entry)
    expect(textOf(await client.callTool('up__add', { a: 1, b: 2 }))).toBe('3')
    const steps: unknown[] = []
    await client.callTool('up__steps', {}, { onProgress: said => steps.push(said.progress) })
    expect(steps).toEqual([1, 2])
    expect(await client.request('resources/read', { uri: 'fast://pages/3' })).toMatchObject({
      contents: [{ text: 'page 3' }],
    })
    const greeting = await client.request('prompts/get', { name: 'up__greet', arguments: { who: 'Ada' } })
    expect(JSON.stringify(greeting)).toContain('Hello Ada')
  })
})
