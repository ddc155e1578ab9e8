import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fill, folder, git, initialise, open, refusal, repository } from '../place.ts'

const read = (root: string, name: string): string => readFileSync(join(root, name), 'utf8')

function forked(): string {
  const root = repository({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
  git(root, 'checkout', '--quiet', '-b', 'side')
  fill(root, { 'b.txt': 'side\n' })
  git(root, 'commit', '--quiet', '--all', '--message', 'side')
  git(root, 'checkout', '--quiet', 'main')
  return root
}

test('a merge forwards, or makes a commit', async () => {
  const root = forked()
  const client = open({ roots: [root] })
  expect(await client.call('git_merge', { branch: 'side', fastForwardOnly: true })).toContain('Fast-forward')
  expect(read(root, 'b.txt')).toBe('side\n')
  expect(git(root, 'status', '--porcelain')).toBe('')
  expect(await client.call('git_merge', { branch: 'side' })).toBe('Already up to date.')

  const other = forked()
  fill(other, { 'a.txt': 'main\n' })
  git(other, 'commit', '--quiet', '--all', '--message', 'main')
  const own = open({ roots: [other] })
  await expect(own.call('git_merge', { branch: 'side', fastForwardOnly: true })).rejects.toThrow(
    /Not merged: both branches/,
  )
  await own.call('git_merge', { branch: 'side' })
  expect([read(other, 'a.txt'), read(other, 'b.txt')]).toEqual(['main\n', 'side\n'])
  expect(git(other, 'log', '-1', '--format=%s %P')).toMatch(/^Merge side \w+ \w+\n$/)
  expect(git(other, 'status', '--porcelain')).toBe('')
})

test('a merge with conflicts is taken back, and names them', async () => {
  const root = forked()
  fill(root, { 'b.txt': 'main\n' })
  git(root, 'commit', '--quiet', '--all', '--message', 'main')
  const before = git(root, 'rev-parse', 'HEAD')
  const client = open({ roots: [root] })
  const { message } = await refusal(client.call('git_merge', { branch: 'side' }))
  expect(message).toMatch(/nothing was changed: 1 file would conflict: b\.txt\./)
  expect(read(root, 'b.txt')).toBe('main\n')
  expect(git(root, 'status', '--porcelain')).toBe('')
  expect(git(root, 'rev-parse', 'HEAD')).toBe(before)
  fill(root, { 'b.txt': 'not committed\n' })
  await expect(client.call('git_merge', { branch: 'side' })).rejects.toThrow(/would conflict: b\.txt/)
  expect(read(root, 'b.txt')).toBe('not committed\n')
  const ahead = forked()
  fill(ahead, { 'b.txt': 'not committed\n' })
  await expect(open({ roots: [ahead] }).call('git_merge', { branch: 'side' })).rejects.toThrow(/would be overwritten/)
  expect(read(ahead, 'b.txt')).toBe('not committed\n')
  await expect(client.call('git_merge', { branch: '--abort' })).rejects.toThrow("not beginning with '-'")
})

test('files are unstaged and restored', async () => {
  const root = repository({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
  const client = open({ roots: [root] })
  fill(root, { 'a.txt': 'changed\n', 'b.txt': 'changed\n' })
  git(root, 'add', '.')
  expect(await client.call('git_restore', { files: ['a.txt'], staged: true })).toBe(
    'Unstaged. Still changed:\n M a.txt',
  )
  expect(git(root, 'diff', '--cached', '--name-only')).toBe('b.txt\n')
  expect(read(root, 'a.txt')).toBe('changed\n')
  expect(await client.call('git_restore', { files: ['a.txt'] })).toBe('Restored. These files have no changes now.')
  expect(read(root, 'a.txt')).toBe('one\n')
  await client.call('git_restore', { files: ['b.txt'], revision: 'HEAD' })
  expect(read(root, 'b.txt')).toBe('two\n')
  await expect(client.call('git_restore', { files: ['../x'] })).rejects.toThrow('outside')
  const fresh = folder({ 'n.txt': 'x' })
  initialise(fresh)
  git(fresh, 'add', '.')
  expect(await open({ roots: [fresh] }).call('git_restore', { files: ['n.txt'], staged: true })).toContain('?? n.txt')
})

test('blame, tags, amend, filters of the log, formats of the diff', async () => {
  const root = repository({ 'a.txt': 'one\ntwo\nthree\n' })
  const client = open({ roots: [root] })
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<string> =>
    String(await client.call(name, args))
  expect(await call('git_blame', { file: 'a.txt', startLine: 2, lines: 1 })).toMatch(
    /^\^?\w+ \(Ada .* 2\) two\n\[There is more: continue with offset 3\.\]$/,
  )
  await expect(call('git_blame', { file: '../a.txt' })).rejects.toThrow('outside')
  expect(await call('git_list_tags')).toBe('There are no such tags')
  expect(await call('git_create_tag', { tag: 'v1' })).toMatch(/^Created tag v1 at \w+$/)
  expect(await call('git_create_tag', { tag: 'v2', message: 'second' })).toMatch(/^Created tag v2/)
  await expect(call('git_create_tag', { tag: 'v2' })).rejects.toThrow('already exists')
  expect(git(root, 'tag', '--list')).toBe('v1\nv2\n')
  expect(await call('git_list_tags', { pattern: 'v2' })).toMatch(/^v2 \w+ \d{4}-\d\d-\d\d second$/)

  expect(await call('git_diff')).toMatch(/^No changes that are not staged/)
  expect(await call('git_diff', { revision: 'HEAD' })).toBe('No changes')
  fill(root, { 'a.txt': 'one\n' })
  expect(await call('git_diff', { format: 'names' })).toBe('M\ta.txt\n')
  expect(await call('git_diff', { format: 'stat' })).toMatch(/a\.txt \| 2 --/)
  git(root, 'add', '.')
  await call('git_commit', { message: 'first, better', amend: true })
  expect(git(root, 'log', '--format=%s')).toBe('first, better\n')
  fill(root, { 'a.txt': 'x\n' })
  git(root, 'commit', '--quiet', '--all', '--message', 'Fix [it]', '--author', 'Bob <bob@example.org>')
  expect(await call('git_log', { author: 'bob' })).toMatch(/^\w+ Fix \[it\] \(Bob, .*\)\n$/)
  expect(await call('git_log', { grep: 'fix [' })).toMatch(/Fix/)
  expect(await call('git_log', { skip: 1 })).toMatch(/^\w+ first, better .*\n$/)
  expect(await call('git_log', { author: 'nobody' })).toBe('No commits match')
})
