import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder, open } from '../place.ts'

const FILES = {
  'a.md': 'The old name, and oldest.\r\nTwo\r\nlines\r\n',
  'sub/b.md': 'old Old\n',
  'sub/c.txt': 'old\n',
  'keep.md': 'old\n',
  '.gitignore': 'gone.md\n',
  'gone.md': 'old\n',
}

test('replaces in all files or none, shows it before, and is undone at once', async () => {
  const root = folder(FILES)
  const read = (name: string): string => readFileSync(join(root, name), 'utf8')
  const client = open({ roots: [root], operatorFiles: [join(root, 'keep.md')] })
  const args = { oldText: 'old', newText: 'new', pattern: '*.md', wholeWord: true }
  await expect(client.call('replace_in_files', args)).rejects.toThrow(/configures this server/)
  expect(read('a.md')).toBe(FILES['a.md'])
  const there = { ...args, exclude: ['keep.md'] }
  expect(await client.call('replace_in_files', { ...there, dryRun: true })).toMatch(
    /^Would replace 2 places in 2 files\.\n--- a\/a\.md/,
  )
  expect(read('a.md')).toBe(FILES['a.md'])
  await client.call('replace_in_files', there)
  expect([read('a.md'), read('sub/b.md'), read('sub/c.txt'), read('gone.md')]).toEqual([
    'The new name, and oldest.\r\nTwo\r\nlines\r\n',
    'new Old\n',
    'old\n',
    'old\n',
  ])
  expect(await client.call('undo_edit')).toBe(
    'Undid replace_in_files of 2 files: a.md, sub/b.md are as they were before.',
  )
  expect([read('a.md'), read('sub/b.md')]).toEqual([FILES['a.md'], FILES['sub/b.md']])
  await client.call('replace_in_files', { oldText: 'Two\nlines', newText: 'one\nline', path: 'a.md' })
  expect(read('a.md')).toBe('The old name, and oldest.\r\none\r\nline\r\n')
})

test('if one of the files changed, nothing is undone', async () => {
  const root = folder({ 'a.txt': 'x\n', 'b.txt': 'x\n' })
  const client = open({ roots: [root] })
  await client.call('replace_in_files', { oldText: 'x', newText: 'y' })
  await client.call('write_file', { path: 'b.txt', content: 'z\n' })
  await client.call('undo_edit')
  await client.call('edit_file', { path: 'b.txt', edits: [{ oldText: 'y', newText: 'q' }] })
  await expect(client.call('undo_edit', { path: 'a.txt' })).rejects.toThrow(/'b\.txt' was changed by someone else/)
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('y\n')
})

test('search_files finds whole words', async () => {
  const root = folder({ 'a.txt': 'one\nsomeone\nOne.\n(x)\n' })
  const client = open({ roots: [root] })
  const lines = async (args: object): Promise<number[]> =>
    ((await client.call('search_files', { wholeWord: true, ...args })) as { matches: { line: number }[] }).matches.map(
      m => m.line,
    )
  expect(await lines({ content: 'one' })).toEqual([1])
  expect(await lines({ content: 'one', caseSensitive: false })).toEqual([1, 3])
  expect(await lines({ content: 'o.e', regex: true })).toEqual([1])
  expect(await lines({ content: '(x)' })).toEqual([4])
})
