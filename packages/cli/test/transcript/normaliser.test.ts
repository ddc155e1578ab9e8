import type { Message } from '@causeway/engine'
import { expect, test } from 'vitest'
import { Normaliser, SOME_TIME } from '../../src/transcript/normaliser.ts'

const one = (normaliser: Normaliser, from: 'client' | 'server', message: object): unknown =>
  normaliser.entry({ from, message: { jsonrpc: '2.0', ...message } as Message }).message

test('requests are numbered in their order, and what refers to them follows', () => {
  const normaliser = new Normaliser()
  const params = { _meta: { progressToken: 'abc' } }
  expect(one(normaliser, 'client', { id: 'x7', method: 'tools/call', params })).toMatchObject({
    id: 1,
    params: { _meta: { progressToken: 'p1' } },
  })
  expect(one(normaliser, 'client', { id: 99, method: 'ping' })).toMatchObject({ id: 2 })
  expect(one(normaliser, 'server', { id: 'q', method: 'roots/list' })).toMatchObject({ id: 's1' })
  expect(one(normaliser, 'client', { id: 'q', result: {} })).toMatchObject({ id: 's1' })
  expect(
    one(normaliser, 'server', { method: 'notifications/progress', params: { progressToken: 'abc', progress: 1 } }),
  ).toMatchObject({ params: { progressToken: 'p1', progress: 1 } })
  expect(one(normaliser, 'server', { id: 'x7', result: {} })).toMatchObject({ id: 1 })
  expect(one(normaliser, 'client', { method: 'notifications/cancelled', params: { requestId: 99 } })).toMatchObject({
    params: { requestId: 2 },
  })
})

test('what a server makes up is the same in every recording; what a client says is not changed', () => {
  const [uuid, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const normaliser = new Normaliser()
  const time = '2026-11-19T02:03:04.5Z'
  one(normaliser, 'client', { id: 5, method: 'x', params: { time, other } })
  const said = one(normaliser, 'server', { id: 5, result: { at: `now ${time}`, id: uuid, again: uuid } }) as {
    result: Record<string, string>
  }
  expect(said.result.at).toBe(`now ${SOME_TIME}`)
  expect(said.result.id).toBe('00000000-0000-4000-8000-000000000001')
  expect(said.result.again).toBe(said.result.id)
  expect(one(normaliser, 'client', { id: 6, method: 'y', params: { uuid, other, time } })).toMatchObject({
    params: { uuid: said.result.id, other, time },
  })
})

test('secrets are masked on both sides', () => {
  const normaliser = new Normaliser()
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const text = JSON.stringify([
    one(normaliser, 'client', { id: 1, method: 'x', params: { password: 'hunter2', header: `Bearer ${token}` } }),
    one(normaliser, 'server', { id: 1, result: { content: [{ text: `the token is ${token}` }], apiKey: 'k-123' } }),
  ])
  for (const secret of ['hunter2', token, 'k-123']) expect(text).not.toContain(secret)
})
