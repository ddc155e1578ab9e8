import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isProtected } from '../../../src/support/git/protect.ts'
import { fill, open, refusal, repository } from '../place.ts'

test('no file tool writes, moves or deletes a git directory or anything in one', async () => {
  const root = repository({ 'a.txt': 'one\n', 'sub/b.txt': '' })
  mkdirSync(join(root, 'other/deep/.git'), { recursive: true })
  fill(root, { 'module/.git': 'gitdir: ../elsewhere\n', 'other/deep/.git/HEAD': 'ref: refs/heads/main\n' })
  symlinkSync('.git', join(root, 'alias'))
  symlinkSync('.git/config', join(root, 'settings'))
  const tree = (): string[] => readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()
  const before = tree()
  const config = readFileSync(join(root, '.git/config'), 'utf8')
  const client = open({ roots: [root] })
  const edits = [{ oldText: '[core]', newText: '[core]\n\tfsmonitor = evil' }]
  for (const [tool, args] of [
    ['write_file', { path: '.git/config', content: '' }],
    ['write_file', { path: '.git/hooks/new/pre-commit', content: '' }],
    ['write_file', { path: 'sub/.git', content: 'gitdir: ..' }],
    ['write_file', { path: 'sub/.GIT/config', content: '' }],
    ['write_file', { path: 'sub/.git./config', content: '' }],
    ['write_file', { path: 'sub/.git::$INDEX_ALLOCATION/config', content: '' }],
    ['write_file', { path: 'sub/GIT~1/config', content: '' }],
    ['write_file', { path: 'sub/.g\u200Cit/config', content: '' }],
    ['write_file', { path: 'alias/config', content: '' }],
    ['write_file', { path: 'settings', content: '' }],
    ['write_file', { path: 'module/.git', content: '' }],
    ['edit_file', { path: '.git/config', edits }],
    ['edit_file', { path: 'settings', edits }],
    ['create_directory', { path: '.git/x/y' }],
    ['create_directory', { path: 'sub/.git' }],
    ['delete_file', { path: '.git/config' }],
    ['delete_file', { path: 'module/.git' }],
    ['move_file', { source: '.git', destination: 'sub/moved' }],
    ['move_file', { source: '.git/config', destination: 'config' }],
    ['move_file', { source: 'a.txt', destination: '.git/a.txt' }],
    ['move_file', { source: 'sub', destination: 'sub2/.git' }],
    ['move_file', { source: 'a.txt', destination: '.git/config' }],
    ['move_file', { source: 'module', destination: 'elsewhere' }],
    ['move_file', { source: 'other', destination: 'elsewhere' }],
  ] as const) {
    const error = await refusal(client.call(tool, args))
    expect({ tool, args, message: error.message }).toEqual({
      tool,
      args,
      message: expect.stringMatching(/git director|git repository in it|No such file/),
    })
  }
  expect(tree()).toEqual(before)
  expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe(config)
})

test('names that only begin like it are plain names', async () => {
  const root = repository()
  const client = open({ roots: [root] })
  for (const path of ['.gitignore', '.gitattributes', '.github/x.yml', 'x.git/readme', '.gitmodules', 'git/x']) {
    await client.call('write_file', { path, content: 'x' })
  }
  await client.call('move_file', { source: '.github', destination: 'moved' })
  expect(await client.call('read_file', { path: '.git/HEAD' })).toBe('ref: refs/heads/main\n')
  expect(['.git', '.GIT', '.git. .', 'git~1', '.git:x', '.gi\u200Dt'].map(isProtected)).toEqual(Array(6).fill(true))
  expect(['.gitx', 'git', '..git', '.gi', 'git~2'].map(isProtected)).toEqual(Array(5).fill(false))
  writeFileSync(join(root, 'a.txt'), 'still writable\n')
})
