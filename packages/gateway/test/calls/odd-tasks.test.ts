import { TASKS_EXTENSION, createServer } from '@causeway/engine'
import { serveTasks } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Params, Server } from '@causeway/engine'
import { Gateway } from '@causeway/gateway'
import { describe, expect, test } from 'vitest'
import { DECIDES, begin, clientOf, until } from '../../../engine/test/tasks/support.ts'
import { scripted } from '../support/scripted.ts'
import { configsOf, later } from '../support/world.ts'

const ASK = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'x', requestedSchema: { type: 'object' } },
}

/** A gateway in front of a server that answers calls with that, and says that of its task each time it is asked. */
async function behind(created: Params, stands: readonly Params[] = []): Promise<{ server: Server; logged: string[] }> {
  let asked = 0
  const { reach } = scripted({
    capabilities: { tools: {}, extensions: { [TASKS_EXTENSION]: {} } },
    result: method => {
      if (method === 'tools/list') return { tools: [{ name: 'odd', inputSchema: { type: 'object' } }] }
      if (method === 'tools/call') return created
      if (method === 'tasks/get')
        return { taskId: 'theirs', pollIntervalMs: 1, ...stands[Math.min(asked++, stands.length - 1)] }
      return {}
    },
  })
  const logged: string[] = []
  const server = createServer({
    name: 'gateway',
    version: '1',
    log: (level, message) => void logged.push(`${level} ${message}`),
  })
  server.use(serveTasks(server, { graceMs: 5 }))
  const gateway = new Gateway(server, { runsTasks: true, reach })
  later(() => gateway.close())
  await gateway.apply(configsOf({ up: { command: 'none', revision: DECIDES } }))
  await gateway.servers.get('up')?.refresh()
  return { server, logged }
}

const TASK = { resultType: 'task', taskId: 'theirs', status: 'working', ttlMs: 1000, pollIntervalMs: 1 }

test.each([
  ['without an id', { ...TASK, taskId: undefined }],
  ['with an id that is no text', { ...TASK, taskId: 7 }],
])('a task %s is none, and does not reach the client', async (_, created) => {
  const { server } = await behind(created)
  for (const client of [clientOf(server, DECIDES), connect(server, { version: '2025-06-18' })])
    await expect(client.call('up__odd')).rejects.toThrow("The server 'up' returned a task that cannot be followed")
})

describe('a task that its server tells odd things of ends, in words', () => {
  test.each<[string, Params, string]>([
    ['a status that is none', { status: 'quantum' }, `says of the task that it is "quantum", which is no status`],
    ['no status', {}, 'says of the task that it is nothing'],
    ['no result', { status: 'completed', result: null }, 'completed the task without a result'],
    [
      'a question that is none',
      { status: 'input_required', inputRequests: { a: 7 } },
      'asks a question without a method',
    ],
    [
      'a question for another kind of thing',
      { status: 'input_required', inputRequests: { a: { method: 'tools/call', params: {} } } },
      `asks for 'tools/call', which no client can answer`,
    ],
    ['questions that are a list', { status: 'input_required', inputRequests: [ASK] }, 'asks, but not by an object'],
  ])('%s', async (_, stands, words) => {
    const { server, logged } = await behind(TASK, [stands])
    await expect(clientOf(server, DECIDES, { capabilities: { elicitation: {} } }).call('up__odd')).rejects.toThrow(
      words,
    )
    expect(logged.filter(line => line.startsWith('error'))).toEqual([])
  })

  test('a call that is no task, and asks for what no client can answer', async () => {
    const { server, logged } = await behind({
      resultType: 'input_required',
      inputRequests: { a: { method: 'tools/call' } },
    })
    await expect(connect(server, { version: '2025-06-18' }).call('up__odd')).rejects.toThrow("asks for 'tools/call'")
    expect(logged.filter(line => line.startsWith('error'))).toEqual([])
  })
})

test('a task that asks nothing yet is asked again', async () => {
  const nothing = { status: 'input_required', inputRequests: {} }
  const done = { status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } }
  const { server } = await behind(TASK, [{ status: 'working' }, nothing, { status: 'input_required' }, done])
  const client = clientOf(server, DECIDES)
  const taskId = await begin(client, 'up__odd')
  expect(await until(client, taskId, 'completed')).toMatchObject({ result: done.result })
})
