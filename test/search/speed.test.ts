import { expect, test } from 'vitest'
import { rank } from '../../packages/engine/src/search/rank.ts'
import { Segment } from '../../packages/engine/src/search/segment.ts'
import { QUERIES, manyTools } from './many-tools.js'

// Of the processor, since machines that run tests do other things too; `node bench/tool-search.js` has the figures.
test('ten thousand tools are indexed and searched in no time', () => {
  const sources = manyTools(10_000, 100)
  const began = process.cpuUsage()
  const segments = sources.map(({ name, tools }) => ({ source: name, segment: new Segment(tools) }))
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(3000)
  const start = process.cpuUsage()
  for (let i = 0; i < 300; i++) expect(rank(segments, QUERIES[i % QUERIES.length] ?? '', 8)).toHaveLength(8)
  expect(process.cpuUsage(start).user / 1000 / 300).toBeLessThan(20)
})
