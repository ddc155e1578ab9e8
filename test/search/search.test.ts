import { beforeAll, describe, expect, test } from 'vitest'
import { rank } from '../../packages/engine/src/search/rank.ts'
import type { NamedSegment } from '../../packages/engine/src/search/rank.ts'
import { Segment } from '../../packages/engine/src/search/segment.ts'
import type { Searchable } from '../../packages/engine/src/search/segment.ts'
import { stem, tokens } from '../../packages/engine/src/search/tokens.ts'
import { ownPacks, publicServers, recall, tasks, toolsOf } from './evaluation.ts'

const indexed = (source: string, tools: readonly Searchable[]): NamedSegment => ({
  source,
  segment: new Segment(tools),
})

const index: NamedSegment[] = []

beforeAll(() => {
  for (const [name, tools] of publicServers()) index.push(indexed(name, tools))
  for (const pack of ownPacks()) index.push(indexed(pack.name, toolsOf(pack)))
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
    expect(rank(index, 'git_log', 3)[0]?.tool.name).toBe('git_log')
    expect(rank(index, 'slackPostMessage', 3)[0]?.tool.name).toBe('slack_post_message')
  })

  test('what is about nothing here finds nothing', () => {
    expect(rank(index, 'zymurgy quokka', 5)).toEqual([])
    expect(rank(index, '', 5)).toEqual([])
  })
})

describe('what strangers ask of our own tools', () => {
  const own = (): NamedSegment[] => ownPacks().map(pack => indexed(pack.name, toolsOf(pack)))
  const fits = (query: string): boolean =>
    rank(own(), query, 8)
      .slice(0, 3)
      .some(({ fit }) => fit >= 0.6)

  // Of 59 queries that a tool answers; see docs/context.md for what was measured.
  test.each(['tuning', 'held out'] as const)(
    '%s: among the first five, mostly first, and nothing where nothing fits',
    part => {
      const all = tasks(part, 'strangers.txt')
      const answered = all.filter(({ wanted }) => !wanted.includes('nothing'))
      const index = own()
      for (const [limit, least] of [
        [5, 0.95],
        [1, 0.8],
      ] as const) {
        const { share, missed } = recall(index, answered, limit)
        expect(share, missed.join('\n')).toBeGreaterThanOrEqual(least)
      }
      for (const { query } of all.filter(one => !answered.includes(one))) expect(fits(query), query).toBe(false)
    },
  )

  test('packs that the work has nothing to do with do not crowd the answer', () => {
    const work = new Set(['toolkit', 'workstation'])
    for (const query of [
      'which files get touched most often',
      'who calls parseConfig',
      'discard my local changes to a file',
    ])
      expect(rank(own(), query, 8).filter(({ source }) => !work.has(source))).toEqual([])
  })

  test('names of files and quoted texts are what is worked on, not what is done', () => {
    const names = (query: string): string[] => rank(own(), query, 5).map(({ tool }) => tool.name)
    expect(names('open src/git_log.ts')).not.toContain('git_log')
    expect(names('where is "create branch" mentioned')[0]).toBe('search_files')
  })
})

describe('segments', () => {
  test('each tool is found with its source, among all that are searched', () => {
    const both = [indexed('a', [{ name: 'paint_wall' }]), indexed('b', [{ name: 'paint_door' }])]
    expect(rank(both, 'paint', 5).map(({ source }) => source)).toEqual(['a', 'b'])
    expect(rank(both.slice(1), 'paint', 5).map(({ tool }) => tool.name)).toEqual(['paint_door'])
    expect(rank([], 'paint', 5)).toEqual([])
  })

  test('no more than the limit, sorted by score', () => {
    const found = rank(index, 'list', 7)
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
