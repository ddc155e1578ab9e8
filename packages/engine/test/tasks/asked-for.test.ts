import { createServer, tool } from '@causeway/engine'
import { serveTasks } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Message, Params } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import { ASKS, Gate, begin, clientOf, taskServer, until } from './support.ts'

const RELATED = 'io.modelcontextprotocol/related-task'
const accept = (): Params => ({ action: 'accept', content: { yes: true } })

describe('tasks that the client asks for', () => {
  test('are declared in the handshake, and with each tool', async () => {
    const { server } = taskServer()
    const clientInfo = { name: 'c', version: '1' }
    const params = { protocolVersion: ASKS, capabilities: {}, clientInfo }
    const hello = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    const { result } = JSON.parse((await connect(server).raw(hello)) ?? '') as { result: Params }
    const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } }
    expect(result.capabilities).toMatchObject({ tasks })
    expect(result.capabilities).not.toHaveProperty('extensions')
    const { tools } = await clientOf(server, ASKS).request('tools/list')
    const support = (tools as Params[]).map(({ name, execution }) => [name, execution])
    expect(support).toContainEqual(['never', undefined])
    expect(support).toContainEqual(['slow', { taskSupport: 'optional' }])
    expect(support).toContainEqual(['only', { taskSupport: 'required' }])
    const older = await clientOf(server, '2025-06-18').request('tools/list')
    expect(JSON.stringify(older)).not.toContain('taskSupport')
  })

  test('are begun at once, and spelled as that revision does', async () => {
    const { server, gate } = taskServer()
    const client = clientOf(server, ASKS)
    const { task, ...rest } = await client.request('tools/call', { name: 'slow', task: { ttl: 90_000.4 } })
    expect(rest).toEqual({})
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(task).toEqual({
      taskId: expect.stringMatching(/^[\w-]{32}$/),
      status: 'working',
      createdAt: iso,
      lastUpdatedAt: iso,
      ttl: 90_000,
      pollInterval: 1000,
    })
    const { taskId } = task as { taskId: string }
    await expect
      .poll(() => client.request('tasks/get', { taskId }))
      .toMatchObject({ status: 'working', statusMessage: 'half of it', ttl: 90_000 })
    const waiting = client.request('tasks/result', { taskId })
    gate.open()
    expect(await waiting).toEqual({
      content: [{ type: 'text', text: 'done' }],
      _meta: { [RELATED]: { taskId } },
    })
    const got = await client.request('tasks/get', { taskId })
    expect(got).toMatchObject({ status: 'completed' })
    expect(got).not.toHaveProperty('result')
    expect(await client.request('tasks/list')).toMatchObject({ tasks: [{ taskId, status: 'completed' }] })
  })

  test('fail where the tool does, and have its error as their result', async () => {
    const { server, gate } = taskServer()
    const client = clientOf(server, ASKS)
    gate.open()
    const bad = await begin(client, 'bad')
    expect(await client.request('tasks/result', { taskId: bad })).toMatchObject({
      isError: true,
      content: [{ text: 'did not work' }],
    })
    expect(await client.request('tasks/get', { taskId: bad })).toMatchObject({ status: 'failed' })
    const broken = await begin(client, 'broken')
    await expect(client.request('tasks/result', { taskId: broken })).rejects.toMatchObject({
      code: -32602,
      message: 'not like that',
    })
    expect(await client.request('tasks/get', { taskId: broken })).toMatchObject({ status: 'failed' })
  })

  test('put their questions while their result is waited for', async () => {
    const { server } = taskServer()
    const asked: Params[] = []
    const answer = ({ params }: { params: Params }): Params => {
      asked.push(params)
      return accept()
    }
    const client = clientOf(server, ASKS, { answer })
    const taskId = await begin(client, 'later')
    await until(client, taskId, 'input_required')
    expect(asked).toEqual([])
    expect(await client.request('tasks/result', { taskId })).toMatchObject({
      content: [{ text: 'accept accept accept' }],
    })
    expect(asked.map(({ message }) => message)).toEqual(['One?', 'Two?', 'Three?'])
    expect(asked.every(({ _meta }) => (_meta as Params)[RELATED] !== undefined)).toBe(true)
  })

  test('put their questions to the session of a client that does not come for them', async () => {
    const { server } = taskServer({ pollMs: 1 })
    const answer = ({ params: { message } }: { params: Params }): Params =>
      message === 'Two?' ? { action: 'decline' } : accept()
    const client = clientOf(server, ASKS, { answer })
    const taskId = await begin(client, 'later')
    await until(client, taskId, 'completed')
    expect(await client.request('tasks/result', { taskId })).toMatchObject({
      content: [{ text: 'accept decline accept' }],
    })
    const questions = client.seen.filter(message => 'method' in message && message.method === 'elicitation/create')
    expect(questions).toHaveLength(3)
    expect(JSON.stringify(questions)).toContain(RELATED)
  })

  test('are cancelled at once, and their handler hears of it', async () => {
    const { server, ended } = taskServer()
    const client = clientOf(server, ASKS)
    const taskId = await begin(client, 'slow')
    expect(await client.request('tasks/cancel', { taskId })).toMatchObject({ taskId, status: 'cancelled' })
    await expect.poll(() => ended).toEqual(['aborted'])
    expect(await client.request('tasks/get', { taskId })).toMatchObject({ status: 'cancelled' })
    await expect(client.request('tasks/cancel', { taskId })).rejects.toMatchObject({ code: -32602 })
    await expect(client.request('tasks/result', { taskId })).rejects.toThrow('was cancelled')
  })

  test('outlive their client; its progress goes to the session while there is one', async () => {
    const { server, gate } = taskServer()
    const heard: Message[] = []
    const client = clientOf(server, ASKS, { onMessage: message => heard.push(message) })
    const _meta = { progressToken: 'p' }
    const { task } = await client.request('tools/call', { name: 'slow', task: {}, _meta })
    const { taskId } = task as { taskId: string }
    await expect
      .poll(() => heard)
      .toMatchObject([
        {
          method: 'notifications/progress',
          params: { progressToken: 'p', message: 'half of it', _meta: { [RELATED]: { taskId } } },
        },
        { method: 'notifications/tasks/status', params: { taskId, status: 'working', pollInterval: 1000 } },
      ])
    client.close()
    gate.open()
    const back = clientOf(server, ASKS)
    await until(back, taskId, 'completed')
    // Who knows the id is let in where nobody authenticates; only sessions list their own.
    expect(await back.request('tasks/list')).toEqual({ tasks: [] })
  })

  test('are begun through the tool that calls others, which says that it can be one', async () => {
    const gate = new Gate()
    const server = createServer({ name: 's', version: '1', log: () => {}, listing: { search: 'on' } })
    server.use(serveTasks(server)).add(
      tool({ name: 'hidden', task: 'optional' }, async () => {
        await gate.opened
        return 'done'
      }),
      tool({ name: 'plain' }, () => 'at once'),
    )
    const client = clientOf(server, ASKS)
    const { tools } = await client.request('tools/list')
    const listed = (tools as Params[]).find(({ name }) => name === 'call_tool')
    expect(listed).toMatchObject({ execution: { taskSupport: 'optional' } })
    const through = async (args: Params): Promise<string> => {
      const { task } = await client.request('tools/call', { name: 'call_tool', arguments: args, task: {} })
      return (task as { taskId: string }).taskId
    }
    const taskId = await through({ name: 'hidden' })
    expect(await client.request('tasks/get', { taskId })).toMatchObject({ status: 'working' })
    gate.open()
    expect(await client.request('tasks/result', { taskId })).toMatchObject({ content: [{ text: 'done' }] })
    // The client knows the one tool that it calls, and what that can be.
    const plain = await through({ name: 'plain' })
    expect(await client.request('tasks/result', { taskId: plain })).toMatchObject({ content: [{ text: 'at once' }] })
    const unknown = await through({ name: 'hiden' })
    await expect(client.request('tasks/result', { taskId: unknown })).rejects.toThrow(/hidden/)
  })

  test('are refused where the tool cannot be one, or must be', async () => {
    const client = clientOf(taskServer().server, ASKS)
    const refused = client.request('tools/call', { name: 'never', task: {} })
    await expect(refused).rejects.toMatchObject({ code: -32601, message: expect.stringContaining("'never'") })
    const waited = client.request('tools/call', { name: 'only' })
    await expect(waited).rejects.toMatchObject({ code: -32601, message: expect.stringContaining('only as a task') })
    await expect(client.request('tasks/update', { taskId: 'x' })).rejects.toMatchObject({ code: -32601 })
  })

  test.each([
    [{ ttl: -1 }, '"task.ttl" must be a number of milliseconds from 0 on, such as 3600000, not -1'],
    [{ ttl: '1h' }, 'not "1h"'],
    [7, '"task" must be an object'],
  ])('a wrong %j is refused', async (task, words) => {
    const client = clientOf(taskServer().server, ASKS)
    const wrong = client.request('tools/call', { name: 'slow', task })
    await expect(wrong).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(words) })
  })

  test.each([
    [0, 60_000],
    [365 * 24 * 3_600_000, 24 * 3_600_000],
    [undefined, 3_600_000],
  ])('a ttl of %s becomes one of %s', async (ttl, granted) => {
    const client = clientOf(taskServer().server, ASKS)
    const { task } = await client.request('tools/call', { name: 'slow', task: ttl === undefined ? {} : { ttl } })
    expect(task).toMatchObject({ ttl: granted })
  })
})
