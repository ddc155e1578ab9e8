import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fill, folder, git, initialise, open, refusal, repository } from '../place.ts'

const words = (result: unknown): string => String(result)

test('status, add, commit, log, show and diff of a real repository', async () => {
  const root = repository({ 'a.txt': 'one\n', 'dir/b.txt': 'two\n' })
  const client = open({ roots: [root] })
  const call = (tool: string, args: Record<string, unknown> = {}): Promise<unknown> => client.call(tool, args)
  expect(await call('git_status')).toBe('## main\n')
  fill(root, { 'a.txt': 'one\nmore\n', 'ümlaut new.txt': 'x' })
  rmSync(join(root, 'dir/b.txt'))
  expect(await call('git_status')).toBe('## main\n M a.txt\n D dir/b.txt\n?? "ümlaut new.txt"\n')
  expect(words(await call('git_diff'))).toContain('+more')
  expect(await call('git_diff', { staged: true })).toBe('Nothing is staged')
  expect(words(await call('git_diff', { files: ['dir'] }))).not.toContain('+more')

  expect(await call('git_add', { files: ['a.txt', 'ümlaut new.txt'] })).toBe('Staged:\nM\ta.txt\nA\tümlaut new.txt')
  expect(words(await call('git_diff', { staged: true }))).toContain('+more')
  expect(words(await call('git_diff'))).not.toContain('+more')
  expect(await call('git_add', { files: ['.'] })).toContain('D\tdir/b.txt')

  expect(words(await call('git_commit', { message: '# second\n\n--amend is no option here' }))).toMatch(
    /^\[main \w+\] # second/,
  )
  expect(await call('git_log', { maxCount: 1 })).toMatch(
    /^\w{7,} # second \(Ada, \d{4}-\d\d-\d\d\)\n\[There is more: continue with offset 1\.\]$/,
  )
  expect(
    words(await call('git_log'))
      .trim()
      .split('\n'),
  ).toHaveLength(2)
  expect(
    words(await call('git_log', { files: ['dir/b.txt'] }))
      .trim()
      .split('\n'),
  ).toHaveLength(2)
  expect(
    words(await call('git_log', { files: ['ümlaut new.txt'] }))
      .trim()
      .split('\n'),
  ).toHaveLength(1)
  expect(words(await call('git_show'))).toMatch(/Author: Ada[^]*# second[^]*\+more/)
  expect(await call('git_show', { revision: 'HEAD~1:a.txt' })).toBe('one\n')
  expect(words(await call('git_diff', { revision: 'HEAD~1' }))).toContain('+more')
  expect(words(await call('git_diff', { revision: 'HEAD~1..HEAD', files: ['a.txt'] }))).toContain('+more')
})

test('branches are made, listed and switched', async () => {
  const root = repository()
  const client = open({ roots: [root] })
  expect(await client.call('git_current_branch')).toBe('main')
  expect(await client.call('git_create_branch', { branch: 'feature/x' })).toBe('Created branch feature/x at HEAD')
  expect(await client.call('git_list_branches')).toBe('  feature/x\n* main\n')
  expect(await client.call('git_checkout', { branch: 'feature/x' })).toBe('Switched to feature/x')
  expect(await client.call('git_current_branch')).toBe('feature/x')
  fill(root, { 'a.txt': 'changed\n' })
  git(root, 'commit', '--quiet', '--all', '--message', 'change')
  fill(root, { 'a.txt': 'not committed\n' })
  const lost = await refusal(client.call('git_checkout', { branch: 'main' }))
  expect(lost.code).toBe(-32603)
  expect(lost.message).toMatch(/git checkout failed: .*overwritten by checkout/s)
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('not committed\n')
  git(root, 'checkout', '--quiet', '--force', 'main')
  await client.call('git_checkout', { branch: 'HEAD~0' })
  expect(await client.call('git_current_branch')).toMatch(/^HEAD \(detached at \w+\)$/)
  await expect(client.call('git_create_branch', { branch: 'main' })).rejects.toThrow('already exists')
  await expect(client.call('git_create_branch', { branch: 'a..b' })).rejects.toThrow('cannot be the name of a branch')
  await expect(client.call('git_checkout', { branch: 'a.txt' })).rejects.toThrow('There is no revision')
})

test('a repository without commits has a branch and a status', async () => {
  const root = folder({ 'a.txt': '' })
  initialise(root)
  const client = open({ roots: [root] })
  expect(await client.call('git_current_branch')).toBe('main')
  expect(await client.call('git_status')).toBe('## No commits yet on main\n?? a.txt\n')
  await expect(client.call('git_log')).rejects.toThrow('has no commits yet')
})

test('repositoryPath is any directory of the repository, and files are meant from there', async () => {
  const root = folder()
  const inner = join(root, 'projects/app')
  mkdirSync(join(inner, 'src'), { recursive: true })
  initialise(inner)
  fill(inner, { 'src/x.ts': 'x' })
  const client = open({ roots: [root] })
  expect(await client.call('git_add', { repositoryPath: 'projects/app/src', files: ['x.ts'] })).toBe(
    'Staged:\nA\tsrc/x.ts',
  )
  await expect(client.call('git_status')).rejects.toThrow(/is not inside a git repository under the allowed roots/)
  await expect(client.call('git_status', { repositoryPath: 'nowhere' })).rejects.toThrow('No such file or directory')
  await expect(client.call('git_status', { repositoryPath: 'projects/app/src/x.ts' })).rejects.toThrow(
    'not a directory',
  )
})

test('what is refused is refused before git runs', async () => {
  const root = repository()
  const outside = repository({ 'secret.txt': 'secret' })
  symlinkSync(outside, join(root, 'out'))
  const client = open({ roots: [root] })
  for (const [tool, args] of [
    ['git_log', { revision: '--output=evil' }],
    ['git_log', { revision: '' }],
    ['git_diff', { revision: '--no-index' }],
    ['git_show', { revision: '--output=evil' }],
    ['git_show', { revision: '-p' }],
    ['git_checkout', { branch: '-' }],
    ['git_checkout', { branch: '--orphan=x' }],
    ['git_checkout', { branch: '-f' }],
    ['git_create_branch', { branch: '--delete' }],
    ['git_create_branch', { branch: 'x', startPoint: '--force' }],
    ['git_commit', { message: '  \n' }],
    ['git_commit', { message: '' }],
    ['git_add', { files: [] }],
    ['git_add', { files: ['../x'] }],
    ['git_add', { files: [join(outside, 'secret.txt')] }],
    ['git_add', { files: ['out/secret.txt'] }],
    ['git_add', { files: [''] }],
    ['git_diff', { files: ['/etc/passwd'] }],
    ['git_diff', { files: ['../../etc/passwd', '/dev/null'] }],
    ['git_log', { maxCount: 0 }],
    ['git_log', { maxCount: 1.5 }],
    ['git_status', { repositoryPath: 'out' }],
    ['git_status', { repositoryPath: outside }],
    ['git_status', { repositoryPath: '..' }],
  ] as const) {
    const error = await refusal(client.call(tool, args))
    expect({ tool, args, code: error.code }).toEqual({ tool, args, code: -32602 })
  }
  expect(existsSync(join(root, 'evil'))).toBe(false)
})

test('names that look like options, patterns or magic are plain names', async () => {
  const root = repository()
  const names = ['--force', '-A', '--', ':(top)a.txt', ':!a.txt', '*.txt', 'a b\nc']
  for (const name of names) writeFileSync(join(root, name), 'x')
  const client = open({ roots: [root] })
  await client.call('git_add', { files: ['--force'] })
  expect(git(root, 'diff', '--cached', '--name-only')).toBe('--force\n')
  await client.call('git_add', { files: ['*.txt', ':!a.txt'] })
  expect(git(root, 'diff', '--cached', '--name-only', '-z').split('\0').filter(Boolean)).toEqual([
    '*.txt',
    '--force',
    ':!a.txt',
  ])
  for (const name of names) {
    await client.call('git_add', { files: [name] })
    expect(await client.call('read_file', { path: name })).toBe('x')
  }
  await client.call('git_commit', { message: '-m x --amend' })
  expect(git(root, 'log', '--format=%s').split('\n')).toEqual(['-m x --amend', 'first', ''])
})

test('a long diff comes back with its beginning and its end', async () => {
  const root = repository({ 'a.txt': '' })
  writeFileSync(join(root, 'a.txt'), `first\n${'middle "quoted"\n'.repeat(50_000)}last\n`)
  const diff = words(await open({ roots: [root], limits: { resultBytes: 100_000 } }).call('git_diff'))
  expect(diff).toContain('+first')
  expect(diff).toContain('+last')
  expect(diff).toContain('left out')
  expect(Buffer.byteLength(JSON.stringify(diff))).toBeLessThan(100_000)
})

test('the server’s own GIT_ variables mean nothing', async () => {
  const root = repository()
  const other = repository({ 'other.txt': '' })
  const names = { GIT_DIR: join(other, '.git'), GIT_WORK_TREE: other, GIT_EXTERNAL_DIFF: 'false', GIT_TRACE: '2' }
  Object.assign(process.env, names)
  try {
    fill(root, { 'a.txt': 'two\n' })
    const client = open({ roots: [root] })
    expect(await client.call('git_status')).toBe('## main\n M a.txt\n')
    expect(words(await client.call('git_diff'))).toContain('+two')
  } finally {
    for (const name of Object.keys(names)) delete process.env[name]
  }
})

test('a root inside another root belongs to the repository around it', async () => {
  const root = repository({ 'part/a.txt': '' })
  const client = open({ roots: [join(root, 'part'), root] })
  expect(await client.call('git_status')).toBe('## main\n')
})
