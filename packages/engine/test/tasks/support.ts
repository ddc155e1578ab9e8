import { TASKS_EXTENSION, createServer, fault, tool } from '@causeway/engine'
import { serveTasks } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Params, Server } from '@causeway/engine'
import type { TaskOptions } from '@causeway/engine/policies'
import type { Client, ClientOptions } from '@causeway/engine/testing'
import { expect } from 'vitest'

/** Clients that ask for tasks. */
export const ASKS = '2025-11-25'
/** Clients whose server decides. */
export const DECIDES = '2026-07-28'
export const DECLARED: Params = { elicitation: {}, extensions: { [TASKS_EXTENSION]: {} } }

/** A gate that a handler waits at until a test opens it. */
export class Gate {
  readonly opened: Promise<void>
  open!: () => void

  constructor() {
    this.opened = new Promise(resolve => (this.open = resolve))
  }
}

const YES = { type: 'object', properties: { yes: { type: 'boolean' } } } as const

/** A server with a tool of each kind; those that work wait at the gate. */
export function taskServer(options: TaskOptions = {}): {
  server: Server
  gate: Gate
  begun: string[]
  ended: string[]
} {
  const gate = new Gate()
  const begun: string[] = []
  const ended: string[] = []
  const server = createServer({ name: 's', version: '1', log: () => {} })
  server.use(serveTasks(server, { graceMs: 5, ...options }))
  const waitHere = async (signal: AbortSignal): Promise<void> => {
    begun.push('begun')
    const aborted = new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => {
        ended.push('aborted')
        reject(signal.reason as Error)
      })
    })
    await Promise.race([gate.opened, aborted])
  }
  server.add(
    tool({ name: 'never' }, () => 'at once'),
    tool({ name: 'quick', task: 'optional' }, () => 'at once'),
    tool({ name: 'slow', task: 'optional' }, async (_, ctx) => {
      ctx.progress(1, 'half of it')
      await waitHere(ctx.signal)
      return 'done'
    }),
    tool({ name: 'only', task: 'required' }, () => 'as a task'),
    tool({ name: 'bad', task: 'required' }, async () => {
      await gate.opened
      throw new Error('did not work')
    }),
    tool({ name: 'broken', task: 'optional' }, async () => {
      await gate.opened
      throw fault('invalid-params', 'not like that')
    }),
    tool({ name: 'first', task: 'required' }, async (_, ctx) => {
      const { action } = await ctx.elicit('sure', { message: 'Sure?', schema: YES })
      ctx.progress(1, 'asked')
      return action
    }),
    tool({ name: 'later', task: 'required' }, async (_, ctx) => {
      ctx.progress(1, 'begun')
      const ask = (message: string) => ({
        method: 'elicitation/create',
        params: { mode: 'form', message, requestedSchema: YES },
      })
      const both = await ctx.ask({ one: ask('One?'), two: ask('Two?') })
      const three = await ctx.elicit('three', { message: 'Three?', schema: YES })
      return `${String(both.one?.action)} ${String(both.two?.action)} ${three.action}`
    }),
  )
  return { server, gate, begun, ended }
}

/** A client of one kind or the other. */
export const clientOf = (server: Server, version: string, options: ClientOptions = {}): Client =>
  connect(server, { version, ...(version === DECIDES && { capabilities: DECLARED }), ...options })

/** Begin a task, and give its id. */
export async function begin(client: Client, name: string, task: Params = {}): Promise<string> {
  const result = await client.request('tools/call', { name, arguments: {}, task })
  const id = (result.task as Params | undefined)?.taskId ?? result.taskId
  expect(id).toBeTypeOf('string')
  return String(id)
}

/** A task as soon as it stands like that. */
export async function until(client: Client, taskId: string, status: string): Promise<Params> {
  await expect.poll(async () => (await client.request('tasks/get', { taskId })).status).toBe(status)
  return client.request('tasks/get', { taskId })
}
