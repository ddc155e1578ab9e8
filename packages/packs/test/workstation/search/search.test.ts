import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder, git, open, refusal, repository } from '../place.ts'

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
  ['./main.ts', []],
  ['./*.ts', ['binary.ts', 'empty.ts']],
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
    total: 3,
    files: 3,
    truncated: false,
    skipped: { binary: 1, tooLarge: 0, unreadable: 0, paths: ['binary.ts (binary)'] },
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

test('an expression made to hang takes no time, a malformed one is explained', async () => {
  const here = folder({ 'a.txt': `${'a'.repeat(50_000)}b` })
  const own = open({ roots: [here] })
  expect(await own.call('search_files', { content: '(a+)+$', regex: true })).toMatchObject({ total: 0 })
  const wrong = await refusal(own.call('search_files', { content: '(', regex: true }))
  expect(wrong.code).toBe(-32602)
  expect(wrong.message).toMatch(/'content': Invalid regular expression.*Set regex to false/)
  const around = await refusal(own.call('search_files', { content: '(?=a)', regex: true }))
  expect(around.message).toContain('look-around is not supported')
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

test('results come in pages, and the pages are all there is', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [
      `d${i % 3}/f${i}.txt`,
      Array.from({ length: i }, (_, n) => `hit ${n}\n`).join(''),
    ]),
  )
  const own = open({ roots: [folder(files)] })
  const seen: string[] = []
  for (;;) {
    const part = (await own.call('search_files', { content: 'hit', offset: seen.length, maxResults: 37 })) as {
      matches: { path: string; line: number }[]
      total: number
      files: number
      truncated: boolean
    }
    expect([part.total, part.files]).toEqual([435, 29])
    seen.push(...part.matches.map(({ path, line }) => `${path}:${line}`))
    if (!part.truncated) break
    expect(part.matches).toHaveLength(37)
  }
  expect(seen).toHaveLength(435)
  expect(new Set(seen).size).toBe(435)
})

const words = async (args: Record<string, unknown>, at = client): Promise<string> => {
  const { content } = await at.request('tools/call', { name: 'search_files', arguments: args })
  return (content as { text: string }[])[0]?.text ?? ''
}

test('lines come with their surroundings, which overlap only once', async () => {
  const own = open({ roots: [folder({ 'a.txt': 'one\ntwo\nHIT 1\nfour\nHIT 2\nsix\nseven\neight\nHIT 3' })] })
  expect(await own.call('search_files', { content: 'HIT 2', before: 1, after: 2 })).toMatchObject({
    matches: [{ line: 5, text: 'HIT 2', before: ['four'], after: ['six', 'seven'] }],
  })
  expect(await words({ content: 'HIT', before: 1, after: 1 }, own)).toBe(
    'a.txt\n2- two\n3: HIT 1\n4- four\n5: HIT 2\n6- six\n--\n8- eight\n9: HIT 3\n\n3 lines in 1 file.',
  )
})

test('the text is grouped by file and says how to go on', async () => {
  expect(await words({ content: 'total', maxResults: 2 })).toBe(
    'keep.tmp\n1: total\n\nsrc/deep/other.tsx\n2: let total = x\n\n1 to 2 of 3 lines in 3 files.\n' +
      'Not searched: 1 binary.\nGo on with offset 2.',
  )
  expect(await words({ content: 'nowhere', pattern: '*.md' })).toBe('Nothing was found.')
})

test('files and counts instead of lines', async () => {
  expect(await client.call('search_files', { content: '[tT]otal', regex: true, mode: 'files' })).toMatchObject({
    matches: [{ path: 'README.md' }, { path: 'keep.tmp' }, { path: 'src/deep/other.tsx' }, { path: 'src/main.ts' }],
    total: 4,
  })
  expect(await words({ content: '[tT]otal', regex: true, mode: 'counts', pattern: 'main.*' })).toBe(
    'src/main.ts: 2\n\n1 file.',
  )
})

test('one file as the path', async () => {
  expect(await client.call('search_files', { path: 'src/main.ts', content: 'Total' })).toMatchObject({
    matches: [{ path: 'src/main.ts', line: 2 }],
    total: 1,
  })
  expect(await client.call('search_files', { path: 'binary.ts', content: 'total' })).toMatchObject({
    matches: [],
    skipped: { binary: 1 },
  })
  const missing = await refusal(client.call('search_files', { path: 'nowhere', content: 'x' }))
  expect(missing.message).toContain("'nowhere'")
})

test('directories by their name, and names to leave out', async () => {
  expect(await paths({ pattern: 'd*', type: 'directory' })).toEqual(['src/deep'])
  expect(await paths({ type: 'directory' })).toEqual(['src', 'src/deep'])
  expect(await paths({ pattern: '*.ts', exclude: ['src', 'empty.*'] })).toEqual(['binary.ts'])
  expect(await paths({ content: 'total', exclude: ['**/*.tsx', '*.{tmp,md}'] })).toEqual(['src/main.ts'])
})

test('files that are too large or may not be read are counted and named', async () => {
  const here = folder({ 'a.txt': 'hit\n', 'locked.txt': 'hit' })
  writeFileSync(join(here, 'huge.txt'), '')
  truncateSync(join(here, 'huge.txt'), 51 * 1024 * 1024)
  execFileSync('mkfifo', [join(here, 'pipe')])
  const own = open({ roots: [here] })
  expect(await own.call('search_files', { content: 'hit' })).toMatchObject({
    total: 2,
    skipped: { tooLarge: 1, unreadable: 0, paths: ['huge.txt (too large)'] },
  })
  expect(await words({ content: 'hit' }, own)).toContain('Not searched: 1 too large: huge.txt (too large).')
})

