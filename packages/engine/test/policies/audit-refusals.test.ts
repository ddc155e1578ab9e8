import { audit, auditRefusals, observe } from '@causeway/engine/policies'
import type { AuditEntry, RefusalEntry } from '@causeway/engine/policies'
import { fault, prompt, resource, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { createServer } from '@causeway/engine'
import { expect, test } from 'vitest'

const refused = (status: number) => ({
  status,
  path: '/mcp',
  principal: undefined,
  address: '10.0.0.1',
  reason: 'No token',
})

test('refusals are written, many of them as one entry', () => {
  const entries: RefusalEntry[] = []
  const { onRefused, close } = auditRefusals(entry => entries.push(entry), { most: 2 })
  for (let i = 0; i < 5; i++) onRefused(refused(401))
  onRefused(refused(403))
  onRefused(refused(404))
  expect(entries).toHaveLength(2)
  expect(entries[0]).toMatchObject({ status: 401, outcome: 'unauthorized', address: '10.0.0.1', principal: null })
  close()
  expect(entries.slice(2)).toMatchObject([
    { status: 401, times: 3, address: null },
    { status: 403, times: 1, outcome: 'forbidden' },
  ])
})

test('reads and prompts are written as tool calls are, and what was refused of any method', async () => {
  const entries: AuditEntry[] = []
  const server = createServer({ name: 'shop', version: '1', log: false })
    .use(observe([audit(entry => entries.push(entry))]))
    .use((call, next) => {
      if (call.method === 'tools/list') throw fault('rate-limited', 'Too fast')
      return next(call)
    })
    .add(
      tool({ name: 'echo' }, () => 'x'),
      resource({ uri: 'file:///notes', name: 'notes' }, () => 'text'),
      prompt({ name: 'review', arguments: [{ name: 'password' }] }, () => 'text'),
    )
  const client = connect(server)
  await client.request('resources/read', { uri: 'file:///notes' })
  await client.request('prompts/get', { name: 'review', arguments: { password: 'hunter2' } })
  await client.request('tools/list').catch(() => {})
  await client.request('resources/list')
  expect(entries).toMatchObject([
    { method: 'resources/read', resource: 'file:///notes', outcome: 'ok' },
    { method: 'prompts/get', prompt: 'review', arguments: { password: '[redacted]' }, outcome: 'ok' },
    { method: 'tools/list', outcome: 'rate-limited' },
  ])
})
