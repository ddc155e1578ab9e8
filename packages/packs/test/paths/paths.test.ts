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
  ['search_files', { path: 'app', content: '{\n', mode: 'files' }],
  ['search_files', { path: 'app', content: 'export.*\\n', regex: true, multiline: true }],
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

/** A repository below the root, with a merge that is not finished. */
function below(): string {
  const root = folder()
  const { commit } = repository(join(write(root, { 'sub/a b.ts': 'export function one() {}\n' }), 'sub'))
  commit({ 'src/b.ts': 'export function two() {}\n', 'src/c.ts': 'export function kept() {}\n' })
  const git = (...args: string[]): unknown => execFileSync('git', ['-C', join(root, 'sub'), ...args])
  git('checkout', '-q', '-b', 'side')
  commit({ 'src/b.ts': 'export function side() {}\n' })
  git('checkout', '-q', '-')
  commit({ 'src/b.ts': 'export function main() {}\n' })
  git('branch', '-M', 'main')
  // Whoever runs the test may have no name for git.
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
  return root
}

const GIT: readonly (readonly [name: string, args: Record<string, unknown>, paths: RegExp])[] = [
  ['git_status', {}, /^ ?[MADU?]{1,2} (?:")?(sub\/[^"\n]+\.ts)/gm],
  ['git_diff', { format: 'names' }, /^[A-Z]\t(sub\/\S+)$/gm],
  ['git_diff', { format: 'stat' }, /^ (sub\/\S+) +\|/gm],
  ['git_diff', {}, /^\+\+\+ b\/(\S+)$/gm],
  ['git_show', { revision: 'HEAD' }, /^\+\+\+ b\/(\S+)$/gm],
  ['git_add', { path: 'sub/src/c.ts' }, /^[A-Z]\t(\S+)$/gm],
  ['git_commit', { message: 'new file' }, /create mode \d+ (\S+)$/gm],
  ['git_revert', { revision: 'HEAD' }, /^ (sub\/src\/c\S*) +\|/gm],
  ['git_cherry_pick', { revision: 'HEAD~1' }, /^ (sub\/\S+) +\|/gm],
  ['git_stash', { action: 'push' }, /(?!)/g],
  ['git_stash', { action: 'show', format: 'names' }, /^[A-Z]\t(sub\/\S+)$/gm],
  ['git_stash', { action: 'pop' }, /^ M (sub\/\S+)$/gm],
  ['git_restore', { path: 'sub/src/c.ts', staged: true }, /(?!)/g],
]

test('git names files below the root as read_file takes them', async () => {
  const root = below()
  const to = open([root])
  write(root, { 'sub/src/c.ts': 'export function changed() {}\n' })
  const where = { repository: 'sub' }
  const seen: string[] = []
  for (const [name, args, pattern] of GIT) {
    if (name === 'git_commit') {
      write(root, { 'sub/src/d.ts': 'export function fresh() {}\n' })
      await call(to, 'git_add', { path: 'sub/src/d.ts' })
    }
    if (name === 'git_stash' && args.action === 'push') write(root, { 'sub/src/c.ts': 'export function again() {}\n' })
    const { content, isError } = await call(to, name, { ...args, ...where })
    const words = (content as { text: string }[]).map(block => block.text).join('\n')
    expect(isError, words).toBeUndefined()
    const paths = [...words.matchAll(pattern)].map(([, path = '']) => path)
    for (const path of paths) expect(textOf(await call(to, 'read_file', { path }))).toContain('export function')
    if (paths.length > 0) seen.push(`${name} ${Object.values(args).join(' ')}`.trim())
  }
  // Those that name no files, and one whose files are gone again, are all that is missing.
  expect(GIT.length - seen.length).toBeLessThanOrEqual(3)
})

test('conflicts are named, and resolved, by paths from the root', async () => {
  const to = open([below()])
  const merged = textOf(await call(to, 'git_merge', { branch: 'side', keep_conflicts: true, repository: 'sub' }))
  expect(merged).toContain('in conflict: sub/src/b.ts.')
  const { structuredContent } = await call(to, 'git_conflicts', { repository: 'sub' })
  const paths = pathsIn(structuredContent)
  expect(paths).toEqual(['sub/src/b.ts'])
  expect(textOf(await call(to, 'read_file', { path: paths[0] }))).toContain('<<<<<<< HEAD')
  expect(textOf(await call(to, 'git_conflicts', { path: paths[0] }))).toContain('sub/src/b.ts: changed on both sides')
  expect(textOf(await call(to, 'git_resolve', { path: paths[0], side: 'theirs' }))).toContain('staged sub/src/b.ts')
  expect(textOf(await call(to, 'undo_edit', {}))).toContain('Undid git_resolve of sub/src/b.ts')
  expect(textOf(await call(to, 'git_status', { repository: 'sub' }))).toContain('UU sub/src/b.ts')
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
