import { redisStore } from '@causeway/engine/redis'
import type { RedisStore } from '@causeway/engine/redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RedisServer } from '../../../../test/support/redis-server.ts'
import { ASKS, DECIDES, begin, clientOf, taskServer, until } from './support.ts'

const accept = { action: 'accept', content: { yes: true } }

describe('tasks in Redis', () => {
  let redis: RedisServer
  let stores: readonly [RedisStore, RedisStore]
  beforeAll(async () => {
    redis = await RedisServer.start()
    stores = [await redisStore(redis.url), await redisStore(redis.url)]
  })
  afterAll(async () => {
    await Promise.all(stores.map(store => store.close()))
    await redis.stop()
  })

  test('are those of every process, whatever is asked of them', async () => {
    const [one, other] = stores.map(store => taskServer({ store })) as [
      ReturnType<typeof taskServer>,
      ReturnType<typeof taskServer>,
    ]
    const here = clientOf(one.server, DECIDES)
    const there = clientOf(other.server, DECIDES)
    const later = await begin(here, 'later')
    await until(there, later, 'input_required')
    await there.request('tasks/update', { taskId: later, inputResponses: { one: accept, two: accept } })
    await expect
      .poll(() => there.request('tasks/get', { taskId: later }))
      .toMatchObject({ inputRequests: { three: {} } })
    await there.request('tasks/update', { taskId: later, inputResponses: { three: accept } })
    expect(await until(there, later, 'completed')).toMatchObject({
      result: { content: [{ text: 'accept accept accept' }] },
    })
    const slow = await begin(here, 'slow')
    await there.request('tasks/cancel', { taskId: slow })
    await expect.poll(() => one.ended).toEqual(['aborted'])
    const asked = await begin(clientOf(one.server, ASKS, { answer: () => accept }), 'later')
    const waiting = clientOf(other.server, ASKS, { answer: () => accept })
    expect(await waiting.request('tasks/result', { taskId: asked })).toMatchObject({
      content: [{ text: 'accept accept accept' }],
    })
  })

  test('one whose process ended has failed', async () => {
    const gone = await redisStore(redis.url)
    const taskId = await begin(clientOf(taskServer({ store: gone }).server, DECIDES), 'slow')
    const there = clientOf(taskServer({ store: stores[0] }).server, DECIDES)
    expect(await there.request('tasks/get', { taskId })).toMatchObject({ status: 'working' })
    await gone.close()
    expect(await until(there, taskId, 'failed')).toMatchObject({
      error: { message: 'The process that ran this task ended before the task did' },
    })
  })
})
