import { join } from 'node:path'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Params, Result } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import { basics } from '@causeway/packs/basics'
import { cassini } from '@causeway/packs/cassini'
import { threats } from '@causeway/packs/threats'
import { toolkit } from '@causeway/packs/toolkit'
import { workstation } from '@causeway/packs/workstation'
import { beforeAll, expect, test } from 'vitest'
import { planned } from '../cassini/fixture.ts'
import { fill, git, initialise, repository, worker } from '../workstation/place.ts'

/** How the pages of a tool are turned. */
interface Turning {
  readonly args?: Params
  readonly limit: number
  /** The member that has the list; a result without one is lines of text. */
  readonly list?: string
  /** Where the first page begins, if not with 0. */
  readonly first?: number
  /** Lines above the text that are not part of it. */
  readonly head?: number
  /** More than there is. */
  readonly all?: number
}

const code = { args: { project_path: 'src' }, limit: 1 }

/** Every tool that has pages, and a question whose answer takes several. */
const TOOLS: Readonly<Record<string, Turning>> = {
  read_file: { args: { path: 'long.txt' }, limit: 7, first: 1 },
  list_directory: { args: { path: '.' }, limit: 2, list: 'entries' },
  search_files: { args: { content: 'line' }, limit: 9, list: 'matches' },
  git_log: { limit: 1 },
  git_diff: { limit: 3 },
  git_show: { limit: 4 },
  git_blame: { args: { file: 'long.txt' }, limit: 6, first: 1 },
  git_list_tags: { limit: 1 },
  git_conflicts: { args: { repositoryPath: 'split' }, limit: 1, list: 'files' },
  command_output: { args: { id: 'command-1', wait: 10 }, limit: 13, head: 1 },
  outline: { args: { path: 'src/a.ts' }, limit: 1, list: 'definitions' },
  find_symbol: { args: { name: 'one' }, limit: 1, list: 'places' },
  find_references: { args: { name: 'one' }, limit: 1, list: 'references' },
  find_duplicates: { ...code, args: { project_path: 'src', min_tokens: 20 }, list: 'duplicates' },
  find_dead_exports: { ...code, list: 'exports' },
  analyze_dependencies: { ...code, list: 'cycles' },
  analyze_directories: { ...code, list: 'directories' },
  find_hotspots: { ...code, list: 'hotspots' },
  query_observations_by_team: { args: { team: 'ISS', limit: 1 }, limit: 400, list: 'observations', all: 1000 },
  query_observations_by_target: { args: { target: 'Titan' }, limit: 400, list: 'observations', all: 1000 },
  query_observations_by_timerange: {
    args: { start_time: '2005-001', end_time: '2005-300' },
    limit: 400,
    list: 'observations',
    all: 1000,
  },
  search_observations: { args: { query: 'plume' }, limit: 400, list: 'observations', all: 1000 },
}

const body = (name: string): string =>
  `export function ${name}(a: number, b: number): number {\n  let sum = 0\n  for (let i = a; i < b; i++) {\n    if (i % 2 === 0) sum += i * ${name.length}\n    while (sum > 100 && i < 50) { if (a > b) sum -= 10; else if (b > 7) sum -= 3 }\n  }\n  return sum\n}\n`
const same = (i: number): string =>
  `const list${i} = [${Array.from({ length: 12 }, (_, n) => `{ id: ${n * i}, name: 'n${n}${i}' }`).join(', ')}]\n`

/** A repository below the root, in which two files are in conflict. */
function split(root: string): void {
  const top = join(root, 'split')
  const commit = (word: string): void => {
    fill(root, { 'split/a.txt': `${word}\n`, 'split/b.txt': `${word}\n` })
    git(top, 'add', '.')
    git(top, 'commit', '--quiet', '--message', word)
  }
  fill(root, { 'split/c.txt': '' })
  initialise(top)
  commit('first')
  git(top, 'checkout', '--quiet', '-b', 'side')
  commit('theirs')
  git(top, 'checkout', '--quiet', '-')
  commit('ours')
  expect(() => git(top, 'merge', 'side')).toThrow('merge')
}

let client: Client

