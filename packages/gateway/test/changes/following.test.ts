import type { Call } from '@causeway/engine'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { PooledRemote } from '../../src/upstream/pooled-remote.ts'
import { UpstreamSubscriptions } from '../../src/changes/upstream-subscriptions.ts'
import type { Upstream } from '../../src/upstream/upstream.ts'
import { Backoff } from '../../src/upstream/backoff.ts'
import { ClientSubscriptions } from '../../src/changes/client-subscriptions.ts'
import { SCRIPTED, scripted } from '../support/scripted.ts'
import type { Script } from '../support/scripted.ts'
import { clientOf, gatewayTo } from '../support/world.ts'

afterEach(() => vi.useRealTimers())

const NOTE = 'note://one'
const capabilities = { resources: { subscribe: true, listChanged: true } }
const resources = (method: string): object =>
  method === 'resources/list' ? { resources: [{ uri: NOTE, name: 'one' }] } : {}

/** A client of a gateway to a server that has one resource, and what the server was asked for. */
async function watched(more: Partial<Script> = {}) {
  const { asked, reach } = scripted({ capabilities, result: method => ({ ...resources(method) }), ...more })
  const { server, gateway } = await gatewayTo({ up: SCRIPTED }, { reach })
  const managed = gateway.servers.get('up')
  if (!managed) throw new Error('There is no such server')
  await managed.refresh()
  const client = await clientOf(server, { version: '2025-11-25', onChange: () => {} })
  const count = (method: string): number => asked.filter(one => one === method).length
  return { client, pool: managed.pool, count }
}

describe('who watches a resource of a server', () => {
  test('goes on watching it when the server begins anew, without anybody calling', async () => {
    const { client, pool, count } = await watched()
    await client.subscribe(NOTE)
    await vi.waitFor(() => expect(count('resources/subscribe')).toBe(1))
    await pool.restart()
    await vi.waitFor(() => expect(count('resources/subscribe')).toBe(2), 5000)
    expect(count('initialize')).toBe(2)
    await client.unsubscribe(NOTE)
    await vi.waitFor(() => expect(count('resources/unsubscribe')).toBe(1))
    await vi.waitFor(() => expect(pool.any && pool.isIdle(pool.any)).toBe(true))
  })

  test('leaves nothing behind that keeps the server running, though it went while the server began', async () => {
    let go = (): void => {}
    let isSlow = false
    const slow = async (method: string): Promise<object> => {
      if (method === 'initialize' && isSlow) await new Promise<void>(resolve => (go = resolve))
      return resources(method)
    }
    const { client, pool, count } = await watched({ result: async method => ({ ...(await slow(method)) }) })
    await pool.restart()
    isSlow = true
    await client.subscribe(NOTE)
    await vi.waitFor(() => expect(count('initialize')).toBe(2))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6000 })
    await client.unsubscribe(NOTE)
    vi.useRealTimers()
    go()
    await vi.waitFor(() => expect(pool.size).toBe(1))
    await vi.waitFor(() => expect(pool.any && pool.isIdle(pool.any)).toBe(true))
  })
})

test('a conversation that begins beside the one that listens is not subscribed in, and can be ended', async () => {
  const subscribed = (): { connection: PooledRemote; uris: Set<string> } => {
    const uris = new Set<string>()
    const follow = async (wanted: { uris: Iterable<string> }): Promise<Map<string, Error>> => {
      uris.clear()
      for (const uri of wanted.uris) uris.add(uri)
      return new Map()
    }
    return { uris, connection: { remote: { follow } } as unknown as PooledRemote }
  }
  const [first, second] = [subscribed(), subscribed()]
  let go = (_: PooledRemote): void => {}
  const acquire = (): Promise<PooledRemote> => new Promise(resolve => (go = resolve))
  const following = new UpstreamSubscriptions(
    { acquire, unshared: undefined, backoff: new Backoff('up') },
    () => {},
    () => true,
  )
  following.want(NOTE, true)
  following.opened(first.connection)
  following.opened(second.connection)
  go(second.connection)
  await vi.waitFor(() => expect([...first.uris]).toEqual([NOTE]))
  expect([...second.uris]).toEqual([])
  following.want(NOTE, false)
  await vi.waitFor(() => expect([...first.uris, ...second.uris]).toEqual([]))
})

describe('a session that has ended', () => {
  test('watches nothing, though it was still on its way to', () => {
    const want = vi.fn<(uri: string, wants: boolean) => void>()
    const owner = { subscriptions: { want } } as unknown as Upstream
    const watchers = new ClientSubscriptions(() => [owner])
    const ending = new AbortController()
    const subscribing = (uri: string): Call =>
      ({
        method: 'resources/subscribe',
        params: { uri },
        link: { session },
      }) as unknown as Call
    const session = { signal: ending.signal }
    watchers.subscription(subscribing(NOTE))
    ending.abort()
    expect(want.mock.calls).toEqual([
      [NOTE, true],
      [NOTE, false],
    ])
    watchers.subscription(subscribing('note://two'))
    expect(want).toHaveBeenCalledTimes(2)
  })
})
