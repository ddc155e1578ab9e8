import { expect, test } from 'vitest'
import { wellFormed } from '../../src/methods/completing.ts'

test.each([
  [{}, { values: [] }],
  [{ completion: null }, { values: [] }],
  [{ completion: { values: 'ab' } }, { values: [] }],
  [{ completion: { values: [5, null, {}, 'a', 'x'.repeat(20_000)], total: 'x', hasMore: 'y' } }, { values: ['a'] }],
  [{ completion: { values: ['a'], total: 7, hasMore: true } }, { values: ['a'], total: 7, hasMore: true }],
  [{ completion: { values: Array(5000).fill('a') } }, { values: Array(100).fill('a'), hasMore: true }],
])('what a server elsewhere proposes is made of texts, and bounded: %#', (result, completion) => {
  expect(wellFormed(result as never)).toEqual({ completion })
})
