import { chmodSync, mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { everything, trap } from './canary.ts'
import { fill, folder, git, initialise, open, repository } from '../place.ts'

test('nothing that a repository configures is run', async () => {
  const { program, sprung } = trap()
  const root = repository({ '.gitattributes': '* diff=evil merge=evil\n*.odd filter=evil\n', 'a.txt': 'one\n' })
  const hooks =
    `pre-commit commit-msg prepare-commit-msg post-commit post-checkout post-index-change reference-transaction
    post-rewrite pre-auto-gc fsmonitor-watchman applypatch-msg`.split(/\s+/)
  for (const hook of hooks) {
    writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\n${program} hook-${hook}\n`)
    chmodSync(join(root, '.git/hooks', hook), 0o755)
  }
  mkdirSync(join(root, 'hooks'))
  writeFileSync(join(root, 'hooks/pre-commit'), `#!/bin/sh\n${program} hooks-path\n`)
  chmodSync(join(root, 'hooks/pre-commit'), 0o755)
  for (const [key, value] of [
    ['core.hooksPath', 'hooks'],
    ['core.fsmonitor', `${program} fsmonitor`],
    ['core.pager', `${program} pager`],
    ['core.editor', `${program} editor`],
    ['core.askPass', program],
    ['core.sshCommand', `${program} ssh`],
    ['core.gitProxy', program],
    ['core.alternateRefsCommand', program],
    ['pager.log', `${program} pager-log`],
    ['pager.status', `${program} pager-status`],
    ['pager.diff', `${program} pager-diff`],
    ['credential.helper', `!${program} credential`],
    ['diff.external', `${program} external`],
    ['diff.evil.command', `${program} diff-command`],
    ['diff.evil.textconv', `${program} textconv`],
    ['merge.evil.driver', `${program} merge`],
    ['filter.evil.clean', `${program} clean`],
    ['filter.evil.smudge', `${program} smudge`],
    ['filter.evil.process', `${program} process`],
    ['filter.evil.required', 'true'],
    ['filter.a=b.clean', `${program} odd-name`],
    ['commit.gpgSign', 'true'],
    ['gpg.program', program],
    ['gpg.ssh.program', program],
    ['log.showSignature', 'true'],
    ['format.pretty', '%G? %s'],
    ['alias.status', `!${program} alias`],
    ['alias.log', `!${program} alias`],
    ['gc.auto', '1'],
    ['sequence.editor', program],
    ['interactive.diffFilter', program],
    ['trailer.x.command', program],
    ['trailer.x.cmd', program],
    ['status.submoduleSummary', 'true'],
    ['uploadpack.packObjectsHook', program],
    ['remote.origin.url', `ext::${program} remote`],
    ['remote.origin.promisor', 'true'],
    ['extensions.partialClone', 'origin'],
    ['core.repositoryFormatVersion', '1'],
  ] as const) {
    git(root, 'config', key, value)
  }
  const said = await everything(open({ roots: [root] }), root)
  expect(sprung()).toEqual([])
  expect(said.filter(line => line.includes('FAILED'))).toEqual([])
  expect(said.find(line => line.startsWith('git_checkout'))).toContain('Not run: the filters that are configured')
  fill(root, { 'x.odd': 'odd\n' })
  await expect(open({ roots: [root] }).call('git_add', { files: ['.'] })).rejects.toThrow(
    "Nothing was staged: 'x.odd' is stored through the filter 'evil', a program that is not run here.",
  )
  expect(sprung()).toEqual([])
  // The same settings do spring the trap when git is left alone, so the test tests something.
  git(root, 'config', '--unset', 'core.hooksPath')
  fill(root, { 'a.txt': 'once more\n' })
  expect(() => git(root, 'add', '.')).toThrow('trap.sh')
  expect(sprung().length).toBeGreaterThan(0)
})

test('a missing object is not fetched', async () => {
  const { program, sprung } = trap()
  const root = repository()
  git(root, 'config', 'remote.origin.url', `ext::${program}`)
  git(root, 'config', 'remote.origin.promisor', 'true')
  git(root, 'config', 'protocol.ext.allow', 'always')
  const client = open({ roots: [root] })
  await expect(client.call('git_show', { revision: '1'.repeat(40) })).rejects.toThrow('There is no revision')
  expect(sprung()).toEqual([])
})

test('a program called git in the project is not git', async () => {
  const { program, sprung } = trap()
  const root = repository()
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true })
  for (const at of ['git', 'node_modules/.bin/git']) {
    writeFileSync(join(root, at), `#!/bin/sh\n${program} fake\n`)
    chmodSync(join(root, at), 0o755)
  }
  const path = process.env.PATH
  process.env.PATH = `${join(root, 'node_modules/.bin')}:.:${path}`
  try {
    expect(await open({ roots: [root] }).call('git_current_branch')).toBe('main')
  } finally {
    process.env.PATH = path
  }
  expect(sprung()).toEqual([])
})

