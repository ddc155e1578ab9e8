import { createServer, tool } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import { serveTasks } from '@causeway/engine/policies'
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  withTasks,
} from '@modelcontextprotocol/ext-tasks/client'
import type {
  ConnectedMcpSessionPort,
  JsonRpcResponse,
  SerializedTaskReference,
  TaskEnabledSession,
} from '@modelcontextprotocol/ext-tasks/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Gate } from '../../packages/engine/test/tasks/support.ts'

const INFO = { name: 'interop', version: '1.0.0' }
const EXTENSION = 'io.modelcontextprotocol/tasks'
const YES = { type: 'object', properties: { yes: { type: 'boolean' } } } as const

let url: string
let close: () => Promise<void>
let gate: Gate
const ended: string[] = []

beforeAll(async () => {
  const server = createServer({ name: 'long', version: '1', log: () => {} })
  server.use(serveTasks(server, { graceMs: 5, pollMs: 50 })).add(
    tool({ name: 'slow', task: 'optional' }, async (_, ctx) => {
      ctx.progress(1, 'half of it')
      const aborted = new Promise<void>(resolve => {
        ctx.signal.addEventListener('abort', () => resolve(void ended.push('aborted')))
      })
      await Promise.race([gate.opened, aborted])
      return 'done'
    }),
    tool({ name: 'asks', task: 'required' }, async (_, ctx) => {
      ctx.progress(1, 'begun')
      return (await ctx.elicit('sure', { message: 'Sure?', schema: YES })).action
    }),
  )
  const service = await serveHttp(server, { port: 0 })
  url = `${service.url}/mcp`
  close = () => service.close()
})
afterAll(() => close())

async function first(): Promise<ClientV1> {
  const client = new ClientV1(INFO)
  await client.connect(new TransportV1(new URL(url)))
  onTestFinished(() => client.close())
  return client
}

describe('SDK 1.x', () => {
  const params = { name: 'slow', arguments: {}, task: { ttl: 100_000 } }

  test('runs a task to its end, over two connections', async () => {
    gate = new Gate()
    const client = await first()
    const { task } = await client.request({ method: 'tools/call', params }, CreateTaskResultSchema)
    expect(task).toMatchObject({ status: 'working', ttl: 100_000 })
    await client.close()
    const again = await first()
    expect(await again.experimental.tasks.getTask(task.taskId)).toMatchObject({ status: 'working' })
    const result = again.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema)
    gate.open()
    expect(await result).toMatchObject({ content: [{ text: 'done' }] })
    expect(await again.experimental.tasks.getTask(task.taskId)).toMatchObject({ status: 'completed' })
  })

  test('cancels one', async () => {
    gate = new Gate()
    ended.length = 0
    const client = await first()
    const { task } = await client.request({ method: 'tools/call', params }, CreateTaskResultSchema)
    expect(await client.experimental.tasks.cancelTask(task.taskId)).toMatchObject({ status: 'cancelled' })
    await expect.poll(() => ended).toEqual(['aborted'])
  })
})

interface Opened {
  readonly session: TaskEnabledSession
  disconnect(): Promise<void>
}

/** A session of ext-tasks on top of the official client that asks for tasks. */
async function asking(): Promise<Opened> {
  const client = new ClientV2(INFO, { capabilities: { elicitation: { form: {} } } })
  await client.connect(new TransportV2(new URL(url)))
  onTestFinished(() => client.close())
  const session = createTaskSessionFromClient(client, { endpointId: 'long', onInputRequest })
  return { session, disconnect: () => client.close() }
}

const refuse = (): never => {
  throw new Error('not asked for')
}
const onInputRequest = createApplicationInputHandler({
  elicitation: () => ({ action: 'accept', content: { yes: true } }),
  sampling: refuse,
  roots: refuse,
})

/** The same for servers that decide, on requests that describe themselves. */
async function decided(): Promise<Opened> {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions: { [EXTENSION]: {} } },
  }
  let id = 0
  const port: ConnectedMcpSessionPort = {
    endpointId: 'long',
    taskCapabilities: { generation: 'v2', capabilities: {} },
    invalidated: false,
    onServerRequest: () => () => {},
    onNotification: () => () => {},
    onInvalidated: () => () => {},
    async dispatch(request) {
      const { method, params } = request as { method: string; params: Record<string, unknown> }
      const name = params.taskId ?? params.name
      const answer = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(typeof name === 'string' && { 'mcp-name': name }),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: ++id,
          method,
          params: { ...params, _meta: { ...(params._meta as object | undefined), ...envelope } },
        }),
      })
      const { result, error } = (await answer.json()) as { result?: never; error?: never }
      const kind = error === undefined ? { kind: 'result', result } : { kind: 'error', error }
      return kind as unknown as JsonRpcResponse
    },
  }
  return { session: withTasks(port, { onInputRequest }), disconnect: async () => {} }
}

describe.each([
  ['that the client asks for', asking],
  ['that the server decides on', decided],
])('ext-tasks, tasks %s', (_, open) => {
  const options = { task: { preference: 'prefer' } } as const

  test('runs one to its end, over two connections', async () => {
    gate = new Gate()
    const { session, disconnect } = await open()
    const execution = await session.callTool('slow', {}, options)
    let reference: SerializedTaskReference | undefined
    // Its session would cancel the task if it was closed: the connection is gone.
    if (execution.kind === 'task') await execution.handoff(one => void (reference = one))
    await disconnect()
    if (!reference) throw new Error('No task was begun')
    const { session: again } = await open()
    const resumed = await again.resumeTask(reference)
    gate.open()
    const { outcome } = await resumed.settle()
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ text: 'done' }] })
    await again.close()
  })

  test('cancels one', async () => {
    gate = new Gate()
    ended.length = 0
    const { session } = await open()
    const execution = await session.callTool('slow', {}, options)
    await execution.cancel()
    await expect.poll(() => ended).toEqual(['aborted'])
    await session.close()
  })
})

test.each([
  ['the client asked for', asking],
  ['the server decided on', decided],
])('ext-tasks answers what a task asks that %s', async (_, open) => {
  const { session } = await open()
  const execution = await session.callTool('asks', {}, { task: { preference: 'prefer' } })
  const { outcome } = await execution.settle()
  expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ text: 'accept' }] })
  await session.close()
})
