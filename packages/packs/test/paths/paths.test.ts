import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Client } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'
import { createEdits, workstation } from '@causeway/packs/workstation'
import { expect, onTestFinished, test } from 'vitest'
import { call, folder, repository, textOf, write } from '../toolkit/world.ts'

const IF = 'if (a) { if (b) { if (c) { if (d) { return 1 } } } }'
const COPY = Array.from({ length: 14 }, (_, i) => `  const v${i} = a + ${i}`).join('\n')
const FILES = {
  'app/src/a.ts': `import { used } from './b'\nexport function lonely(a, b, c, d) { ${IF}; return used() }\nexport function first(a) {\n${COPY}\n}\n`,
  'app/src/b.ts': `import { lonely } from './a'\nexport function used() {}\nexport function second(a) {\n${COPY}\n}\n`,
}

function open(roots: readonly string[]): Client {
  const edits = createEdits()
  const server = createServer({ name: 'paths', version: '1' })
  server.mount(toolkit({ roots, edits }))
  server.mount(workstation({ roots, edits, plainArguments: true }))
  const to = connect(server)
  onTestFinished(() => to.close())
  return to
}

/** Every path of a file in an answer, wherever it stands. */
function pathsIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') {
    const isPath = /^(?:path|file|node|uses|used_by|nodes)$/.test(key) && value.endsWith('.ts')
    return isPath ? [value] : []
  }
  if (Array.isArray(value)) return value.flatMap(one => pathsIn(one, key))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => pathsIn(one, name))
}

const TOOLS: readonly (readonly [name: string, args: Record<string, unknown>])[] = [
  ['outline', { path: 'app/src' }],
  ['find_symbol', { name: 'used', path: 'app/src' }],
  ['find_references', { name: 'used', path: 'app/src' }],
  ['call_hierarchy', { name: 'used', path: 'app' }],
  ['read_symbol', { name: 'used', path: 'app/src' }],
  ['rename_symbol', { name: 'used', path: 'app/src', new_name: 'taken', dry_run: true }],
  ['analyze_complexity', { path: 'app/src', format: 'full' }],
  ['analyze_code_churn', { path: 'app/src', format: 'json' }],
  ['find_hotspots', { path: 'app/src' }],
  ['find_duplicates', { path: 'app', min_tokens: 40 }],
  ['find_dead_exports', { path: 'app' }],
  ['analyze_dependencies', { path: 'app/src' }],
  ['search_files', { path: 'app', content: 'used' }],
]

test.each(TOOLS)('%s gives paths that read_file takes', async (name, args) => {
  const { root, commit } = repository()
  commit(FILES)
  const to = open([root])
  const { structuredContent, isError, content } = await call(to, name, args)
  expect(isError, JSON.stringify(content)).toBeUndefined()
  const paths = new Set(pathsIn(structuredContent))
  expect([...paths].filter(path => path.startsWith('app/src/'))).not.toEqual([])
  for (const path of paths) expect(textOf(await call(to, 'read_file', { path }))).toContain('export function')
})

test('a path in another root is whole, and means that root', async () => {
  const [one, two] = [
    write(folder(), { 'src/i.ts': 'export const inA = 1\n' }),
    write(folder(), { 'src/i.ts': 'export const inB = 1\n' }),
  ]
  const to = open([one, two])
  const { structuredContent } = await call(to, 'find_symbol', { name: 'inB', path: two })
  const [path] = pathsIn(structuredContent)
  expect(path).toBe(join(two, 'src/i.ts'))
  expect(textOf(await call(to, 'read_file', { path }))).toContain('inB')
})

test('git takes paths from the root too, also in a repository below it; other names are understood', async () => {
  const root = folder()
  const { commit } = repository(join(write(root, { 'sub/a.txt': 'one\n' }), 'sub'))
  commit({ 'dir/b.txt': 'two\n' })
  const to = open([root])
  expect(textOf(await call(to, 'git_log', { paths: ['sub/dir/b.txt'] }))).toContain('change')
  expect(textOf(await call(to, 'git_log', { path: 'sub/dir', repository: 'sub' }))).toContain('change')
  expect(JSON.stringify(await call(to, 'git_blame', { path: 'sub/dir/b.txt' }))).toContain('two')
  expect(JSON.stringify(await call(to, 'git_blame', { file: 'sub/dir/b.txt', repositoryPath: 'sub' }))).toContain('two')
  execFileSync('git', ['-C', join(root, 'sub'), 'checkout', '-q', '-b', 'other'])
  expect(JSON.stringify(await call(to, 'git_status', { path: 'sub' }))).toContain('other')
  const { content } = await call(to, 'git_status', { repository: '/' })
  expect(JSON.stringify(content)).toContain("Parameter 'repository'")
})

test('no tool has two names for a place', async () => {
  const root = folder()
  const { tools } = (await open([root]).request('tools/list')) as unknown as {
    tools: { name: string; inputSchema: { properties?: Record<string, { description?: string }> } }[]
  }
  const odd = tools.flatMap(({ name, inputSchema: { properties = {} } }) =>
    Object.entries(properties)
      .filter(
        ([key, { description = '' }]) =>
          /^(?:repositoryPath|projectPath|project_path|workingDirectory)$/.test(key) ||
          description.startsWith('The same as'),
      )
      .map(([key]) => `${name}.${key}`),
  )
  expect(odd).toEqual([])
})
