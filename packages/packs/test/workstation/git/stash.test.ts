import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fill, git, open, refusal, repository } from '../place.ts'
import { trap } from './canary.ts'

const read = (root: string, name: string): string => readFileSync(join(root, name), 'utf8')

test('changes are put aside, listed, shown and taken back, and git reads what was written', async () => {
  const root = repository({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'sub/c.txt': 'three\n' })
  const client = open({ roots: [root] })
  expect(await client.call('git_stash')).toBe('There are no stashes')
  expect(await client.call('git_stash', { action: 'push' })).toBe('There are no changes to stash')
  fill(root, { 'a.txt': 'changed\n', 'new.txt': 'staged\n', 'untracked.txt': 'not\n' })
  git(root, 'add', 'new.txt')
  expect(await client.call('git_stash', { action: 'push', message: 'mine', repositoryPath: 'sub' })).toBe(
    'Put aside as stash 0: On main: mine',
  )
  expect(git(root, 'status', '--porcelain')).toBe('?? untracked.txt\n')
  expect(read(root, 'a.txt')).toBe('one\n')
  expect(git(root, 'stash', 'list')).toBe('stash@{0}: On main: mine\n')
  expect(git(root, 'fsck', '--strict')).toBe('')
  fill(root, { 'b.txt': 'second\n' })
  await client.call('git_stash', { action: 'push', includeUntracked: true })
  expect(existsSync(join(root, 'untracked.txt'))).toBe(false)
  expect(await client.call('git_stash', { action: 'list' })).toMatch(
    /^stash@\{0\}: WIP on main: \w+ first \(\d{4}-\d\d-\d\d\)\nstash@\{1\}: On main: mine/,
  )
  expect(await client.call('git_stash', { action: 'show', index: 1, format: 'names' })).toBe('M\ta.txt\nA\tnew.txt\n')
  expect(await client.call('git_stash', { action: 'pop', index: 1 })).toMatch(
    /^Applied: On main: mine\n M a.txt\nA  new/,
  )
  expect(git(root, 'stash', 'list')).toMatch(/^stash@\{0\}: WIP on main: \w+ first\n$/)
  expect(read(root, 'a.txt')).toBe('changed\n')
  await client.call('git_stash', { action: 'pop' })
  expect([read(root, 'b.txt'), read(root, 'untracked.txt')]).toEqual(['second\n', 'not\n'])
  expect(git(root, 'stash', 'list')).toBe('')
  expect(existsSync(join(root, '.git/refs/stash'))).toBe(false)
  expect(git(root, 'status', '--porcelain')).toBe(' M a.txt\n M b.txt\nA  new.txt\n?? untracked.txt\n')
})

test('what git put aside is taken back, also from packed refs; git takes back what we put aside', async () => {
  const root = repository()
  const client = open({ roots: [root] })
  fill(root, { 'a.txt': 'git\n' })
  git(root, 'stash', '--quiet')
  git(root, 'pack-refs', '--all')
  await client.call('git_stash', { action: 'apply' })
  expect(read(root, 'a.txt')).toBe('git\n')
  expect(await client.call('git_stash', { action: 'drop' })).toMatch(/^Dropped stash 0: WIP on main/)
  expect(git(root, 'stash', 'list')).toBe('')
  expect(git(root, 'for-each-ref', 'refs/stash')).toBe('')
  fill(root, { 'u.txt': 'u\n' })
  await client.call('git_stash', { action: 'push', includeUntracked: true })
  git(root, 'stash', 'pop', '--quiet')
  expect([read(root, 'a.txt'), read(root, 'u.txt')]).toEqual(['git\n', 'u\n'])
})

test('with conflicts, or something in the way, nothing is changed', async () => {
  const root = repository()
  const client = open({ roots: [root] })
  fill(root, { 'a.txt': 'mine\n', 'u.txt': 'u\n' })
  await client.call('git_stash', { action: 'push', includeUntracked: true })
  fill(root, { 'u.txt': 'other\n' })
  await expect(client.call('git_stash', { action: 'pop' })).rejects.toThrow(/'u.txt' exists already/)
  expect([read(root, 'a.txt'), read(root, 'u.txt')]).toEqual(['one\n', 'other\n'])
  git(root, 'clean', '--quiet', '-f')
  fill(root, { 'a.txt': 'local\n' })
  await expect(client.call('git_stash', { action: 'pop' })).rejects.toThrow(/nothing was changed: .*a\.txt/s)
  expect(read(root, 'a.txt')).toBe('local\n')
  git(root, 'commit', '--quiet', '--all', '--message', 'other')
  await expect(client.call('git_stash', { action: 'pop' })).rejects.toThrow(/would conflict: a\.txt/)
  expect(git(root, 'status', '--porcelain')).toBe('')
  expect(git(root, 'stash', 'list')).toContain('stash@{0}')
  const { message } = await refusal(client.call('git_stash', { action: 'show', index: 7 }))
  expect(message).toMatch(/'index' must name a stash, got 7\. stash@\{0\}/)
})

test('what a filter would change is not put aside, and no filter, hook or helper is run', async () => {
  const root = repository({ 'a.txt': 'one\n', '.gitattributes': '*.txt filter=evil\n' })
  const { program: command, sprung } = trap()
  git(root, 'config', 'filter.evil.clean', command)
  git(root, 'config', 'core.fsmonitor', command)
  fill(root, { 'a.txt': 'changed\n' })
  await expect(open({ roots: [root] }).call('git_stash', { action: 'push' })).rejects.toThrow(
    /through the filter 'evil'/,
  )
  expect(read(root, 'a.txt')).toBe('changed\n')
  expect(sprung()).toEqual([])
})

test('submodules are not looked into, and stay as they are', async () => {
  const part = repository({ 'p.txt': 'part\n' })
  const root = repository()
  git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', part, 'part')
  git(root, 'commit', '--quiet', '--message', 'with a part')
  const { program, sprung } = trap()
  git(join(root, 'part'), 'config', 'core.fsmonitor', program)
  fill(root, { 'part/p.txt': 'changed in the part\n', 'a.txt': 'changed\n', 'new.txt': 'new\n' })
  const client = open({ roots: [root] })
  await client.call('git_stash', { action: 'push', includeUntracked: true })
  expect([read(root, 'a.txt'), read(root, 'part/p.txt')]).toEqual(['one\n', 'changed in the part\n'])
  expect(git(root, 'ls-files', '-v', 'part')).toBe('H part\n')
  await client.call('git_stash', { action: 'pop' })
  expect([read(root, 'a.txt'), read(root, 'new.txt')]).toEqual(['changed\n', 'new\n'])
  expect(git(root, 'ls-files', '-v', 'part')).toBe('H part\n')
  expect(git(root, 'diff', '--cached', '--name-only')).toBe('')
  expect(sprung()).toEqual([])
})
