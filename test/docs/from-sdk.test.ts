import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Server } from '@causeway/engine'
import type { FetchHandler } from '@causeway/engine/fetch'
import type { HttpHandler, HttpService } from '@causeway/engine/http'
import { connect, fakeUser } from '@causeway/engine/testing'
import { beforeAll, afterAll, expect, test } from 'vitest'
import { ROOT } from '../support/spawned.ts'

interface Program {
  readonly server: Server
  readonly onStdio: unknown
  readonly service: HttpService
  readonly mounted: HttpHandler
  readonly fetching: FetchHandler
  readonly guarded: FetchHandler
  readonly token: string
  readonly three: unknown
}

const page = readFileSync(join(ROOT, 'docs/from-the-official-sdk.md'), 'utf8')
const blocks = [...page.matchAll(/^## (.+)$[\s\S]*?^```ts\n([\s\S]*?)^```/gm)].map(([, heading = '', code = '']) => [
  heading,
  code,
])
let folder: string
let program: Program

// The right-hand sides of the page are one program.
beforeAll(async () => {
  folder = mkdtempSync(join(ROOT, 'node_modules/.from-sdk-'))
  const file = join(folder, 'program.ts')
  const names = 'server, onStdio, service, mounted, fetching, guarded, token, three'
  writeFileSync(file, `${blocks.map(([, code]) => code).join('\n')}\nexport { ${names} }\n`)
  program = (await import(pathToFileURL(file).href)) as Program
})
afterAll(async () => {
  await program.service.close()
  rmSync(folder, { recursive: true })
})

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } }
const posted = (headers: Record<string, string> = {}): Request =>
  new Request('http://localhost/rpc', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(LIST),
  })

const CHECKS: Readonly<Record<string, (program: Program) => Promise<void>>> = {
  'A server': async ({ server }) => {
    const { instructions } = await connect(server).request('server/discover')
    expect(instructions).toBe('Search before you order.')
  },
  'A tool': async ({ server }) => {
    expect(await connect(server).call('add', { a: 1, b: 2 })).toBe('3')
    const { tools } = await connect(server).request('tools/list')
    expect(tools).toContainEqual(expect.objectContaining({ name: 'add', annotations: { readOnlyHint: true } }))
  },
  'Structured output': async ({ server }) =>
    expect(await connect(server).call('sum', { list: [1, 2] })).toEqual({ sum: 3 }),
  Errors: async ({ server }) => {
    const buy = async (what: string): Promise<unknown> =>
      connect(server).request('tools/call', { name: 'buy', arguments: { what } })
    expect(await buy('bread')).toMatchObject({ isError: true, content: [{ text: 'Sold out' }] })
    await expect(buy('nothing')).rejects.toMatchObject({ code: -32602, message: 'There is nothing to buy' })
  },
  'A resource and a family of resources': async ({ server }) => {
    const client = connect(server)
    const read = async (uri: string): Promise<unknown> => (await client.request('resources/read', { uri })).contents
    expect(await read('docs://readme')).toMatchObject([{ text: 'Hello' }])
    expect(await read('docs://one')).toMatchObject([{ text: 'Page one' }])
  },
  'A prompt': async ({ server }) => {
    const { messages } = await connect(server).request('prompts/get', { name: 'review', arguments: { code: 'x' } })
    expect(messages).toMatchObject([{ role: 'user', content: { text: 'Review: x' } }])
  },
  'Progress, log messages, cancellation': async ({ server }) => {
    const heard: unknown[] = []
    const onProgress = (one: object): void => void heard.push(one)
    expect(await connect(server).call('steps', {}, undefined, { onProgress })).toBe('done')
    expect(heard).toMatchObject([{ progress: 1, total: 3 }, { progress: 2 }, { progress: 3, message: 'step 3' }])
  },
  'Asking the person, the model, the folders': async ({ server }) => {
    for (const version of ['2026-07-28', '2025-06-18']) {
      const client = connect(server, { version, ...fakeUser({ forms: [{ size: 'M' }], model: 'ok' }) })
      expect(await client.call('order')).toBe('M {"type":"text","text":"ok"}')
    }
  },
  'Features that come and go': async ({ server }) => {
    await expect(connect(server).call('later')).rejects.toThrow('Unknown tool: later')
  },
  'Standard input and output': async ({ onStdio }) => expect(onStdio).toBeTypeOf('function'),
  HTTP: async ({ service, fetching, mounted }) => {
    const answer = await fetch(new URL('/rpc', service.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(LIST),
    })
    expect(await answer.text()).toContain('nobody')
    expect(await (await fetching(posted())).text()).toContain('nobody')
    expect(mounted.paths).toContain('/mcp')
  },
  Authentication: async ({ guarded, token }) => {
    expect((await guarded(posted())).status).toBe(401)
    expect(await (await guarded(posted({ authorization: `Bearer ${token}` }))).text()).toContain('ada')
  },
  Tests: async ({ three }) => expect(three).toBe('3'),
}

test('every construct of the page has a check', () => {
  expect(blocks.map(([heading]) => heading)).toEqual(Object.keys(CHECKS))
})

test.each(Object.keys(CHECKS))('the right-hand side runs: %s', async heading => {
  const check = CHECKS[heading]
  expect(check).toBeDefined()
  await check?.(program)
})
