import { versions } from '@causeway/engine'
import type { Params } from '@causeway/engine'
import type { ServerChange } from '@causeway/engine/client'
import { describe, expect, test, vi } from 'vitest'
import { answer, clientOf, entryOf, gatewayTo, textOf } from '../support/world.ts'

const cells = ['sdk-v1', 'sdk-v2'].flatMap(sdk => ['stdio', 'http'].map(door => [sdk, door] as const))

describe.each(cells)('in front of %s over %s', (sdk, door) => {
  test.each([...versions])('a client of %s can use everything', async version => {
    const { server } = await gatewayTo({ up: await entryOf(sdk, door) })
    const asked: string[] = []
    const client = await clientOf(server, {
      version,
      answer: ask => (asked.push(ask.method), answer(ask)),
    })
    await vi.waitFor(async () => expect((await client.list('tools/list')).length).toBeGreaterThan(5), {
      timeout: 10_000,
    })
    const tools = await client.list('tools/list')
    expect(tools.map(({ name }) => name)).toContain('up__echo')
    expect(textOf(await client.callTool('up__echo', { text: 'hi' }))).toBe('hi')
    const hasForms = version >= '2025-06-18'
    const { structuredContent } = await client.callTool('up__structured')
    expect(structuredContent).toEqual(hasForms ? { n: 1 } : undefined)
    const both = /^\[.*"First\?".*"Last\?".*\]$/
    expect(textOf(await client.callTool('up__ask'))).toMatch(hasForms ? both : /elicitation/i)
    expect(textOf(await client.callTool('up__runs'))).toBe('1')
    expect(textOf(await client.callTool('up__think'))).toContain('Hm!')
    expect(textOf(await client.callTool('up__folders'))).toBe('file:///home')
    const progress: Params[] = []
    const logs: Params[] = []
    await client.setLogLevel('info')
    await client.callTool(
      'up__steps',
      {},
      { logLevel: 'info', onProgress: said => progress.push(said), onLog: log => logs.push(log) },
    )
    expect(progress.map(said => said.progress)).toEqual([1, 2])
    expect(await client.request('resources/read', { uri: 'note://one' })).toMatchObject({
      contents: [{ text: 'first note' }],
    })
    expect(await client.request('resources/read', { uri: 'note://more/3' })).toMatchObject({
      contents: [{ text: 'note 3' }],
    })
    expect(
      JSON.stringify(await client.request('prompts/get', { name: 'up__greet', arguments: { who: 'Ada' } })),
    ).toContain('Hello Ada')
    const ending = new AbortController()
    const began = (): void => ending.abort(new Error('enough'))
    const forever = client.callTool('up__forever', {}, { signal: ending.signal, onProgress: began })
    await expect(forever).rejects.toThrow('enough')
    await vi.waitFor(async () => expect(textOf(await client.callTool('up__stopped'))).toBe('1'), 10_000)
    expect(asked).toContain('roots/list')
  })

  test.each(sdk === 'sdk-v1' ? [...versions] : [])('a client of %s hears of changes', async version => {
    const { server } = await gatewayTo({ up: await entryOf(sdk, door) })
    const changes: ServerChange[] = []
    const client = await clientOf(server, { version, onChange: change => changes.push(change) })
    await vi.waitFor(async () => expect(await client.list('resources/list')).toHaveLength(1))
    await client.subscribe('note://one')
    await vi.waitFor(async () => {
      await client.callTool('up__touch')
      expect(changes).toEqual(expect.arrayContaining([{ uri: 'note://one' }, { list: 'tools' }]))
    }, 10_000)
  })
})
