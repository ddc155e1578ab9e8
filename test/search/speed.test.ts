import { expect, test } from 'vitest'
import { rank } from '../../packages/engine/src/search/rank.ts'
import { Segment } from '../../packages/engine/src/search/segment.ts'
import { QUERIES, manyTools } from './many-tools.js'

// The bounds are generous, since machines that run tests do other things too; `node bench/tool-search.js` has the figures.
test('ten thousand tools are indexed and searched in no time', () => {
  const sources = manyTools(10_000, 100)
  const began = performance.now()
  const segments = sources.map(({ name, tools }) => ({ source: name, segment: new Segment(tools) }))
  expect(performance.now() - began).toBeLessThan(2000)
  const times: number[] = []
  for (let i = 0; i < 300; i++) {
    const start = performance.now()
    const found = rank(segments, QUERIES[i % QUERIES.length] ?? '', 8)
    times.push(performance.now() - start)
    expect(found).toHaveLength(8)
  }
  const [, p90 = 0] = [times.toSorted((a, b) => a - b)[0], times.toSorted((a, b) => a - b)[270]]
  expect(p90).toBeLessThan(20)
})
