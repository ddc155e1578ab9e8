import { createServer, tool } from '@causeway/engine'
import type { Call, ListingOptions } from '@causeway/engine'
import { expect, test } from 'vitest'
import { readyTool } from '../../src/methods/tools.ts'
import type { ToolEntry } from '../../src/catalog/shelf.ts'
import { ToolListing } from '../../src/listing/tool-listing.ts'

const ready = (name: string): ToolEntry =>
  readyTool(
    tool({ name, description: 'One of many.' }, () => ''),
    { repair: true },
  )
const entries = (): ToolEntry[] => ['find_tools', 'describe_tool', 'call_tool', 't1', 't2', 't3'].map(ready)
const call = { meta: {}, caller: {}, link: {} } as unknown as Call

test.each<ListingOptions>([
  {},
  { search: 'on', pinned: ['t1'] },
  { threshold: 10 },
  { search: 'off', outputSchemas: false },
])('a list is chosen once per state of the catalog: %j', options => {
  let takenOver = 0
  const listing = new ToolListing(options, () => (takenOver += 1))
  const served = entries()
  const first = listing.choose(served, call)
  for (let i = 0; i < 3; i++) expect(listing.choose(served, call)).toBe(first)
  expect(takenOver).toBe(options.threshold === undefined ? 0 : 1)
  expect(listing.choose([...served], call)).not.toBe(first)
})

test('nothing of search is there before it is chosen', async () => {
  const plain = createServer({ name: 's', version: '1', log: false })
  expect(await plain.listed('tool')).toEqual([])
  const searching = createServer({ name: 's', version: '1', log: false, listing: {} })
  expect((await searching.listed('tool')).map(({ name }) => name)).toEqual(['find_tools', 'describe_tool', 'call_tool'])
})
