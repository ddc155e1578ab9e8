import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Params } from '@causeway/engine'
import type { Remote } from '@causeway/engine/client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { fetchLists } from '../../src/source/fetch-lists.ts'
import type { Lists } from '../../src/source/fetch-lists.ts'
import { ListCache } from '../../src/source/list-cache.ts'
import { ServerLists } from '../../src/source/server-lists.ts'
import type { Pool } from '../../src/upstream/pool.ts'
import { configsOf } from '../support/world.ts'

/** A server with these capabilities that answers each request for a list with a page. */
function remoteWith(capabilities: Params, page: (method: string, call: number) => Params): Remote & { asked: number } {
  const remote = {
    asked: 0,
    capabilities,
    version: '2025-11-25',
    call: ({ method }: { method: string }) => Promise.resolve(page(method, remote.asked++)),
  }
  return remote as unknown as Remote & { asked: number }
}

const large = (name: string, characters: number): Params => ({ name, uri: name, description: 'x'.repeat(characters) })

const [CONFIG] = configsOf({ up: { command: 'none' } })
if (!CONFIG) throw new Error('no entry')

describe('the lists of a server', () => {
  test('may take so much together, whatever their number and that of their pages', async () => {
    const page = (_: string, call: number): Params => ({
      tools: [large(`tool${call}`, 1000)],
      prompts: [large(`prompt${call}`, 1000)],
      nextCursor: String(call),
    })
    const remote = remoteWith({ tools: {}, prompts: {} }, page)
    const lists = await fetchLists(remote, 10_000)
    expect(lists).toMatchObject({ isCut: true })
    expect(remote.asked).toBeLessThan(8)
    expect(lists.tools.length + lists.prompts.length).toBeGreaterThan(2)
    expect(JSON.stringify(lists).length).toBeLessThan(10_000)
  })

  test('count with what nobody asked for, too', async () => {
    const remote = remoteWith({ tools: {} }, (_, call) => ({
      tools: [],
      junk: 'x'.repeat(4000),
      nextCursor: `${call}`,
    }))
    expect(await fetchLists(remote, 10_000)).toMatchObject({ isCut: true })
    expect(remote.asked).toBe(3)
  })

  test('are whole where they are small enough', async () => {
    const remote = remoteWith({ tools: {} }, () => ({ tools: [large('one', 100)] }))
    expect((await fetchLists(remote, 10_000)).isCut).toBeUndefined()
  })
})

describe('lists that change all the time', () => {
  afterEach(() => void vi.useRealTimers())

  const listsOf = (page: (call: number) => Params): { lists: ServerLists; asked: () => number; taken: Lists[] } => {
    const remote = remoteWith({ tools: {} }, (_, call) => page(call))
    const taken: Lists[] = []
    const pool = { acquire: () => Promise.resolve({ remote }), release() {} } as unknown as Pool
    const taker = { prepare: () => Promise.resolve(), take: (one: Lists) => void taken.push(one) }
    return {
      lists: new ServerLists({ config: CONFIG, pool, login: undefined }, new ListCache(undefined), taker),
      asked: () => remote.asked,
      taken,
    }
  }

  test('are asked for at a pace in proportion to their length', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
    const long = { tools: [large('one', 5 * 1024 * 1024)] }
    const { lists, asked } = listsOf(call => ({ ...long, call }))
    await lists.refresh()
    lists.changed()
    await vi.advanceTimersByTimeAsync(4900)
    expect(asked()).toBe(1)
    await vi.advanceTimersByTimeAsync(200)
    expect(asked()).toBe(2)
  })

  test('are taken only where they differ', async () => {
    const { lists, taken } = listsOf(call => ({ tools: [large(call < 2 ? 'one' : 'two', 10)] }))
    for (let i = 0; i < 3; i++) await lists.refresh()
    expect(taken.map(({ tools }) => tools[0]?.name)).toEqual(['one', 'two'])
  })
})

describe('the cache of lists', () => {
  test('has what was written last, whatever was being written', async () => {
    const cache = new ListCache(mkdtempSync(join(tmpdir(), 'lists-')))
    const of = async (name: string): Promise<Lists> =>
      fetchLists(remoteWith({ tools: {}, prompts: {} }, () => ({ tools: [large(name, 10)], prompts: [] })))
    const all = await Promise.all(['a', 'b', 'c'].map(of))
    for (const lists of all) void cache.write(CONFIG, lists)
    expect(cache.read(CONFIG)).toBeUndefined()
    await cache.settled()
    expect(cache.read(CONFIG)).toEqual(JSON.parse(JSON.stringify(all[2])))
  })
})
