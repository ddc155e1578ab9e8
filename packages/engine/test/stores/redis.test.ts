import { redisStore } from '@causeway/engine/redis'
import type { RedisStore } from '@causeway/engine/redis'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { RedisServer } from '../../../../test/support/redis-server.ts'
import { storeContract } from '@causeway/engine/testing'
import { runContract } from '../support/contract.ts'
import { needs } from '../../../../test/support/needs.ts'

describe('redis', needs('redis-server'), () => {
  let server: RedisServer
  let redis: Redis
  let prefixes = 0
  let offset = 0
  const prefixOf = new Map<unknown, string>()

  beforeAll(async () => {
    server = await RedisServer.start()
    redis = new Redis(server.port)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  const open = async (prefix = `t${++prefixes}:`, processId?: string): Promise<RedisStore> => {
    const now = (): number => Date.now() + offset
    const store = await redisStore(server.url, { prefix, now, ...(processId !== undefined && { processId }) })
    prefixOf.set(store, prefix)
    return store
  }

  runContract('contract', storeContract, {
    open: () => open(),
    join: (store, processId) => open(prefixOf.get(store), processId),
    pass: async ms => {
      offset += ms
      for (const key of await redis.keys('*')) await passFor(redis, key, ms)
    },
  })

  test('no key is kept for ever', async () => {
    const store = await open()
    onTestFinished(() => store.close())
    await store.set('value', 'x', 1000)
    await store.once('once', 'x', 1000)
    await store.replace('replace', undefined, 'x', 1000)
    await store.append('log', { number: 1, text: 'x' }, 1000)
    await store.announce('feed', 'x', 1000)
    await store.take('bucket', { burst: 10, perSecond: 10 })
    const keys = await redis.keys(`${prefixOf.get(store)}*`)
    expect(keys).toHaveLength(7)
    for (const key of keys) expect(await redis.pttl(key), key).toBeGreaterThan(0)
  })

  test('keys of each kind are counted, and deleted by their prefix alone', async () => {
    const store = await open('a*[b]:')
    onTestFinished(() => store.close())
    const other = await open('axb:')
    onTestFinished(() => other.close())
    for (let i = 0; i < 1500; i++) void store.set(`session:${i}`, 'x', 10_000)
    await store.append('events:s:r1', { number: 1, text: 'x' }, 1000)
    await other.set('session:1', 'x', 10_000)
    expect(await store.stats()).toEqual({ session: 1500, events: 1, process: 1 })
    expect(await store.clear()).toBe(1502)
    expect(await store.stats()).toEqual({})
    expect(await other.get('session:1')).toBe('x')
  })

  test('leases: most calls ask nobody, and over several processes no more pass than may', async () => {
    const stores = await Promise.all(['one', 'two', 'three'].map(processId => open('rate:', processId)))
    onTestFinished(async () => void (await Promise.all(stores.map(store => store.close()))))
    const bucket = { burst: 100, perSecond: 100 }
    const started = performance.now()
    let granted = 0
    let promises = 0
    for (let i = 0; i < 600; i++) {
      const taken = stores[i % 3]?.take('k', bucket)
      if (taken instanceof Promise) promises += 1
      if ((await taken)?.granted) granted += 1
    }
    const most = 100 + ((performance.now() - started) / 1000) * 100 + 1
    expect(granted).toBeLessThanOrEqual(most)
    expect(granted).toBeGreaterThanOrEqual(100)
    expect(promises).toBeLessThan(300)
  })

  test('a clock that was set back neither locks a bucket nor fills it', async () => {
    const store = await open('clock:')
    onTestFinished(() => store.close())
    const bucket = { burst: 2, perSecond: 1 }
    expect((await store.take('k', bucket)).granted).toBe(true)
    const [seconds = ''] = await redis.time()
    await redis.hset('clock:k', 't', String((Number(seconds) + 3600) * 1000))
    expect((await store.take('k', bucket)).granted).toBe(true)
    expect(await store.take('k', bucket)).toMatchObject({ granted: false })
    expect(Number(await redis.hget('clock:k', 't'))).toBeLessThan((Number(seconds) + 60) * 1000)
  })
})

/** Age one key: what is left of its time, and the time written in it. */
async function passFor(redis: Redis, key: string, ms: number): Promise<void> {
  const left = await redis.pttl(key)
  if (left <= ms && !key.includes('node:')) await redis.del(key)
  else if (left > ms) await redis.pexpire(key, left - ms)
  if ((await redis.type(key)) === 'hash') await redis.hincrby(key, 't', -ms)
}
