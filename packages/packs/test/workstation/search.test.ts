import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder, git, open, refusal, repository } from './place.ts'

const root = folder({
  '.gitignore': 'build/\n*.tmp\n!keep.tmp\n',
  'src/main.ts': 'const total = 1\nconst Total = 2\n// the end',
  'src/deep/.gitignore': '/only-here.ts\n!build/\n',
  'src/deep/only-here.ts': 'total',
  'src/deep/other.tsx': 'let x\nlet total = x\n',
  'build/out.ts': 'total',
  'x.tmp': 'total',
  'keep.tmp': 'total',
  'README.md': '# Total\n\n- a.b (c) [d] {e} $f ^g |h\n',
  '.git/config': 'total',
  'empty.ts': '',
})
writeFileSync(join(root, 'binary.ts'), Buffer.from('total\0total'))
const client = open({ roots: [root] })

const paths = async (args: Record<string, unknown>): Promise<string[]> => {
  const { matches } = (await client.call('search_files', args)) as { matches: { path: string }[] }
  return matches.map(match => match.path)
}

test.each([
  ['*.ts', ['binary.ts', 'empty.ts', 'src/main.ts']],
  ['src/**/*.{ts,tsx}', ['src/deep/other.tsx', 'src/main.ts']],
  ['**/*.md', ['README.md']],
  ['/README.md', ['README.md']],
  ['./README.md', ['README.md']],
  ['*.tmp', ['keep.tmp']],
  ['{a,b}{c,d}', []],
  ['../**', []],
  ['/etc/passwd', []],
])('by name: %s', async (pattern, found) => {
  expect(await paths({ pattern })).toEqual(found)
})

test('what is ignored is found when asked for, git’s own folder never', async () => {
  expect(await paths({ pattern: '*.ts', includeIgnored: true })).toEqual([
    'binary.ts',
    'build/out.ts',
    'empty.ts',
    'src/deep/only-here.ts',
    'src/main.ts',
  ])
  expect(await paths({ pattern: 'config', includeIgnored: true })).toEqual([])
})

test('a search that begins further down knows the rules above', async () => {
  const here = repository({
    '.gitignore': '*.log\n/sub/deep/x\n',
    'sub/deep/a.txt': '',
    'sub/deep/b.log': '',
    'sub/deep/x': '',
  })
  const found = (await open({ roots: [here] }).call('search_files', { path: 'sub/deep', pattern: '*' })) as {
    matches: { path: string }[]
  }
  expect(found.matches.map(match => match.path)).toEqual(['sub/deep/a.txt'])
  expect(git(here, 'ls-files', 'sub').trim()).toBe('sub/deep/a.txt')
})

test('by content: every line once, with its number', async () => {
  expect(await client.call('search_files', { content: 'total' })).toEqual({
    matches: [
      { path: 'keep.tmp', line: 1, text: 'total' },
      { path: 'src/deep/other.tsx', line: 2, text: 'let total = x' },
      { path: 'src/main.ts', line: 1, text: 'const total = 1' },
    ],
    truncated: false,
  })
})

test('by content: letters as they are, or either case, or an expression', async () => {
  const found = async (args: Record<string, unknown>): Promise<unknown> =>
    ((await client.call('search_files', { pattern: '*.{ts,md}', ...args })) as { matches: unknown }).matches
  expect(await found({ content: 'TOTAL', caseSensitive: false })).toEqual([
    { path: 'README.md', line: 1, text: '# Total' },
    { path: 'src/main.ts', line: 1, text: 'const total = 1' },
    { path: 'src/main.ts', line: 2, text: 'const Total = 2' },
  ])
  expect(await found({ content: 'a.b (c) [d] {e} $f ^g |h' })).toEqual([
    { path: 'README.md', line: 3, text: '- a.b (c) [d] {e} $f ^g |h' },
  ])
  expect(await found({ content: '^const [A-Z]\\w+', regex: true })).toEqual([
    { path: 'src/main.ts', line: 2, text: 'const Total = 2' },
  ])
  expect(await found({ content: 'end$', regex: true })).toEqual([{ path: 'src/main.ts', line: 3, text: '// the end' }])
})

test('results are capped, and said to be', async () => {
  expect(await client.call('search_files', { content: 'total', maxResults: 2 })).toMatchObject({
    matches: [{ path: 'keep.tmp' }, { path: 'src/deep/other.tsx' }],
    truncated: true,
  })
})

test('an expression made to hang is given up, a malformed one is explained', async () => {
  const here = folder({ 'a.txt': `${'a'.repeat(50)}b` })
  const own = open({ roots: [here] })
  const slow = await refusal(own.call('search_files', { content: '(a+)+$', regex: true }))
  expect(slow.code).toBe(-32603)
  expect(slow.message).toContain('takes too long')
  const wrong = await refusal(own.call('search_files', { content: '(', regex: true }))
  expect(wrong.code).toBe(-32602)
  expect(wrong.message).toMatch(/'content': Invalid regular expression.*Set regex to false/)
  const nothing = await refusal(own.call('search_files', {}))
  expect(nothing.code).toBe(-32602)
  expect(nothing.message).toContain("'pattern', 'content', or both")
})

test('links are not followed: neither out of the roots nor in circles', async () => {
  const outside = folder({ 'secret.txt': 'total' })
  const here = folder({ 'a/b.txt': 'total' })
  symlinkSync(outside, join(here, 'out'))
  symlinkSync('..', join(here, 'a/up'))
  symlinkSync(join(outside, 'secret.txt'), join(here, 'secret.txt'))
  const own = open({ roots: [here] })
  expect(await own.call('search_files', { content: 'total' })).toMatchObject({ matches: [{ path: 'a/b.txt' }] })
  expect(await own.call('search_files', { pattern: '*.txt' })).toMatchObject({ matches: [{ path: 'a/b.txt' }] })
})

test('files of another root are shown by their whole path, so that they can be read', async () => {
  const other = folder({ 'far.txt': 'x' })
  const own = open({ roots: [root, other] })
  const found = (await own.call('search_files', { path: other, pattern: '*.txt' })) as { matches: { path: string }[] }
  expect(found.matches).toEqual([{ path: join(other, 'far.txt') }])
  expect(await own.call('read_file', { path: found.matches[0]?.path })).toBe('x')
})

test('rules made to take for ever do not keep others waiting, and the call ends in time', async () => {
  const rules = Array.from({ length: 3000 }, (_, i) => `${'*a'.repeat(20)}${i}`).join('\n')
  const names = Array.from({ length: 400 }, (_, i) => [`${'a'.repeat(200)}${i}`, '']).concat([['.gitignore', rules]])
  const here = folder(Object.fromEntries(names))
  const own = open({ roots: [here] }, { timeoutMs: 300 })
  const slow = refusal(own.call('search_files', { pattern: '*' }))
  const quick = await open({ roots: [here] }).call('file_exists', { path: '.gitignore' })
  expect(quick).toEqual({ exists: true })
  expect((await slow).code).toBe(-32000)
})
