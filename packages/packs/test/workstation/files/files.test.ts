import { estimateTokens } from '@causeway/engine'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createSocket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fill, folder, open, refusal } from '../place.ts'

const root = folder()
const client = open({ roots: [root] })
const call = (tool: string, args: Record<string, unknown>): Promise<unknown> => client.call(tool, args)

test('a file is written with its folders, read, and replaced', async () => {
  expect(await call('write_file', { path: 'new/deep/a.txt', content: 'Grüße\n' })).toBe(
    'Wrote 8 bytes to new/deep/a.txt',
  )
  expect(readFileSync(join(root, 'new/deep/a.txt'), 'utf8')).toBe('Grüße\n')
  expect(await call('read_file', { path: 'new/deep/a.txt' })).toBe('Grüße\n')
  await call('write_file', { path: join(root, 'new/deep/a.txt'), content: '' })
  expect(await call('read_file', { path: 'new/deep/a.txt' })).toBe('')
  expect(readdirSync(join(root, 'new/deep'))).toEqual(['a.txt'])
})

test('replacing a file keeps its permissions and the link that leads to it', async () => {
  fill(root, { 'tool.sh': 'old' })
  chmodSync(join(root, 'tool.sh'), 0o754)
  symlinkSync('tool.sh', join(root, 'tool-link'))
  await call('write_file', { path: 'tool-link', content: 'new' })
  expect(readFileSync(join(root, 'tool.sh'), 'utf8')).toBe('new')
  expect(statSync(join(root, 'tool.sh')).mode & 0o777).toBe(0o754)
  expect(lstatSync(join(root, 'tool-link')).isSymbolicLink()).toBe(true)
})

test('a reader never sees half of a file that is being replaced', async () => {
  const letters = ['a', 'b', 'c', 'd'].map(letter => letter.repeat(200_000))
  await call('write_file', { path: 'whole.txt', content: letters[0] })
  const state = { writing: true }
  const seen = new Set<string>()
  const reader = (async () => {
    while (state.writing) seen.add(String(await call('read_file', { path: 'whole.txt', maxLineLength: 1_000_000 })))
  })()
  for (let i = 0; i < 40; i++) await call('write_file', { path: 'whole.txt', content: letters[i % 4] })
  state.writing = false
  await reader
  for (const text of seen) expect(letters).toContain(text)
})

test('text is read as it is; other bytes come as a blob', async () => {
  writeFileSync(join(root, 'crlf.txt'), '\ufeffa\r\nb')
  expect(await call('read_file', { path: 'crlf.txt' })).toBe('\ufeffa\r\nb')
  const bytes = Buffer.from([0x89, 0x50, 0, 0xff])
  writeFileSync(join(root, 'dot.png'), bytes)
  const { content } = await client.request('tools/call', { name: 'read_file', arguments: { path: 'dot.png' } })
  expect(content).toEqual([
    {
      type: 'resource',
      resource: { uri: `file://${root}/dot.png`, mimeType: 'image/png', blob: bytes.toString('base64') },
    },
  ])
  writeFileSync(join(root, 'latin1.txt'), Buffer.from([0x67, 0xfc]))
  const latin = await client.request('tools/call', { name: 'read_file', arguments: { path: 'latin1.txt' } })
  expect(latin.content).toMatchObject([{ text: 'gü' }, { type: 'text' }])
})