test('a long line is shown around what was found in it', async () => {
  const own = open({ roots: [folder({ 'min.js': `${'é'.repeat(5000)}needle${'y'.repeat(5000)}` })] })
  const { matches } = (await own.call('search_files', { content: 'needle' })) as { matches: { text: string }[] }
  expect(matches[0]?.text).toMatch(/^…é+needley+…$/)
  expect(matches[0]?.text.length).toBeLessThan(310)
})

test('text in two bytes a letter is searched too', async () => {
  const here = folder({ 'w.txt': Buffer.from('\ufeffone\r\ntwo\r\n', 'utf16le') })
  expect(await open({ roots: [here] }).call('search_files', { content: 'two' })).toMatchObject({
    matches: [{ line: 2, text: 'two' }],
  })
})

test('what .git/info/exclude names is left out, and a pipe as rules is no rules', async () => {
  const here = repository({ 'a.txt': 'x', 'b.txt': 'x' })
  writeFileSync(join(here, '.git/info/exclude'), 'b.txt\n')
  const own = open({ roots: [here] })
  const found = async (): Promise<unknown> =>
    ((await own.call('search_files', { pattern: '*' })) as { matches: unknown }).matches
  expect(await found()).toEqual([{ path: 'a.txt' }])
  rmSync(join(here, '.git/info/exclude'))
  execFileSync('mkfifo', [join(here, '.git/info/exclude')])
  execFileSync('mkfifo', [join(here, '.gitignore')])
  expect(await found()).toEqual([{ path: 'a.txt' }, { path: 'b.txt' }])
  expect(await own.call('directory_tree', {})).toContain('a.txt')
})

test('a search that takes long keeps nobody waiting', async () => {
  const here = folder({ 'big.txt': 'ab'.repeat(10_000_000) })
  const own = open({ roots: [here] })
  await own.call('search_files', { pattern: '*' })
  const slow = own.call('search_files', { content: '(ab|a|b|ba)*[ab]{200}c', regex: true })
  const waits: number[] = []
  for (let i = 0; i < 20; i++) {
    const began = performance.now()
    expect(await own.call('file_exists', { path: 'big.txt' })).toEqual({ exists: true })
    waits.push(performance.now() - began)
  }
  // One may have to wait for another process; were the search in the way, all would.
  expect(waits.toSorted((a, b) => a - b)[10]).toBeLessThan(1000)
  expect(await slow).toMatchObject({ total: 0 })
})

test('a long text in either case takes moments in megabytes that nearly have it', async () => {
  const own = open({ roots: [folder({ 'big.txt': 'aB'.repeat(5_000_000) })] })
  const content = `${'Ab'.repeat(4_950)}c`
  expect(await own.call('search_files', { content, caseSensitive: false })).toMatchObject({ total: 0 })
})

test('what cannot be searched, and a pattern that is none, are said to be so', async () => {
  const here = folder({ 'a.txt': 'x' })
  execFileSync('mkfifo', [join(here, 'pipe')])
  const own = open({ roots: [here] })
  await expect(own.call('search_files', { path: 'pipe', content: 'x' })).rejects.toThrow(
    `This is a pipe, not a file or a directory: '${join(here, 'pipe')}'`,
  )
  await expect(own.call('search_files', { pattern: 'a[' })).rejects.toThrow("'[' has no ']'")
  expect(await own.call('search_files', { pattern: 'a.t[x]t' })).toMatchObject({ total: 1 })
})

test('a text of several lines is found whole, with either line end; so is an expression if that is asked for', async () => {
  const here = folder({
    'a.ts': 'const a = {\n  b: 1,\n}\n\nconst c = {\n  b: 1,\n}\n',
    'b.ts': 'x\r\nconst a = {\r\n  b: 1,\r\n}\r\n',
  })
  const client = open({ roots: [here] })
  const ask = (args: Record<string, unknown>): Promise<unknown> =>
    client.request('tools/call', { name: 'search_files', arguments: args })
  expect(await ask({ content: 'const a = {\n  b: 1,' })).toMatchObject({
    content: [{ text: 'a.ts\n1: const a = {\n2:   b: 1,\n\nb.ts\n2: const a = {\n3:   b: 1,\n\n2 lines in 2 files.' }],
    structuredContent: {
      matches: [
        { path: 'a.ts', line: 1, endLine: 2, text: 'const a = {\n  b: 1,' },
        { path: 'b.ts', line: 2, endLine: 3 },
      ],
      total: 2,
    },
  })
  const spanning = {
    content: String.raw`^const \w = \{\r?\n[^}]*\}`,
    regex: true,
    multiline: true,
    after: 1,
    before: 1,
  }
  expect(await ask({ ...spanning, path: 'a.ts' })).toMatchObject({
    content: [
      {
        text: '1: const a = {\n2:   b: 1,\n3: }\n4- \n5: const c = {\n6:   b: 1,\n7: }\n\n2 lines in 1 file.'.replace(
          /^/,
          'a.ts\n',
        ),
      },
    ],
  })
  expect(await ask({ ...spanning, mode: 'counts' })).toMatchObject({
    structuredContent: {
      matches: [
        { path: 'a.ts', count: 2 },
        { path: 'b.ts', count: 1 },
      ],
    },
  })
  expect(await ask({ ...spanning, offset: 1, limit: 1 })).toMatchObject({
    structuredContent: { matches: [{ path: 'a.ts', line: 5, endLine: 7 }], next: 2 },
  })
  await expect(client.call('search_files', { content: String.raw`a\nb`, regex: true })).rejects.toThrow('set multiline')
})
