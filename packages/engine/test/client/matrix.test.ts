import { versions } from '@causeway/engine'
import type { Ask, Params, Result } from '@causeway/engine'
import { RemoteServer } from '@causeway/engine/client'
import type { RemoteOptions, ServerChange } from '@causeway/engine/client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SERVER_TRANSPORTS, everything, running } from './server-transports.ts'

const STATELESS = versions[0] ?? ''
const client = { name: 'near', version: '1.0.0' }
const cleanups: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const answer = ({ method, params }: Ask): Result => {
  if (method === 'roots/list') return { roots: [{ uri: 'file:///home' }] }
  if (method === 'sampling/createMessage')
    return { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hm!' }, stopReason: 'endTurn' }
  return { action: 'accept', content: { value: String(params.message) } }
}

async function reach(
  transport: string,
  options: Partial<RemoteOptions> = {},
): Promise<{ remote: RemoteServer; server: ReturnType<typeof everything> }> {
  const server = everything()
  const reached = await SERVER_TRANSPORTS[transport]!(server)
  cleanups.push(() => reached.stop())
  const remote = await RemoteServer.connect({ open: () => reached.open() }, { client, answer, ...options })
  cleanups.push(() => remote.close())
  return { remote, server }
}

const text = ({ content }: Result): unknown => (content as Params[])[0]?.text

// HTTP+SSE and its pages have no stateless era; everything else has all revisions.
const cells = Object.keys(SERVER_TRANSPORTS).flatMap(transport =>
  versions
    .filter(version => transport !== 'sse' || version !== STATELESS)
    .map(version => [transport, version] as const),
)

describe.each(cells)('over %s in %s', (transport, version) => {
  const hasForms = version >= '2025-06-18'

  test('everything a server has can be used', async () => {
    const { remote } = await reach(transport, { version })
    expect(remote.version).toBe(version)
    expect(remote.server).toMatchObject({ name: 'far', version: '1.2.3' })
    expect(remote.instructions).toBe('Be kind.')
    const tools = await remote.list('tools/list')
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'steps', 'name', 'think', 'folders', 'forever', 'fails'])
    expect(text(await remote.callTool('echo', { text: 'grüß dich' }))).toBe('grüß dich')
    expect(await remote.callTool('fails')).toMatchObject({ isError: true })
    await expect(remote.callTool('nobody')).rejects.toMatchObject({ code: -32602 })
    expect(await remote.request('resources/read', { uri: 'note://one' })).toMatchObject({
      contents: [{ text: 'first note' }],
    })
    expect(await remote.request('resources/read', { uri: 'note://more/7' })).toMatchObject({
      contents: [{ text: 'note 7' }],
    })
    await expect(remote.request('resources/read', { uri: 'note://none' })).rejects.toThrow('note://none')
    expect(await remote.list('resources/templates/list')).toHaveLength(1)
    const got = await remote.request('prompts/get', { name: 'greet', arguments: { who: 'Ada' } })
    expect(JSON.stringify(got)).toContain('Hello Ada')
    const completed = await remote.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'who', value: 'Al' },
    })
    expect(completed).toMatchObject({ completion: { values: ['Alan'] } })
  })

  test('questions are answered, one after another', async () => {
    const asked: string[] = []
    const { remote } = await reach(transport, { version, answer: ask => (asked.push(ask.method), answer(ask)) })
    expect(text(await remote.callTool('folders'))).toBe('file:///home')
    expect(text(await remote.callTool('think'))).toContain('Hm!')
    const said = String(text(await remote.callTool('name')))
    const both = /^\[.*"First\?".*"Last\?".*\]$/
    expect(said).toMatch(hasForms ? both : /needs a client that supports elicitation/)
    expect(asked.filter(method => method === 'elicitation/create')).toHaveLength(hasForms ? 2 : 0)
  })

  test('progress and log messages come with the call', async () => {
    const progress: Params[] = []
    const logs: Params[] = []
    const { remote } = await reach(transport, { version, onLog: params => logs.push(params) })
    await remote.setLogLevel('debug')
    const result = await remote.callTool(
      'steps',
      {},
      {
        logLevel: 'debug',
        onProgress: params => progress.push(params),
        onLog: params => logs.push(params),
      },
    )
    expect(text(result)).toBe('done')
    expect(progress.map(({ progress: at }) => at)).toEqual([1, 2])
    expect(logs).toMatchObject([{ level: 'warning', logger: 'steps', data: { step: 1 } }])
  })

  test('a call is cancelled, or times out, and the server stops working on it', async () => {
    const { remote } = await reach(transport, { version })
    const ending = new AbortController()
    const call = remote.callTool('forever', {}, { signal: ending.signal })
    await vi.waitFor(() => expect(running.size).toBe(1))
    ending.abort(new Error('no longer'))
    await expect(call).rejects.toThrow('no longer')
    await vi.waitFor(() => expect(running.size).toBe(0))
    await expect(remote.callTool('forever', {}, { timeoutMs: 300 })).rejects.toThrow('within 0.3 s')
    await vi.waitFor(() => expect(running.size).toBe(0))
    expect(remote.inFlight).toBe(0)
  })

  test('changes of lists and resources are heard', async () => {
    const changes: ServerChange[] = []
    const { remote, server } = await reach(transport, { version, onChange: change => changes.push(change) })
    await remote.subscribe('note://one')
    await vi.waitFor(() => {
      server.updated('note://one')
      expect(changes).toContainEqual({ uri: 'note://one' })
    })
    await vi.waitFor(() => {
      server.remove('tool', 'fails')
      server.add({ kind: 'tool', name: 'fails', run: () => 'no' } as never)
      expect(changes).toContainEqual({ list: 'tools' })
    })
  })
})

test.each(Object.keys(SERVER_TRANSPORTS))('over %s the newest revision both sides know is spoken', async transport => {
  const { remote } = await reach(transport)
  const expected = transport === 'sse' ? /2025-11-25|2026-07-28/ : new RegExp(STATELESS)
  expect(remote.version).toMatch(expected)
  expect(text(await remote.callTool('echo', { text: 'hi' }))).toBe('hi')
})
