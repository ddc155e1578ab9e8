import { createServer } from '@causeway/engine'
import { serveTasks } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Params } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import { workstation } from '@causeway/packs/workstation'
import { expect, test } from 'vitest'
import { folder } from '../place.ts'
import { running, until } from '../processes.ts'

const version = '2025-11-25'

function client(): Client {
  const server = createServer({ name: 's', version: '1', log: () => {} })
  server.use(serveTasks(server)).mount(workstation({ roots: [folder()], allowCommand: ['sh *'] }))
  return connect(server, { version })
}

async function begin(on: Client, command: string): Promise<string> {
  const call = { name: 'start_command', arguments: { command }, task: {} }
  const { task } = await on.request('tools/call', call)
  return (task as { taskId: string }).taskId
}

test('a command that a client asks for as a task is over when the task is', async () => {
  const on = client()
  const taskId = await begin(on, 'sh -c "echo out; exit 3"')
  const { content } = await on.request('tasks/result', { taskId })
  expect((content as Params[])[0]?.text).toMatch(/ended with exit code 3[^]*out$/)
})

test('and ends with the task that is cancelled', async () => {
  const on = client()
  const mark = `mark-${crypto.randomUUID()}`
  const taskId = await begin(on, `sh -c "sleep 1000; echo ${mark}"`)
  await until(() => running(mark).length > 0)
  expect(await on.request('tasks/cancel', { taskId })).toMatchObject({ status: 'cancelled' })
  await until(() => running(mark).length === 0)
})
