import { createServer, estimateTokens, tool } from '@causeway/engine'
import { resultBudget, resultLimit } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Result } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import { expect, test } from 'vitest'

const TOKENS = 2000
const BYTES = 10 * 1024 * 1024

function clientOf(run: () => unknown): Client {
  const { policy, source } = resultBudget({ tokens: TOKENS })
  const server = createServer({ name: 's', version: '1', log: false }).use(policy, resultLimit(BYTES)).add(source)
  return connect(server.add(tool({ name: 'many' }, run as () => Result)))
}

const called = (run: () => unknown): Promise<Result> => clientOf(run).request('tools/call', { name: 'many' })
const textOf = ({ content }: Result): string => (content as { text?: string }[]).map(({ text = '' }) => text).join('\n')
const block = (i: number): object => ({ type: 'text', text: `block ${i} with a few words in it` })

test('many blocks become one excerpt with one note', async () => {
  const result = await called(() => ({ content: Array.from({ length: 9000 }, (_, i) => block(i)) }))
  expect((result.content as unknown[]).length).toBeLessThan(10)
  expect(textOf(result)).toContain('block 0 with')
  expect(textOf(result).match(/An excerpt/g)).toHaveLength(1)
  expect(estimateTokens(textOf(result))).toBeLessThan(TOKENS * 1.2)
})

test('a few blocks keep their places', async () => {
  const long = (i: number): object => ({ type: 'text', text: `begin ${i} ${'word '.repeat(2000)}` })
  const { content } = await called(() => ({ content: [long(1), long(2)] }))
  expect((content as { text?: string }[])[1]?.text).toMatch(/^begin 2 /)
})

test('more blocks than can be looked at are refused', async () => {
  const { isError, ...rest } = await called(() => ({ content: Array.from({ length: 10_001 }, (_, i) => block(i)) }))
  expect(isError).toBe(true)
  expect(JSON.stringify(rest)).toContain('more than 10000 content blocks')
})

test('more values than can be looked at are refused', async () => {
  const wide = Object.fromEntries(Array.from({ length: 260_000 }, (_, i) => [`k${i}`, i]))
  const { isError, ...rest } = await called(() => wide)
  expect(isError).toBe(true)
  expect(JSON.stringify(rest)).toContain('more than 250000 values')
})

test('an object with very many members is cut to fit', async () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`key ${i}`, i]))
  const { structuredContent, _meta } = await called(() => wide)
  expect(estimateTokens(JSON.stringify(structuredContent))).toBeLessThan(TOKENS * 1.2)
  expect(Object.keys(structuredContent as object).length).toBeGreaterThan(10)
  expect(_meta).toMatchObject({ 'dev.causeway/excerpt': [{ cuts: [{ at: '', total: 50_000 }] }] })
})
