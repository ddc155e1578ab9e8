import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fill, git, open, repository } from '../place.ts'
import { needs } from '../../../../../test/support/needs.ts'

const needsPipes = needs('mkfifo')
const pipe = (path: string): void => void execFileSync('mkfifo', [path])

test('a pipe in the place of a file that git opens by itself is named, and git is stopped', needsPipes, async () => {
  for (const name of ['.gitignore', '.gitattributes']) {
    const root = repository({ 'a.txt': 'one\n', 'sub/deep/b.txt': 'two\n' })
    const path = join(root, 'sub/deep', name)
    pipe(path)
    fill(root, { 'sub/deep/b.txt': 'changed\n', 'sub/deep/new.txt': 'new\n' })
    const client = open({ roots: [root] })
    const started = performance.now()
    await expect(client.call('git_add', { files: ['.'] })).rejects.toThrow(
      `'${path}' is not a regular file, and git would never finish reading it: delete or replace it first.`,
    )
    expect(performance.now() - started).toBeLessThan(25_000)
    expect(git(root, 'diff', '--cached', '--name-only')).toBe('')
    rmSync(path)
    expect(await client.call('git_add', { files: ['.'] })).toContain('sub/deep/new.txt')
  }
})

test('a link to a pipe, and pipes under every name git knows, keep nobody waiting', needsPipes, async () => {
  const root = repository({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n', '.mailmap': '', '.gitmodules': '' })
  mkdirSync(join(root, 'pipes'))
  pipe(join(root, 'pipes/pipe'))
  for (const name of ['.mailmap', '.gitmodules', 'a.txt']) rmSync(join(root, name))
  for (const name of ['.mailmap', '.gitmodules', '.gitignore']) symlinkSync('pipes/pipe', join(root, name))
  pipe(join(root, 'a.txt'))
  const client = open({ roots: [root] })
  const calls = {
    git_status: {},
    git_diff: {},
    git_log: {},
    git_show: {},
    git_blame: { file: 'a.txt' },
    git_add: { files: ['.'] },
    git_restore: { files: ['sub/b.txt'] },
    git_checkout: { branch: 'main' },
  }
  for (const [name, args] of Object.entries(calls)) {
    const outcome = await client.call(name, args).then(
      () => 'answered',
      (error: Error) => error.message,
    )
    expect(outcome, name).not.toMatch(/stopped after|timeout/i)
  }
  rmSync(join(root, '.mailmap'))
  pipe(join(root, '.mailmap'))
  await expect(client.call('git_log')).rejects.toThrow(/\.mailmap' is not a regular file/)
})
