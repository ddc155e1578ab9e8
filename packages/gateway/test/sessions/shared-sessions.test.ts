import { memoryStore } from '@causeway/engine/stores'
import type { Store } from '@causeway/engine/stores'
import { redisStore } from '@causeway/engine/redis'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { RedisServer } from '../../../../test/support/redis-server.ts'
import { SharedSessions } from '../../src/sessions/shared-sessions.ts'
import { sharingContract } from '../support/sharing-contract.ts'
import { configsOf } from '../support/world.ts'
import { needs } from '../../../../test/support/needs.ts'

/** A store in memory that can be looked into. */
function transparent(store: Store, seen: Map<string, { text: string; until: number }>): Store {
  const replace: Store['replace'] = async (key, expected, text, ttlMs) => {
    const isDone = await store.replace(key, expected, text, ttlMs)
    if (isDone) seen.set(key, { text, until: Date.now() + ttlMs })
    return isDone
  }
  const touch: Store['touch'] = (key, ttlMs) => {
    const before = seen.get(key)
    if (before) seen.set(key, { ...before, until: Date.now() + ttlMs })
    return store.touch(key, ttlMs)
  }
  return new Proxy(store, {
    get: (target, key) => {
      if (key === 'replace') return replace
      if (key === 'touch') return touch
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

describe('in memory', () => {
  sharingContract(async () => {
    const seen = new Map<string, { text: string; until: number }>()
    const a = memoryStore({ processId: 'a' })
    const b = memoryStore({ shareWith: a, processId: 'b' })
    return {
      stores: [transparent(a, seen), transparent(b, seen)],
      entries: async () => [...seen].map(([name, { text, until }]) => ({ name, text, ttlMs: until - Date.now() })),
    }
  })
})

describe('in Redis', needs('redis-server'), () => {
  let server: RedisServer
  let redis: Redis
  let prefixes = 0
  beforeAll(async () => {
    server = await RedisServer.start()
    redis = new Redis(server.port)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  const open = async (prefix: string, processId: string): ReturnType<typeof redisStore> => {
    const store = await redisStore(server.url, { prefix, processId })
    onTestFinished(() => store.close())
    return store
  }

  sharingContract(async () => {
    const prefix = `t${++prefixes}:`
    const entry = async (key: string) => ({
      name: key.slice(prefix.length),
      text: (await redis.get(key)) ?? '',
      ttlMs: await redis.pttl(key),
    })
    return {
      stores: [await open(prefix, 'a'), await open(prefix, 'b')],
      entries: async () => Promise.all((await redis.keys(`${prefix}upstream:*`)).map(entry)),
    }
  })

  test('while Redis is away everybody has a session of its own, and says so once; then the first one is shared', async () => {
    const own = await RedisServer.start()
    onTestFinished(() => own.stop())
    const stores = await Promise.all(['a', 'b'].map(processId => redisStore(own.url, { processId })))
    onTestFinished(async () => void (await Promise.all(stores.map(store => store.close()))))
    const logged: string[] = []
    const processes = stores.map(store => new SharedSessions(store, (_, message) => void logged.push(message)))
    onTestFinished(() => processes.forEach(one => one.close()))
    const [config] = configsOf({ up: { url: 'http://127.0.0.1:1/mcp' } })
    if (!config) throw new Error('no config')
    const known = { version: '2025-11-25', capabilities: {}, server: undefined, instructions: undefined }
    const [a, b] = processes.map(one => one.of(config, ''))
    await own.kill()
    expect(await a?.find()).toBeUndefined()
    expect(await a?.keep({ id: 'mine', ...known })).toMatchObject({ id: 'mine' })
    expect(await a?.find()).toBeUndefined()
    expect(logged).toHaveLength(1)
    await own.start()
    await expect.poll(() => b?.find(), { interval: 20 }).toMatchObject({ id: 'mine' })
    expect(await b?.leave('mine')).toBe(false)
    expect(await a?.leave('mine')).toBe(true)
  })
})