test('a repository whose parts lie outside the roots is refused', async () => {
  const outside = repository({ 'secret.txt': 'the secret\n' })
  const inside = (): string => folder({ 'a.txt': 'x' })
  const cases: Record<string, (root: string) => void> = {
    'a .git file that points outside': root => writeFileSync(join(root, '.git'), `gitdir: ${outside}/.git\n`),
    'a .git link that leads outside': root => symlinkSync(join(outside, '.git'), join(root, '.git')),
    'a work tree outside': root => {
      initialise(root)
      git(root, 'config', 'core.worktree', outside)
    },
    'objects borrowed from outside': root => {
      initialise(root)
      writeFileSync(join(root, '.git/objects/info/alternates'), `${outside}/.git/objects\n`)
    },
    'an index that is a link outside': root => {
      initialise(root)
      symlinkSync(join(outside, 'stolen-index'), join(root, '.git/index'))
    },
    'references that are a link outside': root => {
      initialise(root)
      symlinkSync(outside, join(root, '.git/refs/heads/x'))
    },
    'a common directory outside': root => {
      initialise(root)
      writeFileSync(join(root, '.git/commondir'), `${outside}/.git\n`)
    },
  }
  for (const [name, make] of Object.entries(cases)) {
    const root = inside()
    make(root)
    const client = open({ roots: [root] })
    for (const [tool, args] of [
      ['git_status', {}],
      ['git_log', {}],
      ['git_show', { revision: 'HEAD:secret.txt' }],
      ['git_add', { files: ['a.txt'] }],
      ['git_commit', { message: 'x' }],
      ['git_create_branch', { branch: 'evil' }],
    ] as const) {
      const said = await client.call(tool, args).then(String, (error: Error) => error.message)
      expect({ name, tool, said }).toMatchObject({
        name,
        tool,
        said: expect.stringMatching(/outside the allowed directories|symbolic link/),
      })
    }
  }
  expect(readdirSync(outside).toSorted()).toEqual(['.git', 'secret.txt'])
  expect(git(outside, 'branch', '--list').trim()).toBe('* main')
})

test('a repository above the root is not used', async () => {
  const outer = repository({ 'inner/a.txt': '', 'secret.txt': 'x' })
  const client = open({ roots: [join(outer, 'inner')] })
  await expect(client.call('git_status')).rejects.toThrow('not inside a git repository')
  await expect(client.call('git_log')).rejects.toThrow('not inside a git repository')
})

test('a worktree inside the roots is used like any other', async () => {
  const root = folder()
  const main = join(root, 'main')
  mkdirSync(main)
  initialise(main)
  fill(main, { 'a.txt': '' })
  git(main, 'add', '.')
  git(main, 'commit', '--quiet', '--message', 'first')
  git(main, 'worktree', 'add', '--quiet', join(root, 'tree'), '-b', 'tree')
  const client = open({ roots: [root] })
  expect(await client.call('git_current_branch', { repositoryPath: 'tree' })).toBe('tree')
  await expect(open({ roots: [join(root, 'tree')] }).call('git_status')).rejects.toThrow('outside the allowed')
})

test('a submodule is looked at from outside only', async () => {
  const { program, sprung } = trap()
  const root = repository()
  const part = repository({ 'part.txt': '' })
  git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', part, 'part')
  git(root, 'commit', '--quiet', '--message', 'with a part')
  git(join(root, 'part'), 'config', 'core.fsmonitor', `${program} fsmonitor`)
  git(join(root, 'part'), 'config', 'filter.deep.clean', `${program} clean`)
  fill(root, { 'part/.gitattributes': '* filter=deep\n' })
  git(root, 'config', 'submodule.recurse', 'true')
  fill(root, { 'part/part.txt': 'changed', 'part/new.txt': 'new' })
  const said = await everything(open({ roots: [root] }), root)
  expect(said.filter(line => line.includes('FAILED'))).toEqual([])
  expect(sprung()).toEqual([])
  git(root, 'add', '.')
  expect(sprung().length).toBeGreaterThan(0)
})

test('revisions that search messages are refused, since their cost has no bound', async () => {
  const client = open({ roots: [repository()] })
  for (const revision of ['HEAD^{/((((a{1,99}){1,99}){1,99}){1,9})}', ':/((a{1,99}){1,99}){1,99}'])
    for (const tool of [
      'git_log',
      'git_show',
      'git_diff',
      'git_create_tag',
      'git_create_branch',
      'git_checkout',
      'git_merge',
    ]) {
      const args = { revision, branch: revision, startPoint: revision, tag: 'x' }
      const wanted = { git_create_tag: ['tag', 'revision'], git_create_branch: ['branch', 'startPoint'] }[tool]
      const own = wanted ?? (/checkout|merge/.test(tool) ? ['branch'] : ['revision'])
      const sent = Object.fromEntries(Object.entries(args).filter(([name]) => own.includes(name)))
      await expect(client.call(tool, sent), tool).rejects.toThrow('cannot search commit messages')
    }
})

test('the logs of a repository are bounded in sum', async () => {
  const root = repository()
  for (let i = 0; i < 11; i++) {
    const path = join(root, `.git/logs/refs/heads/x${i}`)
    writeFileSync(path, '')
    truncateSync(path, 12 * 1024 ** 2)
  }
  const client = open({ roots: [root] })
  await expect(client.call('git_show', { revision: 'HEAD@{0}' })).rejects.toThrow(/has more than \d+ bytes/)
})
