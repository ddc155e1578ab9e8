import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PRIVATE_PREFIX } from '../../../src/support/files/private-folder.ts'
import { fill, folder, git, initialise, open, repository } from '../place.ts'

const words = async (promise: Promise<unknown>): Promise<string> => String(await promise)

/** Run something with another home directory. */
async function atHome<T>(files: Readonly<Record<string, string>>, work: (home: string) => Promise<T>): Promise<T> {
  const before = { HOME: process.env.HOME, XDG_CONFIG_HOME: process.env.XDG_CONFIG_HOME }
  const home = folder(files)
  process.env.HOME = home
  delete process.env.XDG_CONFIG_HOME
  try {
    return await work(home)
  } finally {
    process.env.HOME = before.HOME
    if (before.XDG_CONFIG_HOME !== undefined) process.env.XDG_CONFIG_HOME = before.XDG_CONFIG_HOME
  }
}

test('what the tools write is what git reads: objects, refs, reflogs and the index are sound', async () => {
  const root = repository({ 'a.txt': 'one\n', 'run.sh': '#!/bin/sh\n' })
  const client = open({ roots: [root] })
  fill(root, { 'a.txt': 'two\n', 'new/b.txt': 'b\n' })
  chmodSync(join(root, 'run.sh'), 0o755)
  await client.call('git_add', { files: ['.'] })
  expect(git(root, 'status', '--porcelain')).toBe('M  a.txt\nA  new/b.txt\nM  run.sh\n')
  await client.call('git_commit', { message: 'second' })
  await client.call('git_create_branch', { branch: 'side/deep', startPoint: 'HEAD~1' })
  await client.call('git_checkout', { branch: 'side/deep' })
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n')
  expect(git(root, 'status', '--porcelain', '--branch')).toBe('## side/deep\n')
  expect(git(root, 'fsck', '--strict')).toBe('')
  expect(git(root, 'reflog', '--format=%gs')).toMatch(/^checkout: moving from main to side\/deep\ncommit: second\n/)
  expect(git(root, 'reflog', '--format=%gs', 'side/deep')).toBe('branch: Created from HEAD~1\n')
  expect(git(root, 'ls-tree', 'main', 'run.sh')).toMatch(/^100755/)
  expect(readdirSync(join(root, '.git')).filter(name => name.endsWith('.lock'))).toEqual([])
  await client.call('git_checkout', { branch: '@{-1}' })
  expect(await client.call('git_current_branch')).toBe('main')
  expect(await words(client.call('git_show', { revision: 'HEAD@{1}:a.txt' }))).toBe('one\n')
})

test('nothing stays behind in the temporary folder', async () => {
  const mine = (): string[] =>
    [tmpdir(), '/dev/shm']
      .filter(path => existsSync(path))
      .flatMap(path => readdirSync(path))
      .filter(name => name.startsWith(`${PRIVATE_PREFIX}${process.pid}-`))
  const root = repository()
  const client = open({ roots: [root] })
  await client.call('git_status')
  await client.call('git_show', { revision: 'nothing' }).catch(() => {})
  expect(mine()).toEqual([])
})

