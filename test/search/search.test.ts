import { beforeAll, describe, expect, test } from 'vitest'
import type { Pack } from '@causeway/engine'
import type { Searchable } from '../../packages/engine/src/search/segment.ts'
import { ToolIndex } from '../../packages/engine/src/search/tool-index.ts'
import { stem, tokens } from '../../packages/engine/src/search/tokens.ts'
import { ownPacks, publicServers, recall, tasks } from './evaluation.ts'

const toolsOf = ({ features }: Pack): Searchable[] =>
  features.flatMap(feature => (feature.kind === 'tool' ? [{ ...feature, inputSchema: feature.input }] : []))

const index = new ToolIndex()

beforeAll(() => {
  for (const [name, tools] of publicServers()) index.set(name, tools)
  for (const pack of ownPacks()) index.set(pack.name, toolsOf(pack))
})

describe('ranking', () => {
  test('over our tools and those of public servers, what a user means is among the first five', () => {
    const all = [...tasks('tuning'), ...tasks('held out')]
    expect(publicServers().size).toBeGreaterThanOrEqual(5)
    expect(all.length).toBeGreaterThanOrEqual(100)
    const { share, missed } = recall(index, all, 5)
    expect(share, missed.join('\n')).toBeGreaterThanOrEqual(0.95)
  })

  test('a name is found by itself, best first', () => {
    expect(index.search('git_log', 3)[0]?.tool.name).toBe('git_log')
    expect(index.search('slackPostMessage', 3)[0]?.tool.name).toBe('slack_post_message')
  })

  test('what is about nothing here finds nothing', () => {
    expect(index.search('zymurgy quokka', 5)).toEqual([])
    expect(index.search('', 5)).toEqual([])
  })
})

describe('segments', () => {
  test('a source that changes is searched as it is now, and one that is gone not at all', () => {
    const small = new ToolIndex()
    small.set('a', [{ name: 'paint_wall' }])
    small.set('b', [{ name: 'paint_door' }])
    expect(small.search('paint', 5).map(({ source }) => source)).toEqual(['a', 'b'])
    small.set('a', [{ name: 'mow_lawn' }])
    expect(small.search('paint', 5).map(({ tool }) => tool.name)).toEqual(['paint_door'])
    small.delete('b')
    expect(small.search('paint', 5)).toEqual([])
    expect(small.size).toBe(1)
  })

  test('no more than the limit, sorted by score', () => {
    const found = index.search('list', 7)
    expect(found).toHaveLength(7)
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a))
  })
})

test('words are split at case and punctuation, and lose their endings', () => {
  expect(tokens('searchFiles in HTTPServer-logs')).toEqual(['search', 'file', 'http', 'serv', 'log'])
  expect(['files', 'running', 'copies', 'branches', 'status'].map(stem)).toEqual([
    'file',
    'run',
    'copy',
    'branch',
    'status',
  ])
})
