import { createServer } from '@causeway/engine'
import { memoryTransport } from '@causeway/engine/client'
import { serveTasks } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Params, Server } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import { Gateway } from '@causeway/gateway'
import { describe, expect, test } from 'vitest'
import { ASKS, DECIDES, begin, clientOf, taskServer, until } from '../../../engine/test/tasks/support.ts'
import { configsOf, later } from '../support/world.ts'

const accept: Params = { action: 'accept', content: { yes: true } }

interface World {
  readonly server: Server
  readonly client: Client
  readonly up: ReturnType<typeof taskServer>
  readonly asked: string[]
}

/** A client of one kind, the gateway, and a server of one kind or the other. */
async function world(version: string, upstream: string): Promise<World> {
  const up = taskServer({ pollMs: 100 })
  const asked: string[] = []
  up.server.use((call, next) => {
    asked.push(call.method)
    return next(call)
  })
  const server = createServer({ name: 'gateway', version: '1', log: () => {} })
  server.use(serveTasks(server, { graceMs: 5 }))
  const gateway = new Gateway(server, {
    runsTasks: true,
    reach: () => ({ open: () => memoryTransport(up.server) }),
  })
  later(() => gateway.close())
  await gateway.apply(configsOf({ up: { command: 'none', revision: upstream } }))
  await gateway.servers.get('up')?.refresh()
  return { server, up, asked, client: clientOf(server, version, version === ASKS ? { answer: () => accept } : {}) }
}

/** Answer what a task asks, until it is over. */
async function answering(client: Client, taskId: string): Promise<Params> {
  for (;;) {
    const task = await client.request('tasks/get', { taskId })
    if (!['working', 'input_required'].includes(String(task.status))) return task
    const keys = Object.keys(task.inputRequests ?? {})
    const inputResponses = Object.fromEntries(keys.map(key => [key, accept]))
    if (keys.length > 0) await client.request('tasks/update', { taskId, inputResponses })
    else await new Promise(resolve => setImmediate(resolve))
  }
}

/** The result of a task, as its kind of client gets it. */
async function outcomeOf(client: Client, version: string, taskId: string): Promise<unknown> {
  if (version === ASKS) return client.request('tasks/result', { taskId })
  return (await answering(client, taskId)).result
}

describe.each([ASKS, DECIDES])('a client of %s', version => {
  describe.each([ASKS, DECIDES])('and a server of %s', upstream => {
    test('run a task to its end; the handle is ours, and says what the server says', async () => {
      const { client, up, asked, server } = await world(version, upstream)
      const taskId = await begin(client, 'up__slow')
      await expect.poll(() => client.request('tasks/get', { taskId })).toMatchObject({ statusMessage: 'half of it' })
      await expect.poll(() => asked).toContain('tasks/get')
      client.close()
      up.gate.open()
      const back = clientOf(server, version)
      expect(await outcomeOf(back, version, taskId)).toMatchObject({ content: [{ text: 'done' }] })
      await expect(connect(up.server, { version: ASKS }).request('tasks/get', { taskId })).rejects.toThrow(taskId)
    })

    test('questions of the task reach the client, each under a key of its own', async () => {
      const { client } = await world(version, upstream)
      const taskId = await begin(client, 'up__later')
      expect(await outcomeOf(client, version, taskId)).toMatchObject({ content: [{ text: 'accept accept accept' }] })
    })

    test('no question names the task of the server, only ours', async () => {
      const { client } = await world(version, upstream)
      const taskId = await begin(client, 'up__later')
      const { inputRequests } = await until(client, taskId, 'input_required')
      if (version === ASKS) await client.request('tasks/result', { taskId })
      const sent = client.seen.filter(message => 'method' in message && message.method === 'elicitation/create')
      const questions: readonly unknown[] = version === ASKS ? sent : Object.values(inputRequests ?? {})
      const named = questions.map(one => /related-task":\{"taskId":"([^"]+)/.exec(JSON.stringify(one))?.[1])
      expect(named).not.toHaveLength(0)
      expect(new Set(named)).toEqual(new Set([version === ASKS ? taskId : undefined]))
    })

    test('a cancelled task is cancelled at the server, too', async () => {
      const { client, up } = await world(version, upstream)
      const taskId = await begin(client, 'up__slow')
      await expect.poll(() => client.request('tasks/get', { taskId })).toMatchObject({ statusMessage: 'half of it' })
      await client.request('tasks/cancel', { taskId })
      await expect.poll(() => up.ended).toEqual(['aborted'])
    })

    test('errors of both kinds come through', async () => {
      const { client, up } = await world(version, upstream)
      const [bad, broken] = [await begin(client, 'up__bad'), await begin(client, 'up__broken')]
      up.gate.open()
      expect(await outcomeOf(client, version, bad)).toMatchObject({
        isError: true,
        content: [{ text: 'did not work' }],
      })
      expect(await until(client, broken, 'failed')).toMatchObject({ status: 'failed' })
    })

    test('a tool that may be none at the server is none here, what it says nothing of may be', async () => {
      const { client, up } = await world(version, upstream)
      const { tools } = await client.request('tools/list')
      const support = (tools as Params[]).map(({ execution }) => JSON.stringify(execution))
      expect(new Set(support)).toEqual(new Set(version === ASKS ? ['{"taskSupport":"optional"}'] : [undefined]))
      up.gate.open()
      const result = await client.request('tools/call', { name: 'up__never', task: {} })
      const { taskId } = (result.task ?? {}) as { taskId?: string }
      const ended = taskId === undefined ? result : await outcomeOf(client, version, taskId)
      expect(ended).toMatchObject({ content: [{ text: 'at once' }] })
    })
  })
})

describe.each(['2025-06-18', ASKS, DECIDES])('a client of %s that knows no tasks', version => {
  test.each([ASKS, DECIDES])('uses a tool of a server of %s that runs only as one', async upstream => {
    const { server, up } = await world(ASKS, upstream)
    up.gate.open()
    const asked: Params[] = []
    const answer = ({ params }: { params: Params }): Params => {
      asked.push(params)
      return accept
    }
    const client = connect(server, { version, answer })
    expect(await client.call('up__only')).toBe('as a task')
    expect(await client.call('up__later')).toBe('accept accept accept')
    // It has no tasks, so no question may belong to one.
    expect(asked).toHaveLength(3)
    expect(JSON.stringify(asked)).not.toContain('related-task')
    await expect(client.call('up__bad')).rejects.toThrow('did not work')
  })
})

test.each([ASKS, DECIDES])(
  'a plain tool of a plain server is run as a task by us, for a client of %s',
  async version => {
    const { client, up, asked } = await world(version, '2025-06-18')
    const taskId = await begin(client, 'up__slow')
    up.gate.open()
    expect(await outcomeOf(client, version, taskId)).toMatchObject({ content: [{ text: 'done' }] })
    expect(asked.filter(method => method.startsWith('tasks/'))).toEqual([])
  },
)