test('lines are read by offset and limit, also from a file too large to be read whole', async () => {
  const large = open({ roots: [root], limits: { resultBytes: 64 * 1024 } })
  const all = Array.from({ length: 50_000 }, (_, i) => `line ${i + 1}`)
  writeFileSync(join(root, 'large.txt'), `${all.join('\n')}\n`)
  const whole = String(await large.call('read_file', { path: 'large.txt' }))
  expect(whole).toMatch(/^line 1\n[^]*line 2000\n\[Lines 1 to 2000\. The file goes on: continue with offset 2001\.\]$/)
  const more = String(await large.call('read_file', { path: 'large.txt', offset: 2, limit: 20_000 }))
  const [, next = ''] = /continue with offset (\d+)/.exec(more) ?? []
  expect(Number(next)).toBeGreaterThan(4000)
  expect(Buffer.byteLength(JSON.stringify(more))).toBeLessThan(64 * 1024)
  expect(more).toContain(`line ${Number(next) - 1}\n[Lines 2 to ${Number(next) - 1}.`)
  expect(await large.call('read_file', { path: 'large.txt', limit: 2 })).toBe(
    'line 1\nline 2\n[Lines 1 to 2. The file goes on: continue with offset 3.]',
  )
  expect(await large.call('read_file', { path: 'large.txt', offset: 40_000, limit: 1 })).toMatch(/^line 40000\n\[Lines/)
  expect(await large.call('read_file', { path: 'large.txt', offset: 49_999 })).toBe('line 49999\nline 50000\n')
  expect(await large.call('read_file', { path: 'large.txt', offset: 50_000, limit: 1 })).toBe('line 50000\n')
  await expect(large.call('read_file', { path: 'large.txt', offset: 50_001 })).rejects.toThrow('has no line 50001')
  await expect(large.call('read_file', { path: 'dot.png', offset: 1 })).rejects.toThrow('no text')
  expect((await refusal(large.call('read_file', { path: 'large.txt', offset: 0 }))).code).toBe(-32602)
})

test('a file that has more tokens than a result may have stops at a line, and goes on with the first that is missing', async () => {
  const words = Array.from({ length: 600 }, (_, i) => `const value${i} = compute(${i}, 'some words about it')`)
  const root = folder({ 'long.ts': words.join('\n'), 'wide.ts': `const a = 1\n${words.join(' ')}\nlast\n` })
  const small = open({ roots: [root], limits: { resultTokens: 1000 } })
  const read = async (args: object): Promise<string> =>
    String(await small.call('read_file', { path: 'long.ts', ...args }))
  const lines: string[] = []
  for (let offset = 1; ;) {
    const part = await read({ offset })
    expect(estimateTokens(part)).toBeLessThanOrEqual(1000)
    const [, first, last, next] =
      /\[Lines (\d+) to (\d+)\. The file goes on: continue with offset (\d+)\.\]$/.exec(part) ?? []
    lines.push(...part.replace(/\n?\[Lines \d+ to [^\n]*$/, '').split('\n'))
    if (next === undefined) break
    expect([Number(first), Number(next)]).toEqual([offset, Number(last) + 1])
    offset = Number(next)
  }
  expect(lines).toEqual(words)
  expect(await read({ tail: 2, lineNumbers: true })).toBe(`599\t${words[598]}\n600\t${words[599]}`)
  // A line that is too long for a result is cut elsewhere; nothing before it is lost.
  expect(await read({ path: 'wide.ts', maxLineLength: 40_000 })).toMatch(
    /^const a = 1\n\[Lines 1 to 1\. The file goes on: continue with offset 2\.\]$/,
  )
  const both = String(await small.call('read_files', { paths: ['long.ts', 'long.ts'] }))
  expect(both.match(/continue with offset (\d+)/g)).toHaveLength(2)
  expect(estimateTokens(both)).toBeLessThanOrEqual(1000)
})

test('every slice of lines is the slice', async () => {
  const lines = ['a\n', '\n', 'bb\n', '\r\n', 'é'.repeat(40_000) + '\n', 'last']
  writeFileSync(join(root, 'slices.txt'), lines.join(''))
  for (let first = 1; first <= lines.length; first++) {
    for (let count = 1; count <= lines.length + 1; count++) {
      const got = String(
        await call('read_file', { path: 'slices.txt', offset: first, limit: count, maxLineLength: 50_000 }),
      )
      expect(got.replace(/\[Lines \d+ to \d+\. The file goes on.*$/, '')).toBe(
        lines.slice(first - 1, first - 1 + count).join(''),
      )
    }
  }
})

const blocks = async (tool: string, args: Record<string, unknown>): Promise<unknown> =>
  (await client.request('tools/call', { name: tool, arguments: args })).content

test('lines are numbered on request, also the last ones', async () => {
  writeFileSync(join(root, 'many.txt'), Array.from({ length: 120 }, (_, i) => `l${i + 1}\n`).join(''))
  expect(await call('read_file', { path: 'many.txt', offset: 9, limit: 2, lineNumbers: true })).toBe(
    ' 9\tl9\n10\tl10\n[Lines 9 to 10. The file goes on: continue with offset 11.]',
  )
  expect(await call('read_file', { path: 'many.txt', tail: 2 })).toBe('l119\nl120\n')
  expect(await call('read_file', { path: 'many.txt', tail: 2, lineNumbers: true })).toBe('119\tl119\n120\tl120\n')
  expect(await call('read_file', { path: 'many.txt', tail: 5000 })).toMatch(/^l1\n[^]*l120\n$/)
  writeFileSync(join(root, 'wide.txt'), `${'x'.repeat(200_000)}\nlast`)
  expect(await call('read_file', { path: 'wide.txt', tail: 1 })).toBe('last')
  writeFileSync(join(root, 'empty.txt'), '')
  expect(await call('read_file', { path: 'empty.txt', tail: 3 })).toBe('')
})

test('long lines are cut, and said to be', async () => {
  writeFileSync(join(root, 'long.txt'), `short\n${'😀'.repeat(5000)}\nend\n`)
  expect(await call('read_file', { path: 'long.txt' })).toBe(
    `short\n${'😀'.repeat(1000)}…\nend\n[Line 2 cut at 2000 characters: set maxLineLength to read more.]`,
  )
  expect(await call('read_file', { path: 'long.txt', maxLineLength: 3 })).toContain('\n😀…\n')
  expect(await call('read_file', { path: 'long.txt', maxLineLength: 10_000 })).toBe(
    `short\n${'😀'.repeat(5000)}\nend\n`,
  )
})

test('pictures are pictures, whatever they are called', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
  writeFileSync(join(root, 'picture.dat'), png)
  expect(await blocks('read_file', { path: 'picture.dat' })).toEqual([
    { type: 'image', mimeType: 'image/png', data: png.toString('base64') },
  ])
})

test('a notebook is read as its cells', async () => {
  const notebook = {
    cells: [
      { cell_type: 'markdown', source: ['# Title\n', 'words'] },
      {
        cell_type: 'code',
        source: 'print(1)',
        outputs: [
          { output_type: 'stream', text: ['1\n'] },
          { output_type: 'display_data', data: { 'text/plain': '<Figure>', 'image/png': 'aGVsbG8=' } },
          { output_type: 'error', ename: 'ValueError', evalue: 'no' },
        ],
      },
    ],
  }
  writeFileSync(join(root, 'n.ipynb'), JSON.stringify(notebook))
  expect(await call('read_file', { path: 'n.ipynb' })).toBe(
    '=== cell 1 (markdown)\n# Title\nwords\n\n=== cell 2 (code)\nprint(1)\n--- output\n1\n--- output\n<Figure>\n[image/png]\n' +
      '--- output\nValueError: no\n',
  )
  expect(await call('read_file', { path: 'n.ipynb', offset: 2, limit: 1 })).toMatch(/^# Title\n\[Lines 2 to 2/)
  expect(await call('read_file', { path: 'n.ipynb', raw: true })).toBe(JSON.stringify(notebook))
  writeFileSync(join(root, 'bad.ipynb'), '{"cells": 5}')
  expect(await call('read_file', { path: 'bad.ipynb' })).toBe('{"cells": 5}')
})

test('several files in one call: what cannot be read is told in its place', async () => {
  fill(root, { 'r1.txt': 'one\n', 'r2.txt': 'two\nmore\n' })
  expect(await blocks('read_files', { paths: ['r1.txt', 'nowhere.txt', '../out.txt', 'r2.txt'], limit: 1 })).toEqual([
    { type: 'text', text: '==> r1.txt <==' },
    { type: 'text', text: 'one\n' },
    { type: 'text', text: '==> nowhere.txt <==' },
    { type: 'text', text: "[No such file or directory: 'nowhere.txt']" },
    { type: 'text', text: '==> ../out.txt <==' },
    { type: 'text', text: expect.stringContaining('leads outside the allowed directories') },
    { type: 'text', text: '==> r2.txt <==' },
    { type: 'text', text: 'two\n' },
    { type: 'text', text: '[Lines 1 to 1. The file goes on: continue with offset 2.]' },
  ])
})

test('edits are shown as a diff; a dry run changes nothing; a failed one neither', async () => {
  fill(root, { 'e.ts': 'const a = 1\nconst b = 2\n' })
  const edits = [{ oldText: 'a = 1', newText: 'a = 10' }]
  const diff = '--- a/e.ts\n+++ b/e.ts\n@@ -1,2 +1,2 @@\n-const a = 1\n+const a = 10\n const b = 2'
  expect(await call('edit_file', { path: 'e.ts', edits, dryRun: true })).toBe(diff)
  expect(readFileSync(join(root, 'e.ts'), 'utf8')).toContain('a = 1\n')
  expect(await call('edit_file', { path: 'e.ts', edits })).toBe(diff)
  expect(readFileSync(join(root, 'e.ts'), 'utf8')).toBe('const a = 10\nconst b = 2\n')
  const bad = [
    { oldText: 'a = 10', newText: 'x' },
    { oldText: 'const  b = 2', newText: 'y' },
  ]
  const error = await refusal(call('edit_file', { path: 'e.ts', edits: bad }))
  expect(error.code).toBe(-32603)
  expect(error.message).toContain(
    'Edit 2 of 2: oldText was not found in the file. The line closest to its first is line 2',
  )
  expect(readFileSync(join(root, 'e.ts'), 'utf8')).toBe('const a = 10\nconst b = 2\n')
  await expect(call('edit_file', { path: 'dot.png', edits })).rejects.toThrow('is no text')
})

test('thousands of edits in a large file keep nobody waiting', async () => {
  const lines = Array.from(
    { length: 100_000 },
    (_, i) => `${i}: the quick brown fox jumps over the lazy dog, to and fro\n`,
  )
  writeFileSync(join(root, 'huge.txt'), lines.join(''))
  const edits = Array.from({ length: 3000 }, (_, i) => ({
    oldText: `\n${i * 33 + 1}: the`,
    newText: `\n${i * 33 + 1}: THE`,
  }))
  const state = { editing: true, answered: 0 }
  const edited = call('edit_file', { path: 'huge.txt', edits }).finally(() => (state.editing = false))
  while (state.editing) {
    await call('file_exists', { path: 'huge.txt' })
    state.answered += 1
  }
  expect(String(await edited)).toContain('+1: THE quick')
  expect(readFileSync(join(root, 'huge.txt'), 'utf8').split('THE')).toHaveLength(3001)
  expect(state.answered).toBeGreaterThan(5)
})

test('edits of the same file at the same time are all kept', async () => {
  fill(root, { 'busy.txt': Array.from({ length: 30 }, (_, i) => `<${i}>`).join('') })
  await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      call('edit_file', { path: 'busy.txt', edits: [{ oldText: `<${i}>`, newText: `[${i}]` }] }),
    ),
  )
  expect(readFileSync(join(root, 'busy.txt'), 'utf8')).toBe(Array.from({ length: 30 }, (_, i) => `[${i}]`).join(''))
})

test('a directory is listed with types, sorted, hidden names too', async () => {
  const here = folder({ 'b.txt': '', 'a/x': '', '.hidden': '' })
  symlinkSync('b.txt', join(here, 'c'))
  const listed = await open({ roots: [here] }).call('list_directory', { path: '.' })
  expect(listed).toEqual({
    path: '.',
    entries: [
      { name: '.hidden', type: 'file' },
      { name: 'a', type: 'directory' },
      { name: 'b.txt', type: 'file' },
      { name: 'c', type: 'link' },
    ],
    total: 4,
  })
})

test('a tree is indented, follows no link, and leaves out what is ignored', async () => {
  const here = folder({
    '.gitignore': 'dist/\n*.log\n',
    'src/a/b.ts': '',
    'src/x.log': '',
    'dist/z': '',
    '.git/HEAD': '',
  })
  symlinkSync('..', join(here, 'src/up'))
  const own = open({ roots: [here] })
  expect(await own.call('directory_tree', {})).toBe('./\n  .gitignore\n  src/\n    a/\n      b.ts\n    up@')
  expect(await own.call('directory_tree', { path: 'src', depth: 1 })).toBe('src/\n  a/\n  up@')
  expect(await own.call('directory_tree', { includeIgnored: true })).toContain('dist/\n    z')
})

test('existence is told for files and directories, and is an error outside', async () => {
  fill(root, { 'here/file': '' })
  symlinkSync('here/file', join(root, 'to-file'))
  const exists = async (tool: string, path: string): Promise<unknown> => call(tool, { path })
  for (const [path, file, directory] of [
    ['here/file', true, false],
    ['to-file', true, false],
    ['here', false, true],
    ['.', false, true],
    ['nothing', false, false],
    ['here/file/below', false, false],
    ['no/such/dir', false, false],
  ] as const) {
    expect(await exists('file_exists', path)).toEqual({ exists: file })
    expect(await exists('directory_exists', path)).toEqual({ exists: directory })
  }
})

test('facts of a file', async () => {
  fill(root, { 'facts.txt': 'four' })
  chmodSync(join(root, 'facts.txt'), 0o640)
  expect(await call('file_info', { path: 'facts.txt' })).toMatchObject({
    path: join(root, 'facts.txt'),
    type: 'file',
    size: 4,
    mode: '640',
    modified: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  })
  expect(await call('file_info', { path: '.' })).toMatchObject({ type: 'directory' })
  await expect(call('file_info', { path: 'nothing' })).rejects.toThrow("No such file or directory: 'nothing'")
})

test('files are deleted, no directories, and of a link only the link', async () => {
  fill(root, { 'gone.txt': '', 'kept.txt': '', 'dir/x': '' })
  symlinkSync('kept.txt', join(root, 'kept-link'))
  expect(await call('delete_file', { path: 'gone.txt' })).toBe('Deleted gone.txt')
  expect(existsSync(join(root, 'gone.txt'))).toBe(false)
  await call('delete_file', { path: 'kept-link' })
  expect(existsSync(join(root, 'kept.txt'))).toBe(true)
  await expect(call('delete_file', { path: 'gone.txt' })).rejects.toThrow('No such file')
  await expect(call('delete_file', { path: 'dir' })).rejects.toThrow('Use delete_directory')
  await expect(call('delete_file', { path: '.' })).rejects.toThrow('Use delete_directory')
})

test('directories are made with their parents, as often as wanted', async () => {
  for (let i = 0; i < 2; i++) {
    expect(await call('create_directory', { path: 'm/n/o' })).toBe('The directory m/n/o is there')
  }
  expect(statSync(join(root, 'm/n/o')).isDirectory()).toBe(true)
  fill(root, { 'a-file': '' })
  await expect(call('create_directory', { path: 'a-file' })).rejects.toThrow('not a directory')
})

test('moving renames files and directories, and overwrites nothing', async () => {
  fill(root, { 'from.txt': 'x', 'to.txt': 'y', 'tree/leaf': 'z' })
  await expect(call('move_file', { source: 'from.txt', destination: 'to.txt' })).rejects.toThrow('exists already')
  expect(await call('move_file', { source: 'from.txt', destination: 'tree/moved.txt' })).toBe(
    'Moved from.txt to tree/moved.txt',
  )
  await call('move_file', { source: 'tree', destination: 'wood' })
  expect(readdirSync(join(root, 'wood')).toSorted()).toEqual(['leaf', 'moved.txt'])
  await expect(call('move_file', { source: 'nothing', destination: 'x' })).rejects.toThrow("'nothing'")
  await expect(call('move_file', { source: 'wood', destination: 'wood/inside' })).rejects.toThrow(/refuses this path/)
  await call('move_file', { source: 'wood', destination: 'no/such/dir/x' })
  await call('move_file', { source: 'no/such/dir/x', destination: 'wood' })
  await expect(call('move_file', { source: '.', destination: 'x' })).rejects.toThrow(/system|refuses|use/i)
})

test('pipes, sockets and devices are no files', async () => {
  execFileSync('mkfifo', [join(root, 'pipe')])
  const socket = createSocket().listen(join(root, 'socket'))
  await new Promise(resolve => void socket.once('listening', resolve))
  for (const path of ['pipe', 'socket']) {
    for (const [tool, args] of [
      ['read_file', {}],
      ['read_file', { offset: 1 }],
      ['write_file', { content: 'x' }],
      ['edit_file', { edits: [{ oldText: 'a', newText: 'b' }] }],
    ] as const) {
      await expect(call(tool, { path, ...args })).rejects.toThrow(/not a file|refuses/)
    }
    expect(await call('file_info', { path })).toMatchObject({ type: path })
  }
  expect(await call('search_files', { content: 'anything', includeIgnored: true })).toBeDefined()
  socket.close()
})

test('what goes wrong is told in words, with the path that was sent', async () => {
  fill(root, { plain: '' })
  await expect(call('read_file', { path: 'missing.txt' })).rejects.toThrow("No such file or directory: 'missing.txt'")
  await expect(call('read_file', { path: 'm' })).rejects.toThrow('This is a directory, not a file')
  await expect(call('write_file', { path: 'm', content: '' })).rejects.toThrow('This is a directory, not a file')
  await expect(call('write_file', { path: 'plain/x', content: '' })).rejects.toThrow(/not a directory.*'plain\/x'/)
  await expect(call('list_directory', { path: 'plain' })).rejects.toThrow(/not a directory/)
  const error = await refusal(call('read_file', { path: 'missing.txt' }))
  expect(error.message).not.toContain('/proc/')
})

test('a large notebook is parsed in a thread, not on the event loop (R-L2)', async () => {
  const cells = Array.from({ length: 2000 }, (_, i) => ({
    cell_type: 'code',
    source: [`print(${i})\n`, 'x'.repeat(80)],
  }))
  const root = folder({ 'large.ipynb': JSON.stringify({ cells }) })
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  expect(await open({ roots: [root] }).call('read_file', { path: 'large.ipynb', limit: 2 })).toContain(
    '=== cell 1 (code)\nprint(0)\n',
  )
  expect(parse.mock.calls.filter(([text]) => text.length > 100_000)).toEqual([])
})

test('a path that leads nowhere is answered with the nearest name', async () => {
  const own = open({ roots: [folder({ 'README.md': 'x', 'src/core.py': 'y' })] })
  await expect(own.call('read_file', { path: 'REDME.md' })).rejects.toThrow(
    "No such file or directory: 'REDME.md'. Did you mean 'README.md'?",
  )
  await expect(own.call('read_file', { path: 'src/cor.py' })).rejects.toThrow("Did you mean 'src/core.py'?")
  expect(await own.call('read_files', { paths: ['src/cor.py'] })).toContain("Did you mean 'src/core.py'?")
  await expect(own.call('read_file', { path: 'nothing/like/it' })).rejects.toThrow(/'nothing\/like\/it'$/)
  await expect(own.call('read_file', { path: '../elsewhere' })).rejects.toThrow('outside')
})