test('refs that are packed, a detached HEAD, annotated tags and symbolic refs', async () => {
  const root = repository()
  git(root, 'branch', 'packed')
  git(root, 'tag', '--annotate', 'v1', '--message', 'one')
  git(root, 'update-ref', 'refs/remotes/origin/main', 'HEAD')
  git(root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main')
  git(root, 'pack-refs', '--all')
  git(root, 'branch', 'loose')
  const client = open({ roots: [root] })
  expect(await client.call('git_list_branches')).toBe(git(root, 'branch', '--all'))
  expect(await words(client.call('git_show', { revision: 'v1' }))).toContain('tag v1')
  fill(root, { 'a.txt': 'two\n' })
  await client.call('git_checkout', { branch: 'packed' })
  await client.call('git_add', { files: ['a.txt'] })
  await client.call('git_commit', { message: 'on a branch that was packed' })
  expect(git(root, 'log', '-1', '--format=%s', 'packed')).toBe('on a branch that was packed\n')
  await client.call('git_checkout', { branch: 'v1' })
  fill(root, { 'a.txt': 'three\n' })
  await client.call('git_add', { files: ['a.txt'] })
  await client.call('git_commit', { message: 'on no branch' })
  expect(git(root, 'log', '-1', '--format=%s', 'HEAD')).toBe('on no branch\n')
  expect(await client.call('git_current_branch')).toMatch(/^HEAD \(detached at/)
})

test('a branch may have the name of a folder that others left empty', async () => {
  const root = repository()
  mkdirSync(join(root, '.git/refs/heads/gone'))
  await open({ roots: [root] }).call('git_create_branch', { branch: 'gone' })
  expect(git(root, 'branch', '--list', 'gone')).toBe('  gone\n')
})

test('how far a branch is ahead of and behind its upstream', async () => {
  const root = folder()
  const origin = join(root, 'origin')
  mkdirSync(origin)
  initialise(origin)
  fill(origin, { 'a.txt': '1' })
  git(origin, 'add', '.')
  git(origin, 'commit', '--quiet', '--message', 'one')
  git(root, 'clone', '--quiet', 'origin', 'copy')
  git(origin, 'commit', '--quiet', '--allow-empty', '--message', 'two')
  const copy = join(root, 'copy')
  git(copy, 'fetch', '--quiet')
  git(copy, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '--message', 'three')
  const client = open({ roots: [root] })
  expect(await client.call('git_status', { repositoryPath: 'copy' })).toBe(
    '## main...origin/main [ahead 1, behind 1]\n',
  )
  expect(await words(client.call('git_log', { repositoryPath: 'copy', revision: '@{upstream}' }))).toContain('two')
})

test('a clone that shares objects, and working trees of one repository, inside the roots', async () => {
  const root = folder()
  const main = join(root, 'main')
  mkdirSync(main)
  initialise(main)
  fill(main, { 'a.txt': 'one\n' })
  git(main, 'add', '.')
  git(main, 'commit', '--quiet', '--message', 'first')
  git(root, 'clone', '--quiet', '--shared', 'main', 'shared')
  git(root, 'clone', '--quiet', '--shared', 'shared', 'shared-twice')
  git(main, 'worktree', 'add', '--quiet', join(root, 'tree'), '-b', 'tree')
  const client = open({ roots: [root] })
  for (const repositoryPath of ['shared', 'shared-twice', 'tree']) {
    expect(await client.call('git_show', { repositoryPath, revision: 'HEAD:a.txt' })).toBe('one\n')
  }
  fill(root, { 'tree/a.txt': 'from the tree\n' })
  await client.call('git_add', { repositoryPath: 'tree', files: ['a.txt'] })
  await client.call('git_commit', { repositoryPath: 'tree', message: 'in the tree' })
  expect(git(main, 'log', '-1', '--format=%s', 'tree')).toBe('in the tree\n')
  expect(git(join(root, 'tree'), 'status', '--porcelain')).toBe('')
  expect(git(main, 'status', '--porcelain', '--branch')).toBe('## main\n')
  const twice = client.call('git_checkout', { repositoryPath: 'tree', branch: 'main' })
  await expect(twice).rejects.toThrow(`'main' is already checked out at '${main}'`)
})

test('working trees are listed with what is checked out in them', async () => {
  const root = folder()
  const outside = join(folder(), 'elsewhere')
  git(root, 'clone', '--quiet', repository(), 'main')
  const main = join(root, 'main')
  git(main, 'worktree', 'add', '--quiet', join(root, 'tree'), '-b', 'side')
  git(main, 'worktree', 'add', '--quiet', '--detach', outside)
  git(main, 'worktree', 'add', '--quiet', join(root, 'lost'), '-b', 'lost')
  rmSync(join(root, 'lost'), { recursive: true })
  const client = open({ roots: [root] })
  const head = git(main, 'rev-parse', 'HEAD').slice(0, 10)
  const away = `${outside} detached at ${head} (outside the allowed roots)`
  const lost = `${root}/lost lost (gone)`
  expect(await client.call('git_list_worktrees', { repositoryPath: 'main' })).toBe(
    [`${main} main (this one)`, ...[away, lost, `${root}/tree side`].toSorted()].join('\n'),
  )
  expect(await client.call('git_list_worktrees', { repositoryPath: 'tree' })).toBe(
    [`${root}/tree side (this one)`, ...[away, lost, `${main} main`].toSorted()].join('\n'),
  )
})

test('a root below the top of its repository: not without the operator’s word, and then nothing outside of it is changed', async () => {
  const top = repository({ 'part/a.txt': 'one\n', 'other/b.txt': 'two\n' })
  git(top, 'branch', 'side')
  const root = join(top, 'part')
  await expect(open({ roots: [root] }).call('git_status')).rejects.toThrow(
    `It lies in that of '${top}', above the roots: the operator can allow that with --repository-above`,
  )
  const client = open({ roots: [root], repositoryAbove: true })
  fill(top, { 'part/a.txt': 'changed\n', 'other/b.txt': 'changed\n' })
  expect(await client.call('git_status')).toBe('## main\n M other/b.txt\n M part/a.txt\n')
  expect(await client.call('git_add', { files: ['.'] })).toBe('Staged:\nM\tpart/a.txt')
  await expect(client.call('git_add', { files: ['../other'] })).rejects.toThrow(/outside/)
  await client.call('git_commit', { message: 'part' })
  expect(git(top, 'show', '--format=%s', '--name-only')).toBe('part\n\npart/a.txt\n')
  fill(top, { 'part/a.txt': 'again\n' })
  await client.call('git_restore', { files: ['a.txt'] })
  await expect(client.call('git_restore', { files: ['../other/b.txt'] })).rejects.toThrow(/outside/)
  for (const [name, args] of [
    ['git_checkout', { branch: 'side' }],
    ['git_merge', { branch: 'side' }],
    ['git_stash', { action: 'push' }],
  ] as const)
    await expect(client.call(name, args), name).rejects.toThrow(/outside the allowed roots\. Restore single files/)
  expect(git(top, 'status', '--porcelain', '--branch')).toBe('## main\n M other/b.txt\n')
  await expect(client.call('read_file', { path: '../other/b.txt' })).rejects.toThrow(/outside/)
})

test('a repository with sha256 names', async () => {
  const root = folder()
  git(root, 'init', '--quiet', '--initial-branch', 'main', '--object-format', 'sha256')
  git(root, 'config', 'user.name', 'Ada')
  git(root, 'config', 'user.email', 'ada@example.org')
  fill(root, { 'a.txt': 'one\n' })
  const client = open({ roots: [root] })
  await client.call('git_add', { files: ['a.txt'] })
  await client.call('git_commit', { message: 'first' })
  expect(git(root, 'rev-parse', 'HEAD')).toHaveLength(65)
  expect(git(root, 'fsck')).toBe('')
})

test('line ends, ignored files and executable bits are taken as the repository says', async () => {
  const root = repository({ '.gitignore': '*.log\n' })
  git(root, 'config', 'core.autocrlf', 'true')
  git(root, 'config', 'core.fileMode', 'false')
  writeFileSync(join(root, '.git/info/exclude'), 'private.txt\n')
  fill(root, { 'x.log': '', 'private.txt': '', 'crlf.txt': 'a\r\nb\r\n' })
  chmodSync(join(root, '.gitignore'), 0o755)
  const client = open({ roots: [root] })
  expect(await client.call('git_status')).toBe('## main\n?? crlf.txt\n')
  await client.call('git_add', { files: ['crlf.txt'] })
  expect(git(root, 'cat-file', 'blob', ':crlf.txt')).toBe('a\nb\n')
})

test('a file changed in the second in which it was staged is seen as changed, though nothing else tells', async () => {
  const root = repository({ 'a.txt': 'one\n' })
  git(root, 'config', 'core.trustctime', 'false')
  git(root, 'config', 'core.checkStat', 'minimal')
  const client = open({ roots: [root] })
  const second = Math.floor(Date.now() / 1000) - 100
  const at = (file: string): void => utimesSync(join(root, file), second, second)
  fill(root, { 'a.txt': 'bbb\n' })
  at('a.txt')
  git(root, 'add', 'a.txt')
  at('.git/index')
  fill(root, { 'a.txt': 'ccc\n' })
  at('a.txt')
  expect(await client.call('git_status')).toContain('MM a.txt')
  await client.call('git_add', { files: ['a.txt'] })
  // Whole seconds are never later than the moment git wrote it.
  expect(statSync(join(root, '.git/index')).mtimeMs % 1000).toBe(0)
  at('.git/index')
  fill(root, { 'a.txt': 'ddd\n' })
  at('a.txt')
  expect(await client.call('git_status')).toContain('MM a.txt')
})

test('a merge that was begun is committed as one', async () => {
  const root = repository({ 'a.txt': 'one\n' })
  git(root, 'checkout', '--quiet', '-b', 'side')
  fill(root, { 'a.txt': 'side\n' })
  git(root, 'commit', '--quiet', '--all', '--message', 'side')
  git(root, 'checkout', '--quiet', 'main')
  fill(root, { 'a.txt': 'main\n' })
  git(root, 'commit', '--quiet', '--all', '--message', 'main')
  expect(() => git(root, 'merge', 'side')).toThrow('Command failed')
  const client = open({ roots: [root] })
  expect(await client.call('git_status')).toContain('UU a.txt')
  fill(root, { 'a.txt': 'both\n' })
  await client.call('git_add', { files: ['a.txt'] })
  await client.call('git_commit', { message: 'merged' })
  expect(git(root, 'log', '-1', '--format=%s %P').trim().split(' ')).toHaveLength(3)
  expect(existsSync(join(root, '.git/MERGE_HEAD'))).toBe(false)
  expect(git(root, 'status', '--porcelain')).toBe('')
})

test('a submodule is a plain entry that is left as it is', async () => {
  const root = repository()
  const part = repository({ 'part.txt': '' })
  git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', part, 'part')
  git(root, 'commit', '--quiet', '--message', 'with a part')
  git(
    join(root, 'part'),
    '-c',
    'user.name=A',
    '-c',
    'user.email=a@b',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'moved on',
  )
  fill(root, { 'a.txt': 'two\n', 'part/part.txt': 'changed' })
  const client = open({ roots: [root] })
  expect(await client.call('git_status')).toBe('## main\n M a.txt\n')
  expect(await client.call('git_add', { files: ['.'] })).toBe('Staged:\nM\ta.txt')
  // Our copy told git not to look; the repository's own index does not.
  expect(git(root, 'ls-files', '-v', 'part')).toBe('H part\n')
  expect(git(root, 'status', '--porcelain')).toBe('M  a.txt\n M part\n')
  git(root, 'add', 'part')
  expect(await words(client.call('git_diff', { staged: true, files: ['part'] }))).toContain('+Subproject commit')
  expect(await client.call('git_log', { repositoryPath: 'part', maxCount: 1 })).toContain('moved on')
})

test('a repository of its own in a folder is not staged as a link', async () => {
  const root = repository()
  mkdirSync(join(root, 'inner'))
  initialise(join(root, 'inner'))
  git(join(root, 'inner'), 'commit', '--quiet', '--allow-empty', '--message', 'x')
  const client = open({ roots: [root] })
  await expect(client.call('git_add', { files: ['.'] })).rejects.toThrow(/inner' is a git repository of its own/)
  expect(git(root, 'ls-files')).toBe('a.txt\n')
})

test.each(['2', '4'])('an index of version %s with submodules', async version => {
  const root = repository({ 'a/1.txt': '1', 'a/2.txt': '2', 'b.txt': 'b' })
  git(root, 'update-index', '--index-version', version)
  git(root, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},a/part`)
  git(root, 'update-index', '--add', '--cacheinfo', `160000,${'2'.repeat(40)},c`)
  fill(root, { 'b.txt': 'changed' })
  await open({ roots: [root] }).call('git_add', { files: ['b.txt'] })
  expect(
    git(root, 'ls-files', '-v')
      .split('\n')
      .filter(line => line.startsWith('h')),
  ).toEqual([])
  expect(git(root, 'ls-files', '--stage', 'a/part', 'c')).toBe(
    `160000 ${'1'.repeat(40)} 0\ta/part\n160000 ${'2'.repeat(40)} 0\tc\n`,
  )
  expect(git(root, 'fsck', '--no-dangling', '--connectivity-only')).toBe('')
})

test('what cannot be used is refused in words', async () => {
  const cases: Record<string, (root: string) => void> = {
    'split into two files': root => git(root, 'update-index', '--split-index'),
    'stores refs as': root => {
      git(root, 'config', 'core.repositoryFormatVersion', '1')
      git(root, 'config', 'extensions.refStorage', 'reftable')
    },
    'unknown extension': root => {
      git(root, 'config', 'core.repositoryFormatVersion', '1')
      git(root, 'config', 'extensions.new', 'x')
    },
    'is no setting': root => fill(root, { '.git/config': '[core]\n\t= x\n' }),
    'HEAD of the git repository': root => fill(root, { '.git/HEAD': 'nothing\n' }),
    'index is damaged': root => fill(root, { '.git/index': 'DIRC\0\0\0\u0002\0\0\u0001\0' }),
    'Another git process': root => fill(root, { '.git/index.lock': '' }),
  }
  for (const [message, make] of Object.entries(cases)) {
    const root = repository()
    make(root)
    fill(root, { 'a.txt': 'two\n' })
    await expect(open({ roots: [root] }).call('git_add', { files: ['a.txt'] })).rejects.toThrow(message)
  }
})

test('the owner of the machine says who commits and what is ignored, also for one folder of repositories', async () => {
  const root = folder()
  git(root, 'init', '--quiet', '--initial-branch', 'main')
  const files = {
    '.gitconfig': `[user]\n\tname = Owner\n\temail = owner@example.org\n[core]\n\texcludesFile = ~/ignored\n[includeIf "gitdir:${root}/"]\n\tpath = ~/work\n`,
    work: '[user]\n\temail = work@example.org\n',
    ignored: '*.mine\n',
  }
  await atHome(files, async () => {
    fill(root, { 'a.txt': '', 'b.mine': '' })
    const client = open({ roots: [root] })
    expect(await client.call('git_status')).toBe('## No commits yet on main\n?? a.txt\n')
    await client.call('git_add', { files: ['a.txt'] })
    await client.call('git_commit', { message: 'first' })
  })
  expect(git(root, 'log', '--format=%an %ae')).toBe('Owner work@example.org\n')
})

test('a filter of the machine’s owner is not run, and what it would change is not staged', async () => {
  const marker = join(folder(), 'ran')
  const files = { '.gitconfig': `[filter "lfs"]\n\tclean = touch ${marker}; cat\n\tsmudge = touch ${marker}; cat\n` }
  const root = repository({ '.gitattributes': '*.bin filter=lfs\n', 'old.bin': 'old' })
  git(root, 'add', '.')
  fill(root, { 'big.bin': 'big', 'plain.txt': 'x', 'sub/x.txt': 'x', 'old.bin': 'new' })
  await atHome(files, async () => {
    const client = open({ roots: [root] })
    for (const repositoryPath of ['.', 'sub']) {
      const call = client.call('git_add', { repositoryPath, files: [join(root, 'big.bin'), join(root, 'sub')] })
      await expect(call).rejects.toThrow("stored through the filter 'lfs'")
    }
    expect(git(root, 'diff', '--cached', '--name-only')).toBe('')
    // What is filtered may be staged already, and may have changed: that is no one else's matter.
    expect(await client.call('git_add', { files: ['plain.txt'] })).toBe('Staged:\nA\tplain.txt')
    const tiny = open({ roots: [root], limits: { resultBytes: 8192 } })
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`m/${i}.txt`, '']))
    fill(root, { ...many, 'm/250.bin': 'hidden among many' })
    await expect(tiny.call('git_add', { files: ['m'] })).rejects.toThrow("stored through the filter 'lfs'")
  })
  expect(existsSync(marker)).toBe(false)
})

test('sparse checkouts, bare repositories, and a repository whose parts are links inside the roots', async () => {
  const root = folder()
  const main = join(root, 'main')
  mkdirSync(main)
  initialise(main)
  fill(main, { 'in/a.txt': 'a', 'out/b.txt': 'b' })
  git(main, 'add', '.')
  git(main, 'commit', '--quiet', '--message', 'first')
  git(root, 'clone', '--quiet', '--bare', 'main', 'bare.git')
  git(main, 'sparse-checkout', 'set', 'in')
  mkdirSync(join(root, 'linked/.git'), { recursive: true })
  for (const name of ['objects', 'refs', 'config', 'HEAD', 'index']) {
    symlinkSync(`../../main/.git/${name}`, join(root, 'linked/.git', name))
  }
  const client = open({ roots: [root] })
  expect(await client.call('git_status', { repositoryPath: 'main' })).toBe('## main\n')
  expect(await words(client.call('git_log', { repositoryPath: 'bare.git' }))).toContain('first')
  await client.call('git_create_branch', { repositoryPath: 'bare.git', branch: 'x' })
  expect(git(join(root, 'bare.git'), 'branch', '--list', 'x')).toBe('  x\n')
  await expect(client.call('git_status', { repositoryPath: 'bare.git' })).rejects.toThrow('work tree')
  expect(await words(client.call('git_log', { repositoryPath: 'linked' }))).toContain('first')
})

test('calls at the same time all take effect', async () => {
  const root = repository()
  const names = Array.from({ length: 8 }, (_, i) => `f${i}.txt`)
  fill(root, Object.fromEntries(names.map(name => [name, name])))
  const client = open({ roots: [root] })
  await Promise.all(names.map(name => client.call('git_add', { files: [name] })))
  expect(git(root, 'diff', '--cached', '--name-only').trim().split('\n')).toEqual(names)
})
