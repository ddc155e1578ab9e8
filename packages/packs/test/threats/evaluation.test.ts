import { expect, test } from 'vitest'
import { cases, unseen } from './evaluation.ts'
import { heldOut, heldOutUnrelated } from './held-out.ts'
import { measure, measureUnrelated } from './measure.ts'
import { phrased, unrelated } from './tuning.ts'

test('contexts that nothing was fitted to find their pattern among the three', async () => {
  const { contexts, top3, missed } = await measure(heldOut)
  expect(contexts).toBeGreaterThanOrEqual(100)
  expect(top3, missed.join('\n')).toBeGreaterThanOrEqual(0.95)
})

test('work that has no such threat is matched nothing', async () => {
  const { contexts, silent, matched } = await measureUnrelated(heldOutUnrelated)
  expect(contexts).toBeGreaterThanOrEqual(50)
  expect(silent, matched.join('\n')).toBeGreaterThanOrEqual(0.95)
})

test('the sets that the ranking was tuned with do not get worse', async () => {
  const { top3, first, missed } = await measure([...cases, ...unseen, ...phrased])
  expect(top3, missed.join('\n')).toBeGreaterThanOrEqual(0.98)
  expect(first).toBeGreaterThanOrEqual(0.95)
  const { silent, matched } = await measureUnrelated(unrelated)
  expect(silent, matched.join('\n')).toBeGreaterThanOrEqual(0.95)
})

test('nothing is both held out and tuned with', () => {
  const tuned = new Set([...cases, ...unseen, ...phrased].map(({ context }) => context.toLowerCase()))
  expect(heldOut.filter(({ context }) => tuned.has(context.toLowerCase()))).toEqual([])
  const harmless = new Set(unrelated.map(context => context.toLowerCase()))
  expect(heldOutUnrelated.filter(context => harmless.has(context.toLowerCase()))).toEqual([])
})

test.each([
  ['every set', [...cases, ...unseen, ...phrased, ...heldOut]],
  ['the held-out one', heldOut],
])('every pattern is expected by some context of %s', (_, set) => {
  const expected = new Set(set.flatMap(one => one.expected))
  const numbers = Array.from({ length: 43 }, (_unused, at) => String(at + 1).padStart(3, '0'))
  expect(numbers.filter(number => !expected.has(number))).toEqual([])
})
