import { connect, createServer } from '@causeway/engine'
import { threats } from '@causeway/packs/threats'
import { expect, test } from 'vitest'
import { cases, unseen } from './evaluation.ts'
import type { Case } from './evaluation.ts'

interface Answer {
  readonly patterns?: readonly { readonly id: string }[]
}

interface Verdict {
  readonly context: string
  readonly got: readonly string[]
  /** One by the rank of the first pattern that was expected. */
  readonly reciprocal: number
  /** How many of those that were expected are there. */
  readonly recall: number
}

const client = connect(createServer({ name: 'test', version: '1.0.0' }).mount(threats()))

async function judge({ expected, ...query }: Case): Promise<Verdict> {
  const { patterns = [] } = (await client.call('tmkb_query', query)) as Answer
  const got = patterns.map(({ id }) => id.slice(-3))
  const first = got.findIndex(id => expected.includes(id))
  const found = expected.filter(id => got.includes(id)).length
  return { context: query.context, got, reciprocal: first < 0 ? 0 : 1 / (first + 1), recall: found / expected.length }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

async function measure(name: string, set: readonly Case[]): Promise<{ mrr: number; recall: number }> {
  const verdicts = await Promise.all(set.map(judge))
  const mrr = mean(verdicts.map(({ reciprocal }) => reciprocal))
  const recall = mean(verdicts.map(verdict => verdict.recall))
  console.log(`${name}: ${set.length} contexts, MRR ${mrr.toFixed(3)}, recall@3 ${recall.toFixed(3)}`)
  for (const { context, got } of verdicts.filter(({ reciprocal }) => reciprocal < 0.5)) {
    console.log(`  missed: ${context} (${got.join(', ') || 'nothing'})`)
  }
  return { mrr, recall }
}

test('the patterns that matter come first', async () => {
  const all = [...cases, ...unseen]
  expect(all.length).toBeGreaterThanOrEqual(60)
  const { mrr, recall } = await measure('threat queries', all)
  expect(mrr).toBeGreaterThanOrEqual(0.9)
  expect(recall).toBeGreaterThanOrEqual(0.9)
})

test('they do for contexts that nothing was fitted to', async () => {
  const { mrr, recall } = await measure('unseen threat queries', unseen)
  expect(mrr).toBeGreaterThanOrEqual(0.85)
  expect(recall).toBeGreaterThanOrEqual(0.85)
})

test('every pattern is expected by some context', () => {
  const expected = new Set([...cases, ...unseen].flatMap(({ expected }) => expected))
  const numbers = Array.from({ length: 43 }, (_, at) => String(at + 1).padStart(3, '0'))
  expect(numbers.filter(number => !expected.has(number))).toEqual([])
})
