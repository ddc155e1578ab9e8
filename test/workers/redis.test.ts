import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Stateful, Stateless, ask, call } from '../../packages/engine/test/support/http-client.ts'
import { RedisServer } from '../support/redis-server.ts'
import { World, gone, textOf } from './world.ts'
import { needs } from '../support/needs.ts'

describe('with --store, any worker serves any session', needs('redis-server'), () => {
  let redis: RedisServer
  let world: World
  beforeAll(async () => {
    redis = await RedisServer.start()
    world = await World.start('--workers', '2', '--store', redis.url)
    await world.workers(2)
  })
  afterAll(async () => {
    await world.end()
    await redis.stop()
  })

  test('calls of one session are answered by both', async () => {
    const session = await Stateful.open(world.url)
    const pids = new Set<unknown>()
    for (let i = 0; i < 50 && pids.size < 2; i++) pids.add(textOf(await session.call('who')))
    expect(pids.size).toBe(2)
  })

  test('a question asked by one is answered through the other', async () => {
    const session = await Stateful.open(world.url, { capabilities: { elicitation: {} } })
    for (let i = 0; i < 6; i++) {
      const asking = await session.stream(call(i, 'greet'))
      const question = await asking.until(({ method }) => method === 'elicitation/create')
      const reply = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name: 'Ada' } } }
      expect((await session.post(reply)).status).toBe(202)
      expect(textOf(await asking.until(({ id }) => id === i))).toBe('Hello, Ada!')
    }
  })

  test('rounds of the stateless era may each be served by another worker', async () => {
    const client = new Stateless(world.url, { capabilities: { elicitation: {} } })
    for (let i = 0; i < 6; i++) {
      const asked = await client.call('greet')
      const { requestState, inputRequests } = asked.result as { requestState: string; inputRequests: object }
      const [key = ''] = Object.keys(inputRequests)
      const answers = { [key]: { action: 'accept', content: { name: 'Ada' } } }
      const params = { name: 'greet', arguments: {}, requestState, inputResponses: answers }
      expect(textOf(await client.request('tools/call', params))).toBe('Hello, Ada!')
    }
  })

  test('a worker that is killed takes no session with it', async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, () => Stateful.open(world.url)))
    const [pid = 0] = await world.workers(2)
    process.kill(pid, 'SIGKILL')
    await gone(pid)
    for (const session of sessions) expect((await session.post(ask(1, 'ping'))).status).toBe(200)
    expect(await world.workers(2)).not.toContain(pid)
  })
})
