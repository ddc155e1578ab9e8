import { tool } from '@causeway/engine'
import { rateLimit } from '@causeway/engine/policies'
import { memoryStore } from '@causeway/engine/stores'
import type { Principal } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import { ASKS, DECIDES, begin, clientOf, taskServer, until } from './support.ts'

const named = (name: string): { principal: Principal } => ({ principal: { name } })

describe.each([ASKS, DECIDES])('tasks of %s', version => {
  test('are those of their principal, and unknown to others', async () => {
    const { server } = taskServer()
    const ann = clientOf(server, version, named('ann'))
    const taskId = await begin(ann, 'slow')
    const again = clientOf(server, version, named('ann'))
    expect(await again.request('tasks/get', { taskId })).toMatchObject({ status: 'working' })
    const methods = version === ASKS ? ['tasks/get', 'tasks/cancel', 'tasks/result'] : ['tasks/get', 'tasks/cancel']
    for (const client of [clientOf(server, version, named('bob')), clientOf(server, version)]) {
      for (const method of methods) {
        const message = `You have no task '${taskId}'. It may have expired`
        await expect(client.request(method, { taskId })).rejects.toMatchObject({ code: -32602, message })
      }
    }
    await expect(ann.request('tasks/get', { taskId: 'nobody' })).rejects.toMatchObject({ code: -32602 })
    await expect(ann.request('tasks/get', { taskId: { $gt: '' } })).rejects.toMatchObject({ code: -32602 })
    if (version !== ASKS) return
    expect(await again.request('tasks/list')).toMatchObject({ tasks: [{ taskId }] })
    expect(await clientOf(server, version, named('bob')).request('tasks/list')).toEqual({ tasks: [] })
  })

  test('a client has so many, and the one too many is refused with when there is room', async () => {
    let now = Date.now()
    const { server } = taskServer({ limits: { ofClient: 3 }, now: () => now })
    const client = clientOf(server, version, named('ann'))
    for (let i = 0; i < 3; i++) await begin(client, 'only')
    const refused = { code: -32004, message: expect.stringContaining('You have 3 tasks'), data: { limit: 3 } }
    await expect(client.request('tools/call', { name: 'only', task: {} })).rejects.toMatchObject(refused)
    await begin(clientOf(server, version, named('bob')), 'only')
    now += 3_600_001
    await begin(client, 'only')
  })

  test('a store that is full refuses new ones and keeps those it has', async () => {
    const { server } = taskServer({ limits: { inAll: 2 } })
    const client = clientOf(server, version)
    const ids = [await begin(client, 'only'), await begin(client, 'only')]
    const refused = { code: -32004, message: expect.stringContaining('which is all it can keep') }
    await expect(client.request('tools/call', { name: 'only', task: {} })).rejects.toMatchObject(refused)
    for (const taskId of ids) await until(client, taskId, 'completed')
  })

  test('the results of one client leave room for those of others', async () => {
    const { server } = taskServer({ limits: { charactersOfClient: 1000 } })
    const ann = clientOf(server, version, named('ann'))
    const ids: string[] = []
    const more = async (): Promise<void> => void ids.push(await begin(ann, 'only'))
    const refused = { code: -32004, message: expect.stringMatching(/^The results of your tasks take all the room/) }
    await expect(
      (async () => {
        for (;;) await more()
      })(),
    ).rejects.toMatchObject(refused)
    expect(ids.length).toBeGreaterThan(1)
    await begin(clientOf(server, version, named('bob')), 'only')
    for (const taskId of ids) await until(ann, taskId, 'completed')
  })

  test('a store that is gone is said to be, and no task runs that could not be asked for', async () => {
    const store = memoryStore()
    const { server, begun } = taskServer({ store })
    const client = clientOf(server, version)
    const taskId = await begin(client, 'slow')
    const broken = async (): Promise<never> => {
      throw new Error('ECONNREFUSED redis.internal:6379')
    }
    Object.assign(store, { get: broken, set: broken, replace: broken })
    const gone = { code: -32004, message: expect.stringMatching(/^The store of tasks cannot be reached/) }
    await expect(client.request('tools/call', { name: 'slow', task: {} })).rejects.toMatchObject(gone)
    await expect(client.request('tasks/get', { taskId })).rejects.toMatchObject(gone)
    // The one whose server decides ran already, and was ended; the other never began.
    expect(begun).toHaveLength(version === ASKS ? 1 : 2)
  })

  test('polling takes nothing of the rate', async () => {
    const { server } = taskServer()
    server.use(rateLimit({ burst: 2, perSecond: 0.001, methods: 'all' }))
    const client = clientOf(server, version, named('ann'))
    const taskId = await begin(client, 'slow')
    for (let i = 0; i < 20; i++) await client.request('tasks/get', { taskId })
    await begin(client, 'slow')
    await expect(client.request('tools/call', { name: 'never' })).rejects.toMatchObject({ code: -32003 })
  })

  test('stay as long as was promised, and not much longer', async () => {
    let now = Date.now()
    const { server } = taskServer({ now: () => now, ttlMs: 120_000 })
    const client = clientOf(server, version)
    const taskId = await begin(client, 'only')
    await until(client, taskId, 'completed')
    now += 119_999
    expect(await client.request('tasks/get', { taskId })).toMatchObject({ status: 'completed' })
    now += 2
    await expect(client.request('tasks/get', { taskId })).rejects.toMatchObject({ code: -32602 })
  })
})

