import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createServer as createMcpServer, versions } from '@causeway/engine'
import { scripts } from '@causeway/packs/scripts'
import { connect, expectTool, fakeUser } from '@causeway/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startAuthorizationServer } from '../test/support/authorization-server.ts'
import { server as booking } from './booking.ts'
import { guarded } from './guarded-gateway.ts'
import { notes } from './notes.ts'
import { protectedBy } from './protected.ts'
import { server as reports } from './report.ts'

const rootOf = (path: string): string => join(import.meta.dirname, '..', path)

test('SQLite: notes are found by words, and are there after a restart', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'notes-')), 'notes.db')
  const first = connect(notes(file))
  expect(await first.call('add_note', { text: 'Buy milk and bread' })).toEqual({ id: 1 })
  await first.call('add_note', { text: 'Call "Ada" OR Grace' })
  const again = connect(notes(file))
  const found = async (words: string): Promise<unknown> => await again.call('find_notes', { words })
  expect(await found('milk')).toMatchObject({ notes: [{ id: 1, text: 'Buy milk and bread' }] })
  expect(await found('"Ada" OR')).toMatchObject({ notes: [{ id: 2 }] })
  expect(await found('cheese')).toEqual({ notes: [] })
  await expectTool(again, 'find_notes').survives({ count: 40 })
})

test('SQLite: a file of the first release is migrated', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'notes-')), 'notes.db')
  await connect(notes(file)).call('add_note', { text: 'hello' })
  // The number of migrations that were run, in the head of the file.
  expect(readFileSync(file).readUInt32BE(60)).toBe(2)
  expect(await connect(notes(file)).call('find_notes', { words: 'hello' })).toMatchObject({ notes: [{ id: 1 }] })
})

test.each(versions.filter(version => version >= '2025-06-18'))(
  'elicitation: asks before it books, in %s',
  async version => {
    const user = fakeUser({ forms: [{ time: '19:00' }, 'decline'] })
    const client = connect(booking, { version, ...user })
    expect(await client.call('book_table', { restaurant: 'Oslo' })).toBe('Booked at Oslo, 19:00.')
    expect(await client.call('book_table', { restaurant: 'Oslo' })).toBe('Nothing was booked.')
    expect(await connect(booking, { version }).call('book_table', { restaurant: 'Oslo' })).toContain('cannot ask')
  },
)

test('tasks: a handle at once, the result later, for a client that does not wait', async () => {
  const extensions = { 'io.modelcontextprotocol/tasks': {} }
  const client = connect(reports, { capabilities: { extensions } })
  const begun = await client.request('tools/call', { name: 'report', arguments: {} })
  expect(begun).toMatchObject({ resultType: 'task', status: 'working' })
  const { taskId } = begun as { taskId?: string }
  const pages = { pages: ['page 1', 'page 2', 'page 3', 'page 4', 'page 5'] }
  await expect
    .poll(() => client.request('tasks/get', { taskId }))
    .toMatchObject({ status: 'completed', result: { structuredContent: pages } })
  // One that waits gets the result itself.
  expect(await connect(reports).call('report')).toEqual(pages)
})

test('an app with a view: the tool names its page, and views may call what models may not', async () => {
  const file = './views/dice.mjs'
  const { default: _, ...made } = (await import(file)) as Record<string, never>
  const server = createMcpServer({ name: 'dice', version: '1', log: false }).add(...Object.values(made).flat())
  const client = connect(server, {
    capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } },
  })
  const { tools } = (await client.request('tools/list')) as {
    tools: { name: string; _meta?: { ui?: { resourceUri?: string } } }[]
  }
  const uri = tools.find(({ _meta }) => _meta?.ui?.resourceUri !== undefined)?._meta?.ui?.resourceUri
  const { contents } = (await client.request('resources/read', { uri })) as { contents: { text: string }[] }
  expect(contents[0]?.text).toContain('<!doctype html>')
  expect((await connect(server).request('tools/list')).tools).toHaveLength(tools.length - 1)
})

test('a gateway with policies: calls are noted and limited, what destroys is left out', async () => {
  const calls: string[] = []
  const upstream = { command: process.execPath, args: [rootOf('test/support/upstreams/plain.js')] }
  const { server, close } = await guarded({ one: upstream }, calls)
  onTestFinished(close)
  const client = connect(server)
  await expect.poll(async () => ((await client.request('tools/list')).tools as unknown[]).length).toBeGreaterThan(0)
  const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] }
  expect(tools.every(({ name }) => name.startsWith('one__'))).toBe(true)
  const name = tools[0]?.name ?? ''
  for (let i = 0; i < 3; i++) await client.call(name)
  await expect(client.call(name)).rejects.toThrow('Rate limit')
  expect(calls).toHaveLength(4)
})

test('OAuth: a token of the authorization server is needed, and a scope for what writes', async () => {
  const issuer = await startAuthorizationServer()
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(async () => {
    http.closeAllConnections()
    http.close()
    await issuer.close()
  })
  const publicUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const handler = protectedBy(issuer.issuer, publicUrl)
  http.on('request', (request, response) => handler.handle(request, response))
  const url = new URL(`${publicUrl}/mcp`)
  const refused = await fetch(url, { method: 'POST', body: '{}' })
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource')
  const call = async (name: string, scope: string): Promise<unknown> => {
    const token = await issuer.machineToken({ resource: url.href, scope })
    const client = new Client({ name: 'test', version: '1.0.0' })
    const headers = { authorization: `Bearer ${token}` }
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    try {
      return await client.callTool({ name, arguments: {} })
    } finally {
      await client.close()
    }
  }
  expect(await call('whoami', 'read')).toMatchObject({
    structuredContent: { name: expect.stringContaining('machine') },
  })
  await expect(call('write_note', 'read')).rejects.toThrow(/scope|403|authoriz/i)
  expect(await call('write_note', 'write')).toMatchObject({ content: [{ text: 'written' }] })
})

test('a script: its comment is the tool, and the docs show the whole of it', async () => {
  const { tools, problems } = await scripts({ folders: [rootOf('examples/scripts')] })
  expect(problems).toEqual([])
  const client = connect(createMcpServer({ name: 's', version: '1', log: false }).add(...tools))
  const counting = expectTool(client, 'count_lines')
  await counting.returns({ text: 'a\nB\nab' }, { lines: 3 })
  await counting.returns({ text: 'a\nB\nab', word: 'b' }, { lines: 2 })
  await counting.returns({ text: 'a\nB\nab', word: 'b', letters: 'exact' }, { lines: 1 })
  await counting.returns({ text: '$(id); -x', word: '-x' }, { lines: 1 })
  expect(readFileSync(rootOf('docs/scripts.md'), 'utf8')).toContain(
    readFileSync(rootOf('examples/scripts/count-lines.sh'), 'utf8').trim(),
  )
})

test('the test kit is for node:test, too', async () => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--test', rootOf('examples/kit.node.mjs')], { cwd: rootOf('.') })
  expect(stdout).toMatch(/pass 4/)
})
