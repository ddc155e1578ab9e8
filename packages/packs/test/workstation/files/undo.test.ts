import { existsSync, readFileSync, rmSync, statSync, symlinkSync, chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { workstation } from '@causeway/packs/workstation'
import { fill, folder, open, repository } from '../place.ts'

const read = (root: string, name: string): string => readFileSync(join(root, name), 'utf8')

test('edits, writes and deletions are undone, the last first', async () => {
  const root = folder({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
  chmodSync(join(root, 'a.txt'), 0o640)
  const client = open({ roots: [root] })
  await client.call('edit_file', { path: 'a.txt', edits: [{ oldText: 'one', newText: 'ONE' }] })
  await client.call('edit_file', { path: 'a.txt', edits: [{ oldText: 'ONE', newText: '1' }], dryRun: true })
  await client.call('write_file', { path: 'new/c.txt', content: 'three\n' })
  await client.call('write_file', { path: 'a.txt', content: 'all\n' })
  await client.call('delete_file', { path: 'b.txt' })
  expect(await client.call('undo_edit', { list: true })).toMatch(
    /^delete_file b.txt \d+ s ago\nwrite_file a.txt \d+ s ago\nwrite_file new\/c.txt \d+ s ago\nedit_file a.txt \d+ s ago$/,
  )
  expect(await client.call('undo_edit')).toBe(
    'Undid delete_file of b.txt: it is as it was before. 3 edits left to undo.',
  )
  expect(read(root, 'b.txt')).toBe('two\n')
  expect(await client.call('undo_edit', { path: 'new/c.txt' })).toContain('it is gone again')
  expect(existsSync(join(root, 'new'))).toBe(false)
  await client.call('undo_edit')
  expect(read(root, 'a.txt')).toBe('ONE\n')
  await client.call('undo_edit')
  expect(read(root, 'a.txt')).toBe('one\n')
  expect(statSync(join(root, 'a.txt')).mode & 0o777).toBe(0o640)
  await expect(client.call('undo_edit')).rejects.toThrow('There is nothing to undo.')
  await expect(client.call('undo_edit', { path: 'b.txt' })).rejects.toThrow("There is nothing to undo for 'b.txt'.")
})

test('undoing a new file removes the directories that were made for it, and no others', async () => {
  const root = folder({ 'old/x.txt': '' })
  const client = open({ roots: [root] })
  await client.call('write_file', { path: 'old/a/b/c.txt', content: '' })
  await client.call('write_file', { path: 'old/a/other.txt', content: '' })
  await client.call('undo_edit', { path: 'old/a/b/c.txt' })
  expect([existsSync(join(root, 'old/a/b')), existsSync(join(root, 'old/a/other.txt'))]).toEqual([false, true])
  await client.call('undo_edit')
  // It was made for the first file, not for this one.
  expect(existsSync(join(root, 'old/a'))).toBe(true)
  await client.call('create_directory', { path: 'empty' })
  await client.call('write_file', { path: 'empty/d.txt', content: '' })
  await client.call('undo_edit')
  expect(existsSync(join(root, 'empty'))).toBe(true)
})

test('a file that changed since is left as it is', async () => {
  const root = folder({ 'a.txt': 'one\n', 'b.txt': 'b\n' })
  const client = open({ roots: [root] })
  await client.call('write_file', { path: 'a.txt', content: 'mine\n' })
  fill(root, { 'a.txt': 'theirs\n' })
  await expect(client.call('undo_edit')).rejects.toThrow(/'a.txt' was changed by someone else since/)
  expect(read(root, 'a.txt')).toBe('theirs\n')
  await client.call('delete_file', { path: 'b.txt' })
  fill(root, { 'b.txt': 'new\n' })
  await expect(client.call('undo_edit')).rejects.toThrow(/changed by someone else/)
  expect(read(root, 'b.txt')).toBe('new\n')
})

test('memory has a bound: large files and the oldest edits are not remembered', async () => {
  const root = folder({ 'large.txt': 'x'.repeat(5_000_000) })
  const client = open({ roots: [root] })
  await client.call('write_file', { path: 'large.txt', content: 'small\n' })
  await expect(client.call('undo_edit')).rejects.toThrow('nothing to undo')
  for (let i = 0; i < 120; i++) await client.call('write_file', { path: 'a.txt', content: `${i}\n` })
  expect(await client.call('undo_edit', { list: true })).toContain('and 80 before these')
  const big = 'y'.repeat(3_900_000)
  for (let i = 0; i < 8; i++) await client.call('write_file', { path: 'b.txt', content: `${i}${big}` })
  const listed = String(await client.call('undo_edit', { list: true, path: 'b.txt' }))
  expect(listed.split('\n').length).toBeLessThanOrEqual(5)
})

test('edits belong to a session, and are forgotten with it', async () => {
  const root = folder({ 'a.txt': 'one\n' })
  const server = createServer({ name: 'x', version: '1' }).add(workstation({ roots: [root] }))
  const first = connect(server, { version: '2025-11-25' })
  await first.call('write_file', { path: 'a.txt', content: 'two\n' })
  first.close()
  const second = connect(server, { version: '2025-11-25' })
  await expect(second.call('undo_edit')).rejects.toThrow('nothing to undo')
})

test('an edit is not undone through a link that leads into a git directory meanwhile', async () => {
  const root = repository()
  const config = read(root, '.git/config')
  const client = open({ roots: [root] })
  await client.call('write_file', { path: 'a/config', content: '[core]\n\tfsmonitor = ./evil\n' })
  await client.call('write_file', { path: 'a/config', content: config })
  rmSync(join(root, 'a'), { recursive: true })
  symlinkSync('.git', join(root, 'a'))
  await expect(client.call('undo_edit')).rejects.toThrow(/leads into a git directory/)
  expect(read(root, '.git/config')).toBe(config)
})