describe('with a store of several processes', () => {
  const pair = () => {
    const a = memoryStore({ processId: 'a' })
    const b = memoryStore({ processId: 'b', shareWith: a })
    return { a, one: taskServer({ store: a }), other: taskServer({ store: b }) }
  }
  const accept = { action: 'accept', content: { yes: true } }

  test('each can say how a task stands, answer it and cancel it', async () => {
    const { one, other } = pair()
    const [here, there] = [clientOf(one.server, DECIDES), clientOf(other.server, DECIDES)]
    const taskId = await begin(here, 'later')
    expect(await until(there, taskId, 'input_required')).toMatchObject({ inputRequests: { one: {}, two: {} } })
    await there.request('tasks/update', { taskId, inputResponses: { one: accept, two: accept } })
    await expect
      .poll(() => there.request('tasks/get', { taskId }))
      .toMatchObject({ status: 'input_required', inputRequests: { three: {} } })
    await there.request('tasks/update', { taskId, inputResponses: { three: accept } })
    await until(there, taskId, 'completed')
    const slow = await begin(here, 'slow')
    await there.request('tasks/cancel', { taskId: slow })
    await expect.poll(() => one.ended).toEqual(['aborted'])
    expect(await here.request('tasks/get', { taskId: slow })).toMatchObject({ status: 'cancelled' })
  })

  test('each can wait for the result, and put the questions of it', async () => {
    const { one, other } = pair()
    const taskId = await begin(clientOf(one.server, ASKS, { answer: () => accept }), 'later')
    const there = clientOf(other.server, ASKS, { answer: () => accept })
    expect(await there.request('tasks/result', { taskId })).toMatchObject({
      content: [{ text: 'accept accept accept' }],
    })
  })

  test('one whose process died has failed', async () => {
    const { a, one, other } = pair()
    const taskId = await begin(clientOf(one.server, DECIDES), 'slow')
    const there = clientOf(other.server, DECIDES)
    expect(await there.request('tasks/get', { taskId })).toMatchObject({ status: 'working' })
    a.close()
    const error = { code: -32603, message: 'The process that ran this task ended before the task did' }
    expect(await there.request('tasks/get', { taskId })).toMatchObject({ status: 'failed', error })
    await expect(clientOf(other.server, ASKS).request('tasks/result', { taskId })).rejects.toMatchObject(error)
  })
})

test('ten thousand tasks of one client are too many, and it takes no time to say so', async () => {
  const { server } = taskServer()
  const client = clientOf(server, ASKS)
  const outcomes = new Map<string, number>()
  for (let i = 0; i < 1500; i++) {
    const ended = await client.request('tools/call', { name: 'quick', task: {} }).then(
      () => 'begun',
      (error: { code: number }) => String(error.code),
    )
    outcomes.set(ended, (outcomes.get(ended) ?? 0) + 1)
  }
  expect(Object.fromEntries(outcomes)).toEqual({ begun: 1000, '-32004': 500 })
})

test('a client that waits for results again and again leaves room for others', async () => {
  const { server, gate } = taskServer()
  const [ann, bob] = [clientOf(server, ASKS, named('ann')), clientOf(server, ASKS, named('bob'))]
  const [hers, his] = [await begin(ann, 'slow'), await begin(bob, 'slow')]
  const outcomes: string[] = []
  const waits = Array.from({ length: 1200 }, () =>
    ann.request('tasks/result', { taskId: hers }).then(
      () => void outcomes.push('done'),
      (error: { code: number }) => void outcomes.push(String(error.code)),
    ),
  )
  await expect.poll(() => outcomes).toEqual(Array(200).fill('-32004'))
  const bobs = bob.request('tasks/result', { taskId: his })
  gate.open()
  expect(await bobs).toMatchObject({ content: [{ text: 'done' }] })
  await Promise.all(waits)
  expect(outcomes.filter(one => one === 'done')).toHaveLength(1000)
})

test('tasks with long results are listed in short pages, which are counted by limits of the rate', async () => {
  const { server } = taskServer()
  server.add(tool({ name: 'long', task: 'required' }, () => 'x'.repeat(1024 * 1024)))
  const client = clientOf(server, ASKS, named('ann'))
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.push(await begin(client, 'long'))
  for (const taskId of ids) await until(client, taskId, 'completed')
  const seen: unknown[] = []
  const pages: number[] = []
  for (let cursor: unknown; ;) {
    const page = await client.request('tasks/list', cursor === undefined ? {} : { cursor })
    const tasks = page.tasks as { taskId: string }[]
    seen.push(...tasks.map(({ taskId }) => taskId))
    pages.push(tasks.length)
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  expect(seen).toEqual(ids)
  expect(pages.length).toBeGreaterThan(1)
  server.use(rateLimit({ burst: 1, perSecond: 0.001, methods: 'all' }))
  await client.request('tasks/list')
  await expect(client.request('tasks/list')).rejects.toMatchObject({ code: -32003 })
})
