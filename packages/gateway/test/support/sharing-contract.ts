import type { Params } from '@causeway/engine'
import type { Store } from '@causeway/engine/stores'
import type { KnownSession } from '@causeway/engine/client'
import { expect, onTestFinished, test } from 'vitest'
import { SharedSessions } from '../../src/sessions/shared-sessions.ts'
import { configsOf } from './world.ts'

/** Two stores with nothing in them that share everything, how long a key is kept, and what is kept under it. */
export interface SharedStores {
  readonly stores: readonly [Store, Store]
  /** Names and values of all keys of sessions with servers. */
  entries(): Promise<readonly { readonly name: string; readonly text: string; readonly ttlMs: number }[]>
}

const known = (id: string): KnownSession => ({
  id,
  version: '2025-11-25',
  capabilities: { tools: {} },
  server: { name: 'up', version: '1' },
  instructions: undefined,
})

const configOf = (entry: Params = {}) => {
  const [config] = configsOf({
    up: { url: 'http://127.0.0.1:1/mcp', headers: { authorization: 'Bearer x' }, ...entry },
  })
  if (!config) throw new Error('no config')
  return config
}

/** What holds for sessions with servers, whatever store they are kept in. */
export function sharingContract(open: () => Promise<SharedStores>): void {
  const begin = (): Promise<Sides> => sidesOf(open)
  usedByAll(begin)
  usedByNoOthers(begin)
  keptWhileUsed(begin)
}

interface Sides extends SharedStores {
  readonly here: SharedSessions
  readonly there: SharedSessions
  readonly logged: readonly string[]
}

async function sidesOf(open: () => Promise<SharedStores>): Promise<Sides> {
  const shared = await open()
  const logged: string[] = []
  const processes = shared.stores.map(store => new SharedSessions(store, (_, message) => void logged.push(message)))
  onTestFinished(() => processes.forEach(one => one.close()))
  const [here, there] = processes as [SharedSessions, SharedSessions]
  return { here, there, ...shared, logged }
}

function usedByAll(begin: () => Promise<Sides>): void {
  test('what one process began another goes on with; the last one to leave may end it', async () => {
    const { here, there, entries, logged } = await begin()
    const [a, b] = [here.of(configOf(), 'p:ada|'), there.of(configOf(), 'p:ada|')]
    expect(await a.find()).toBeUndefined()
    expect(await a.keep(known('one'))).toEqual(known('one'))
    expect(await b.find()).toEqual(known('one'))
    expect([here.isElsewhere(configOf(), 'p:ada|'), there.isElsewhere(configOf(), 'p:ada|')]).toEqual([false, true])
    expect(await a.leave('one')).toBe(false)
    expect(await b.leave('one')).toBe(true)
    expect(await a.find()).toBeUndefined()
    expect((await entries()).filter(({ text }) => text !== '')).toEqual([])
    expect(logged).toEqual([])
  })

  test('of two that begin at once one wins, and both use its session', async () => {
    const { here, there } = await begin()
    const [a, b] = [here.of(configOf(), 'p:ada|'), there.of(configOf(), 'p:ada|')]
    const used = await Promise.all([a.keep(known('mine')), b.keep(known('yours'))])
    expect(used[0]).toEqual(used[1])
    expect(['mine', 'yours']).toContain(used[0].id)
    const [{ id }] = used
    expect(await b.leave(id)).toBe(false)
    expect(await a.leave(id)).toBe(true)
  })

  test('a session that the server forgot is replaced once, for all', async () => {
    const { here, there } = await begin()
    const [a, b] = [here.of(configOf(), 'p:ada|'), there.of(configOf(), 'p:ada|')]
    await a.keep(known('old'))
    await b.find()
    expect(await a.find('old')).toBeUndefined()
    expect(await b.find('old')).toBeUndefined()
    const used = await Promise.all([a.keep(known('new'), 'old'), b.keep(known('newer'), 'old')])
    expect(used[0]).toEqual(used[1])
    expect(await b.find('old')).toEqual(used[0])
  })
}

function usedByNoOthers(begin: () => Promise<Sides>): void {
  test('another client, server, address or credential finds nothing, nor can a value be moved to it', async () => {
    const { here, there, entries, stores } = await begin()
    await here.of(configOf(), 'p:ada lovelace|').keep(known('a-secret-id'))
    const [kept] = await entries()
    if (!kept) throw new Error('nothing kept')
    expect(kept.text).not.toContain('a-secret-id')
    expect(Buffer.from(kept.text, 'base64url').toString('latin1')).not.toContain('a-secret-id')
    expect(`${kept.name}${kept.text}`).not.toContain('lovelace')
    const others = [
      there.of(configOf(), 'p:bob|'),
      there.of({ ...configOf(), name: 'other' }, 'p:ada lovelace|'),
      there.of(configOf({ url: 'http://127.0.0.1:2/mcp' }), 'p:ada lovelace|'),
      there.of(configOf({ headers: { authorization: 'Bearer y' } }), 'p:ada lovelace|'),
    ]
    for (const other of others) expect(await other.find()).toBeUndefined()
    await there.of(configOf(), 'p:bob|').keep(known('of-bob'))
    const bobs = (await entries()).find(({ name }) => name !== kept.name)
    await stores[0].set(bobs?.name ?? '', kept.text, 60_000)
    expect(await here.of(configOf(), 'p:bob|').find()).toBeUndefined()
    // What is in its place can be replaced.
    expect(await here.of(configOf(), 'p:bob|').keep(known('fresh'))).toEqual(known('fresh'))
    expect(await there.of(configOf(), 'p:bob|').find()).toEqual(known('fresh'))
  })
}

function keptWhileUsed(begin: () => Promise<Sides>): void {
  test('a process that is gone does not keep a session alive', async () => {
    const { here, there, stores } = await begin()
    const [a, b] = [here.of(configOf(), ''), there.of(configOf(), '')]
    await a.keep(known('one'))
    await b.find()
    await stores[1].close()
    await expect.poll(() => stores[0].isAlive(stores[1].processId), { interval: 50 }).toBe(false)
    expect(await a.leave('one')).toBe(true)
  })

  test('it is kept for half an hour, longer while it is used, and outlives the process that ends', async () => {
    const { here, there, entries, stores } = await begin()
    const a = here.of(configOf(), '')
    await a.keep(known('one'))
    const [first] = await entries()
    expect(first?.ttlMs).toBeGreaterThan(29 * 60_000)
    expect(first?.ttlMs).toBeLessThanOrEqual(30 * 60_000)
    await stores[0].touch(first?.name ?? '', 1000)
    here.renew()
    await expect.poll(async () => (await entries())[0]?.ttlMs, { interval: 5 }).toBeGreaterThan(29 * 60_000)
    here.close()
    expect(await a.leave('one'), 'a process that ends leaves its sessions').toBe(false)
    expect(await there.of(configOf(), '').find()).toEqual(known('one'))
  })

  test('who opens again while its last connection closes uses the same session', async () => {
    const { here } = await begin()
    const a = here.of(configOf(), '')
    await a.keep(known('one'))
    const [found, isLast] = await Promise.all([a.find(), a.leave('one')])
    expect([found?.id, isLast]).toEqual(['one', false])
    expect(await a.leave('one')).toBe(true)
  })
}
