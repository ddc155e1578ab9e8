import { TASKS_EXTENSION } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Message, Params } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import { DECIDES, DECLARED, begin, clientOf, taskServer, until } from './support.ts'

const accept: Params = { action: 'accept', content: { yes: true } }

describe('tasks that the server decides on', () => {
  test('are an extension, and no tool says that it can be one', async () => {
    const client = clientOf(taskServer().server, DECIDES)
    const { capabilities } = await client.request('server/discover')
    expect(capabilities).toMatchObject({ extensions: { [TASKS_EXTENSION]: {} } })
    expect(capabilities).not.toHaveProperty('tasks')
    expect(JSON.stringify(await client.request('tools/list'))).not.toContain('execution')
  })

  test('are made of what takes long, and told flat', async () => {
    const { server, gate } = taskServer()
    const client = clientOf(server, DECIDES)
    const begun = await client.request('tools/call', { name: 'slow' })
    expect(begun).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 3_600_000, pollIntervalMs: 1000 })
    for (const none of ['task', 'ttl', 'requestState', 'content']) expect(begun).not.toHaveProperty(none)
    const taskId = String(begun.taskId)
    expect(await client.request('tasks/get', { taskId })).toMatchObject({
      resultType: 'complete',
      status: 'working',
      statusMessage: 'half of it',
    })
    gate.open()
    const got = await until(client, taskId, 'completed')
    expect(got.result).toEqual({ resultType: 'complete', content: [{ type: 'text', text: 'done' }] })
  })

  test('what is over soon is no task, and what may be none never is, whatever is asked for', async () => {
    const client = clientOf(taskServer().server, DECIDES)
    for (const name of ['quick', 'never']) {
      const result = await client.request('tools/call', { name, task: { ttl: 1000 } })
      expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'at once' }] })
    }
    expect(await client.request('tools/call', { name: 'only' })).toMatchObject({ resultType: 'task' })
  })

  test('a client that did not declare them waits, or hears what to declare', async () => {
    const { server, gate } = taskServer()
    const client = connect(server, { version: DECIDES })
    gate.open()
    expect(await client.call('slow')).toBe('done')
    const missing = { code: -32021, data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } } }
    await expect(client.request('tools/call', { name: 'only' })).rejects.toMatchObject(missing)
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      await expect(client.request(method, { taskId: 'x' })).rejects.toMatchObject(missing)
  })

  test.each([DECLARED, {}])('there is neither a list nor a blocking result', async capabilities => {
    const client = connect(taskServer().server, { version: DECIDES, capabilities })
    for (const method of ['tasks/list', 'tasks/result'])
      await expect(client.request(method, { taskId: 'x' })).rejects.toMatchObject({ code: -32601 })
  })

  test('an error of the tool completes them, one of the protocol fails them', async () => {
    const { server, gate } = taskServer()
    const client = clientOf(server, DECIDES)
    const [bad, broken] = [await begin(client, 'bad'), await begin(client, 'broken')]
    gate.open()
    expect(await until(client, bad, 'completed')).toMatchObject({
      result: { isError: true, content: [{ text: 'did not work' }] },
    })
    const failed = await until(client, broken, 'failed')
    expect(failed).toMatchObject({ error: { code: -32602, message: 'not like that' } })
    expect(failed).not.toHaveProperty('result')
  })

  test('what is asked before the first progress is a round of the call', async () => {
    const client = clientOf(taskServer().server, DECIDES)
    const round = await client.request('tools/call', { name: 'first' })
    expect(round).toMatchObject({ resultType: 'input_required', inputRequests: { sure: {} } })
    const { requestState } = round
    const params = { name: 'first', inputResponses: { sure: accept }, requestState }
    const { taskId } = await client.request('tools/call', params)
    expect(await until(client, String(taskId), 'completed')).toMatchObject({
      result: { content: [{ text: 'accept' }] },
    })
  })

  test('later questions go through the task, each answered once', async () => {
    const client = clientOf(taskServer().server, DECIDES)
    const taskId = await begin(client, 'later')
    const { inputRequests } = await until(client, taskId, 'input_required')
    expect(Object.keys(inputRequests as Params)).toEqual(['one', 'two'])
    const answer = (inputResponses: Params): Promise<Params> =>
      client.request('tasks/update', { taskId, inputResponses })
    expect(await answer({ one: accept, other: accept })).toMatchObject({ resultType: 'complete' })
    const half = await client.request('tasks/get', { taskId })
    expect(half).toMatchObject({ status: 'input_required', inputRequests: { two: {} } })
    expect(half.inputRequests).not.toHaveProperty('one')
    await answer({ one: { action: 'decline' }, two: { action: 'cancel' } })
    await expect
      .poll(() => client.request('tasks/get', { taskId }))
      .toMatchObject({ status: 'input_required', inputRequests: { three: {} } })
    await answer({ three: accept })
    expect(await until(client, taskId, 'completed')).toMatchObject({
      result: { content: [{ text: 'accept cancel accept' }] },
    })
    const wrong = client.request('tasks/update', { taskId, inputResponses: 7 })
    await expect(wrong).rejects.toMatchObject({ code: -32602 })
  })

  test('are cancelled, also while they ask, and also when they are over', async () => {
    const { server, ended } = taskServer()
    const client = clientOf(server, DECIDES)
    const [slow, later] = [await begin(client, 'slow'), await begin(client, 'later')]
    await until(client, later, 'input_required')
    for (const taskId of [slow, later, later]) {
      const { _meta, ...rest } = await client.request('tasks/cancel', { taskId })
      expect(rest).toEqual({ resultType: 'complete' })
      expect(await client.request('tasks/get', { taskId })).toMatchObject({ status: 'cancelled' })
    }
    expect(ended).toEqual(['aborted'])
  })

  test('a call that is given up before it is one is cancelled', async () => {
    const { server, begun, ended } = taskServer({ graceMs: 60_000 })
    const client = clientOf(server, DECIDES)
    const giveUp = new AbortController()
    const call = client.call('slow', {}, undefined, { signal: giveUp.signal })
    await expect.poll(() => begun).toEqual(['begun'])
    giveUp.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await expect.poll(() => ended).toEqual(['aborted'])
  })

  test('listeners hear of their own, and only they', async () => {
    const { server, gate } = taskServer()
    const heard: Message[] = []
    const client = clientOf(server, DECIDES, { onMessage: message => heard.push(message) })
    const taskId = await begin(client, 'slow')
    void client.request('subscriptions/listen', { notifications: { taskIds: [taskId, 'none'] } })
    await expect.poll(() => heard).toMatchObject([{ params: { notifications: { taskIds: [taskId] } } }])
    gate.open()
    await expect
      .poll(() => heard.at(-1))
      .toMatchObject({
        method: 'notifications/tasks',
        params: { taskId, status: 'completed', result: { content: [{ text: 'done' }] } },
      })
    expect(heard.filter(message => 'method' in message && /progress|message/.test(message.method))).toEqual([])
    const wrong = client.request('subscriptions/listen', { notifications: { taskIds: [7] } })
    await expect(wrong).rejects.toMatchObject({ code: -32602 })
  })
})
