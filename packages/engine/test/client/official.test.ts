import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { versions } from '@causeway/engine'
import type { Ask, Params, Result } from '@causeway/engine'
import { RemoteServer, httpTransport, childTransport } from '@causeway/engine/client'
import type { ServerChange, ClientTransport } from '@causeway/engine/client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { upstreamScript } from '../../../../test/support/upstream-script.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function listening(sdk: string): Promise<string> {
  const child = spawn(process.execPath, [upstreamScript(sdk), '--http'], { stdio: ['ignore', 'pipe', 'inherit'] })
  cleanups.push(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return line
}

async function opener(sdk: string, transport: string): Promise<() => ClientTransport> {
  if (transport === 'stdio') return () => childTransport({ command: process.execPath, args: [upstreamScript(sdk)] })
  const url = await listening(sdk)
  return () => httpTransport({ url })
}

const answer = ({ method, params }: Ask): Result => {
  if (method === 'roots/list') return { roots: [{ uri: 'file:///home' }] }
  if (method === 'sampling/createMessage')
    return { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hm!' } }
  return { action: 'accept', content: { value: String(params.message) } }
}

const text = ({ content }: Result): string => String((content as Params[])[0]?.text)

const cells = ['sdk-v1', 'sdk-v2'].flatMap(sdk => ['stdio', 'http'].map(transport => [sdk, transport] as const))

describe.each(cells)('%s over %s', (sdk, transport) => {
  test('everything works in the revision it speaks', async () => {
    const logs: Params[] = []
    const server = await RemoteServer.connect(
      { open: await opener(sdk, transport) },
      {
        client: { name: 'near', version: '1' },
        answer,
        onLog: log => logs.push(log),
      },
    )
    cleanups.push(() => server.close())
    expect(server.version === versions[0]).toBe(sdk !== 'sdk-v1')
    expect((await server.list('tools/list')).map(({ name }) => name)).toContain('ask')
    expect(text(await server.callTool('echo', { text: 'hi' }))).toBe('hi')
    expect(text(await server.callTool('ask'))).toContain('First?')
    expect(text(await server.callTool('ask'))).toContain('Last?')
    expect(text(await server.callTool('runs'))).toBe('2')
    expect(text(await server.callTool('think'))).toContain('Hm!')
    expect(text(await server.callTool('folders'))).toBe('file:///home')
    const progress: Params[] = []
    await server.callTool(
      'steps',
      {},
      { logLevel: 'info', onProgress: said => progress.push(said), onLog: log => logs.push(log) },
    )
    expect(progress.map(said => said.progress)).toEqual([1, 2])
    await vi.waitFor(() => expect(logs).toHaveLength(1))
    expect(await server.request('resources/read', { uri: 'note://more/3' })).toMatchObject({
      contents: [{ text: 'note 3' }],
    })
    expect(JSON.stringify(await server.request('prompts/get', { name: 'greet', arguments: { who: 'Ada' } }))).toContain(
      'Hello Ada',
    )
    await expect(server.callTool('forever', {}, { timeoutMs: 300 })).rejects.toThrow('0.3 s')
    await vi.waitFor(async () => expect(text(await server.callTool('stopped'))).toBe('1'))
  })
})

test.each(['stdio', 'http'])('changes are heard of over %s', async transport => {
  const changes: ServerChange[] = []
  const server = await RemoteServer.connect(
    { open: await opener('sdk-v1', transport) },
    { client: { name: 'near', version: '1' }, onChange: change => changes.push(change) },
  )
  cleanups.push(() => server.close())
  await server.subscribe('note://one')
  await vi.waitFor(async () => {
    await server.callTool('touch')
    expect(changes).toEqual(expect.arrayContaining([{ uri: 'note://one' }, { list: 'tools' }]))
  })
})

test('a session that the server forgot is begun again, and nobody notices', async () => {
  const url = await listening('sdk-v1')
  const server = await RemoteServer.connect(
    { open: () => httpTransport({ url }) },
    { client: { name: 'near', version: '1' } },
  )
  cleanups.push(() => server.close())
  expect(text(await server.callTool('counter'))).toBe('1')
  expect(text(await server.callTool('counter'))).toBe('2')
  await fetch(url.replace('/mcp', '/forget'), { method: 'DELETE' })
  expect(text(await server.callTool('counter'))).toBe('1')
})