beforeAll(async () => {
  const root = repository({
    'long.txt': Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join(''),
    'src/a.ts': `import { two } from './b.ts'\n${body('one')}${body('used')}${same(3)}${same(5)}export const x = two\n`,
    'src/b.ts': `import { one } from './a.ts'\n${body('two')}${body('three')}${same(3)}export const y = one\n`,
    'src/deep/c.ts': `import { e } from './d.ts'\n${same(5)}export const d = e\n${body('one')}`,
    'src/deep/d.ts': `import { d } from './c.ts'\nexport const e = d\n${body('four')}`,
  })
  for (const tag of ['v1', 'v2', 'v3']) {
    const ours = `// ${tag}\nimport { one } from './a.ts'\n${body('two')}${same(3)}export const y = one\n`
    const theirs = `// ${tag}\nimport { e } from './d.ts'\n${same(5)}export const d = e\n${body('one')}`
    fill(root, { 'src/b.ts': ours, 'src/deep/c.ts': theirs })
    git(root, 'commit', '--quiet', '--all', '--message', tag)
    git(root, 'tag', tag)
  }
  fill(root, { 'long.txt': 'line changed\n'.repeat(10) })
  split(root)
  const server = createServer({ name: 's', version: '1' })
  server.mount(basics({ version: '1' }))
  server.mount(workstation({ roots: [root], allowCommand: ['*'], worker }))
  server.mount(toolkit({ roots: [root] }))
  server.mount(cassini({ data: await planned() }))
  server.mount(threats())
  client = connect(server, { version: '2025-11-25' })
  await client.call('start_command', { command: 'seq 1 40' })
})

interface Listed {
  readonly name: string
  readonly inputSchema: { readonly properties?: Readonly<Record<string, { readonly type?: string }>> }
}

/** Of each file its beginning: the rest is read with read_file. */
const ONE_PAGE = ['read_files']
const OTHER_NAMES = /^(?:skip|cursor|page|page_size|max_count|max_results|per_page|start|top|first)$/i

test('every tool that returns a part of something takes offset and limit, and is here', async () => {
  const { tools } = (await client.request('tools/list')) as unknown as { tools: readonly Listed[] }
  const paged = tools.filter(({ inputSchema: { properties = {} } }) => 'offset' in properties || 'limit' in properties)
  expect(
    paged
      .map(({ name }) => name)
      .filter(name => !ONE_PAGE.includes(name))
      .toSorted(),
  ).toEqual(Object.keys(TOOLS).toSorted())
  for (const { inputSchema } of paged) expect(inputSchema.properties?.limit?.type).toBe('integer')
  const others = tools.filter(
    ({ inputSchema: { properties = {} } }) =>
      Object.keys(properties).some(name => OTHER_NAMES.test(name)) && !('offset' in properties),
  )
  expect(others.map(({ name }) => name)).toEqual([])
})

interface Page {
  readonly total?: number
  readonly next?: number
}

const pageOf = ({ structuredContent, _meta }: Result): Page => {
  const inMeta = (_meta as Record<string, Page> | undefined)?.['dev.causeway/page']
  return inMeta ?? (structuredContent as Page)
}

function itemsOf({ structuredContent, content }: Result, { list, head = 0 }: Turning): unknown[] {
  if (list !== undefined) return (structuredContent as Record<string, unknown[]>)[list] ?? []
  const { text } = (content as { text: string }[])[0] ?? { text: '' }
  // Without what stands above. White space counts for nothing: a page may end with it, and columns are as wide as a page needs.
  return Array.from(text.split('\n').slice(head).join('').replaceAll(/\s/g, ''))
}

test.each(Object.entries(TOOLS))('%s: its pages are the whole, and the last one says so', async (name, turning) => {
  const { args = {}, limit, first = 0, all } = turning
  const ask = (more: Params): Promise<Result> => client.request('tools/call', { name, arguments: { ...args, ...more } })
  const items: unknown[] = []
  let offset: number | undefined = first
  let pages = 0
  let total: number | undefined
  while (offset !== undefined && items.length < (all ?? Infinity)) {
    const result: Result = await ask({ offset, limit })
    expect(result.isError ?? false).toBe(false)
    items.push(...itemsOf(result, turning))
    const page: Page = pageOf(result)
    total ??= page.total
    expect(page.next ?? Infinity).toBeGreaterThan(offset)
    offset = page.next
    pages += 1
  }
  expect(pages).toBeGreaterThan(1)
  const whole = await ask({ offset: first, limit: all ?? 1000 })
  expect(pageOf(whole).total).toBe(total)
  expect(items.slice(0, all)).toEqual(itemsOf(whole, turning))
})
