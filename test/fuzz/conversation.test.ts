import { expect, test } from 'vitest'
import { Conversation } from './conversation.ts'
import { Random } from './random.ts'

const talk = (): Conversation => {
  const conversation = new Conversation('test', '2025-11-25', 'mk-00000001')
  conversation.expect(1, 'ping')
  conversation.expect(2, 'tools/list', { optional: true })
  return conversation
}

const answer = (id: unknown, result: object): string => JSON.stringify({ jsonrpc: '2.0', id, result })

test('an answer that is owed and comes once is no finding', async () => {
  const conversation = talk()
  conversation.receive(answer(1, {}))
  expect(conversation.problems).toEqual([])
  expect(await conversation.finished(1)).toEqual([])
})

test.each([
  ['twice', [answer(1, {}), answer(1, {})], 'answered twice'],
  ['to nothing', [answer(7, {})], 'nothing that was asked'],
  ['against the schema', [answer(2, { tools: 1 })], 'ListToolsResult'],
  ['with something of another session', [answer(1, { _meta: { x: 'mk-0000beef' } })], "another conversation's"],
  ['not JSON', ['Hello'], 'not JSON'],
  ['not JSON-RPC', ['{"id":1}'], 'not a JSON-RPC message'],
  ['a method no server may send', ['{"jsonrpc":"2.0","method":"tools/list"}'], 'nothing a server may send'],
])('an answer %s is a finding', (_, texts, finding) => {
  const conversation = talk()
  for (const text of texts) conversation.receive(text)
  expect(conversation.problems.join('\n')).toContain(finding)
})

test('a request that was never answered is named, unless it was cancelled', async () => {
  const conversation = talk()
  expect(await conversation.finished(1)).toEqual([1])
  conversation.excuse(1)
  expect(await conversation.finished(1)).toEqual([])
})

test('an id that damage made another one may be answered for either request', async () => {
  const conversation = talk()
  conversation.damage('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 12)
  conversation.receive(answer(1, { tools: [] }))
  conversation.receive(answer(1, {}))
  expect(conversation.problems).toEqual([])
  const whole = talk()
  whole.damage('{"jsonrpc":"2.0","id":1,"method":"ping","params":', 1)
  expect(await whole.finished(1)).toEqual([1])
})

test('a seed decides every number', () => {
  const numbers = (seed: number): number[] => {
    const random = new Random(seed)
    return Array.from({ length: 20 }, () => random.below(1000))
  }
  expect(numbers(3)).toEqual(numbers(3))
  expect(numbers(3)).not.toEqual(numbers(4))
})
