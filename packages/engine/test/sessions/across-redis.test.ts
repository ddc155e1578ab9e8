import { redisStore } from '@causeway/engine/redis'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { RedisServer } from '../../../../test/support/redis-server.ts'
import { acrossProcesses } from './across.ts'
import { needs } from '../../../../test/support/needs.ts'

describe('over Redis', needs('redis-server'), () => {
  let server: RedisServer
  let prefixes = 0
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  acrossProcesses('redis', async () => {
    const prefix = `t${++prefixes}:`
    const open = async (processId: string): ReturnType<typeof redisStore> => {
      const store = await redisStore(server.url, { prefix, processId })
      onTestFinished(() => store.close())
      return store
    }
    return [await open('a'), await open('b')]
  })
})
