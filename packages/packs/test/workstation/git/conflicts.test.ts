import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@causeway/engine/testing'
import { expect, test } from 'vitest'
import { fill, git, open, repository } from '../place.ts'

const read = (root: string, name: string): string => readFileSync(join(root, name), 'utf8')
async function said(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content, isError } = await client.request('tools/call', { name, arguments: args })
  const words = (content as { text: string }[]).map(block => block.text).join('\n')
  if (isError) throw new Error(words)
  return words
}

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const text = (changes: Readonly<Record<number, string>> = {}): string =>
  LINES.map((line, i) => `${changes[i + 1] ?? line}\n`).join('')

/** Two branches that changed the same file in two places, and one more file that one of them deleted. */
function forked(): string {
  const root = repository({ 'a.txt': text(), 'gone.txt': 'here\n', 'other.txt': 'other\n' })
  git(root, 'checkout', '--quiet', '-b', 'side')
  fill(root, { 'a.txt': text({ 1: 'ONE side', 9: 'NINE side', 5: 'five side' }), 'gone.txt': 'changed\n' })
  git(root, 'commit', '--quiet', '--all', '--message', 'side', '--author', 'Bob <bob@example.org>')
  git(root, 'checkout', '--quiet', 'main')
  fill(root, { 'a.txt': text({ 1: 'ONE main', 9: 'NINE main' }) })
  git(root, 'rm', '--quiet', 'gone.txt')
  git(root, 'commit', '--quiet', '--all', '--message', 'main')
  return root
}

test('conflicts of a merge stay if that is asked for, are listed with both sides, resolved and committed', async () => {
  const root = forked()
  const client = open({ roots: [root] })
  await expect(client.call('git_merge', { branch: 'side' })).rejects.toThrow(/nothing was changed: 2 files/)
  expect(git(root, 'status', '--porcelain')).toBe('')
  expect(await said(client, 'git_merge', { branch: 'side', keep_conflicts: true })).toMatch(
    /^Not finished: 2 files are in conflict: a\.txt, gone\.txt\./,
  )
  expect(git(root, 'status', '--porcelain')).toBe('UU a.txt\nDU gone.txt\n')
  expect(git(root, 'rev-parse', 'MERGE_HEAD')).toBe(git(root, 'rev-parse', 'side'))
  const listed = await client.request('tools/call', { name: 'git_conflicts', arguments: {} })
  expect(listed.structuredContent).toEqual({
    operation: { name: 'merge', commit: git(root, 'rev-parse', 'side').trim() },
    files: [
      {
        path: 'a.txt',
        kind: 'changed on both sides',
        hunks: [
          { hunk: 1, line: 1, ours: 'ONE main\n', theirs: 'ONE side\n' },
          { hunk: 2, line: 13, ours: 'NINE main\n', theirs: 'NINE side\n' },
        ],
      },
      { path: 'gone.txt', kind: 'deleted in ours, changed in theirs', hunks: [] },
    ],
    total: 2,
  })
  await expect(client.call('git_merge', { branch: 'side' })).rejects.toThrow(/^A merge of \w+ is not finished/)
  await expect(client.call('git_continue', {})).rejects.toThrow('still in conflict are a.txt, gone.txt')
  expect(await said(client, 'git_resolve', { file: 'a.txt', side: 'theirs', hunk: 2 })).toBe(
    'Resolved hunk 2 by theirs of a.txt. 1 left in it.',
  )
  await expect(client.call('git_resolve', { file: 'a.txt', side: 'file' })).rejects.toThrow('still has 1 conflict')
  await expect(client.call('git_resolve', { file: 'a.txt', side: 'ours', hunk: 2 })).rejects.toThrow('must be 1 to 1')
  expect(await said(client, 'git_resolve', { file: 'a.txt', side: 'both', hunk: 1 })).toBe(
    'Resolved and staged a.txt (hunk 1 by both). 1 more in conflict.',
  )
  expect(read(root, 'a.txt')).toBe(text({ 1: 'ONE main\nONE side', 5: 'five side', 9: 'NINE side' }))
  await expect(client.call('git_resolve', { file: 'a.txt', side: 'ours' })).rejects.toThrow(
    "must name a file in conflict, got 'a.txt'. These are: gone.txt.",
  )
  await expect(client.call('git_resolve', { file: 'gone.txt', side: 'both' })).rejects.toThrow('has no hunks')
  expect(await said(client, 'git_resolve', { file: 'gone.txt', side: 'ours' })).toMatch(/deleted, as in ours.*git_cont/)
  expect(existsSync(join(root, 'gone.txt'))).toBe(false)
  expect(await said(client, 'git_conflicts')).toContain('The merge is not finished: git_continue commits it.')
  expect(await said(client, 'git_continue')).toMatch(/^Finished the merge\. \[main \w+\] Merge side/)
  expect(git(root, 'log', '-1', '--format=%B %p').trim()).toMatch(/^Merge side\n+ \w+ \w+$/)
  expect(git(root, 'status', '--porcelain')).toBe('')
  expect(existsSync(join(root, '.git/MERGE_HEAD'))).toBe(false)
  expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
  await expect(client.call('git_continue', {})).rejects.toThrow('unfinished here. Begin one with git_merge')
})

test('a resolution is undone, in the index too, until its merge is over', async () => {
  const root = forked()
  const client = open({ roots: [root] })
  await client.call('git_merge', { branch: 'side', keep_conflicts: true })
  const marked = read(root, 'a.txt')
  const before = git(root, 'ls-files', '--stage')
  await client.call('git_resolve', { file: 'a.txt', side: 'ours', whole: true })
  expect(read(root, 'a.txt')).toBe(text({ 1: 'ONE main', 9: 'NINE main' }))
  await client.call('git_resolve', { file: 'gone.txt', side: 'ours' })
  expect(await said(client, 'undo_edit')).toContain('Undid git_resolve of gone.txt')
  expect(await said(client, 'undo_edit')).toContain('Undid git_resolve of a.txt')
  expect(read(root, 'a.txt')).toBe(marked)
  expect(read(root, 'gone.txt')).toBe('changed\n')
  expect(git(root, 'ls-files', '--stage')).toBe(before)

  await client.call('git_resolve', { file: 'a.txt', side: 'theirs' })
  await client.call('git_resolve', { file: 'gone.txt', side: 'theirs' })
  await client.call('git_continue', { message: 'Both together' })
  expect(git(root, 'log', '-1', '--format=%s')).toBe('Both together\n')
  await expect(client.call('undo_edit', {})).rejects.toThrow(/was resolved is over, so this is not undone.*git_revert/)
  expect(read(root, 'gone.txt')).toBe('changed\n')
  expect(git(root, 'status', '--porcelain')).toBe('')
})

test('a merge is given up, and what is edited by hand is taken as it is', async () => {
  const root = forked()
  const client = open({ roots: [root] })
  const before = git(root, 'rev-parse', 'HEAD')
  fill(root, { 'other.txt': 'not committed\n' })
  await client.call('git_merge', { branch: 'side', keep_conflicts: true })
  fill(root, { 'a.txt': 'by hand\n' })
  expect(await said(client, 'git_resolve', { file: 'a.txt', side: 'file' })).toContain('staged a.txt (as it is)')
  fill(root, { 'a.txt': 'by hand, later\n' })
  await expect(client.call('git_abort', {})).rejects.toThrow("'a.txt' was edited after it was staged")
  await client.call('git_add', { files: ['a.txt'] })
  expect(await said(client, 'git_abort')).toMatch(/^Gave up the merge of \w+/)
  expect(git(root, 'rev-parse', 'HEAD')).toBe(before)
  expect(git(root, 'status', '--porcelain')).toBe(' M other.txt\n')
  expect(read(root, 'a.txt')).toBe(text({ 1: 'ONE main', 9: 'NINE main' }))
  expect(existsSync(join(root, '.git/MERGE_HEAD'))).toBe(false)
  fill(root, { 'a.txt': 'in the way\n' })
  await expect(client.call('git_merge', { branch: 'side', keep_conflicts: true })).rejects.toThrow(
    /^Not begun, and nothing was changed: .*a\.txt/s,
  )
  expect(read(root, 'a.txt')).toBe('in the way\n')
  expect(existsSync(join(root, '.git/MERGE_HEAD'))).toBe(false)
})

test('one commit is taken over with its author, or taken back', async () => {
  const root = repository({ 'a.txt': text() })
  const client = open({ roots: [root] })
  git(root, 'checkout', '--quiet', '-b', 'side')
  fill(root, { 'a.txt': text({ 9: 'nine side' }) })
  git(root, 'commit', '--quiet', '--all', '--message', 'nine\n\n#1 stays', '--author', 'Bob <bob@example.org>')
  git(root, 'checkout', '--quiet', 'main')
  fill(root, { 'a.txt': text({ 1: 'one main' }) })
  git(root, 'commit', '--quiet', '--all', '--message', 'one')
  expect(await said(client, 'git_cherry_pick', { revision: 'side' })).toMatch(/^Made commit \w+: nine\nUpdating/)
  expect(git(root, 'log', '-1', '--format=%an %cn %B').trim()).toBe('Bob Ada nine\n\n#1 stays')
  expect(read(root, 'a.txt')).toBe(text({ 1: 'one main', 9: 'nine side' }))
  expect(await said(client, 'git_cherry_pick', { revision: 'side' })).toMatch(/^Nothing to cherry-pick/)
  expect(await said(client, 'git_revert', { revision: 'HEAD~1' })).toMatch(/^Made commit \w+: Revert "one"/)
  expect(read(root, 'a.txt')).toBe(text({ 9: 'nine side' }))
  expect(git(root, 'log', '-1', '--format=%an %b')).toMatch(/^Ada This reverts commit \w{40}\.\n/)
  await expect(client.call('git_revert', { revision: 'main', mainline: 2 })).rejects.toThrow(
    'is no merge: leave it out',
  )
  const first = git(root, 'rev-list', '--max-parents=0', 'HEAD').trim()
  await expect(client.call('git_revert', { revision: first })).rejects.toThrow('is the first commit')
  await expect(client.call('git_cherry_pick', { revision: 'sied' })).rejects.toThrow("'side'")
  git(root, 'checkout', '--quiet', '-b', 'merged', 'HEAD~1')
  git(root, 'merge', '--quiet', '--no-ff', '-m', 'merge', 'main')
  await expect(client.call('git_revert', { revision: 'HEAD' })).rejects.toThrow("give 'mainline', 1 to 2")
  expect(await said(client, 'git_revert', { revision: 'HEAD', mainline: 1 })).toContain('Revert "merge"')
  expect(git(root, 'status', '--porcelain')).toBe('')
})

test.each(['git_cherry_pick', 'git_revert'] as const)(
  'conflicts of %s are resolved like those of a merge',
  async name => {
    const root = forked()
    const client = open({ roots: [root] })
    if (name === 'git_revert') {
      fill(root, { 'a.txt': text({ 1: 'once more', 9: 'NINE main' }) })
      git(root, 'commit', '--quiet', '--all', '--message', 'again')
    }
    const revision = name === 'git_revert' ? 'HEAD~1' : 'side'
    await expect(client.call(name, { revision })).rejects.toThrow(/^Nothing was changed: this [\w-]+ would conflict in/)
    expect(git(root, 'status', '--porcelain')).toBe('')
    await client.call(name, { revision, keep_conflicts: true })
    expect(await said(client, 'git_conflicts', { file: 'a.txt' })).toMatch(/hunk 1, line 1\n--- ours\n.*\n--- theirs\n/)
    for (const { path } of (
      (await client.request('tools/call', { name: 'git_conflicts', arguments: {} })) as unknown as {
        structuredContent: { files: { path: string }[] }
      }
    ).structuredContent.files) {
      await client.call('git_resolve', { file: path, side: 'theirs' })
    }
    await client.call('git_continue')
    const [author, subject] = git(root, 'log', '-1', '--format=%an%n%s').split('\n')
    expect([author, subject]).toEqual(name === 'git_revert' ? ['Ada', 'Revert "main"'] : ['Bob', 'side'])
    expect(git(root, 'status', '--porcelain')).toBe('')
    expect(existsSync(join(root, '.git/CHERRY_PICK_HEAD'))).toBe(false)
    expect(existsSync(join(root, '.git/REVERT_HEAD'))).toBe(false)
  },
)

test('unpublished commits are rebased; others, merges and conflicts are refused', async () => {
  const root = repository({ 'a.txt': text() })
  const client = open({ roots: [root] })
  git(root, 'checkout', '--quiet', '-b', 'side')
  fill(root, { 'a.txt': text({ 9: 'NINE' }) })
  git(root, 'commit', '--quiet', '--all', '--message', 'nine', '--author', 'Bob <bob@example.org>')
  fill(root, { 'b.txt': 'b\n' })
  git(root, 'add', '.')
  git(root, 'commit', '--quiet', '--message', 'b')
  git(root, 'checkout', '--quiet', 'main')
  fill(root, { 'a.txt': text({ 1: 'one' }), 'c.txt': 'c\n' })
  git(root, 'add', '.')
  git(root, 'commit', '--quiet', '--message', 'c')
  await expect(client.call('git_rebase', { onto: 'HEAD~1' })).resolves.toContain('begins at HEAD~1 already')
  git(root, 'checkout', '--quiet', 'side')
  fill(root, { 'a.txt': 'dirty\n' })
  await expect(client.call('git_rebase', { onto: 'main' })).rejects.toThrow('There are uncommitted changes')
  git(root, 'checkout', '--quiet', 'a.txt')
  git(root, 'update-ref', 'refs/remotes/origin/side', 'HEAD~1')
  await expect(client.call('git_rebase', { onto: 'main' })).rejects.toThrow(/'\w+' is published: a remote branch/)
  git(root, 'update-ref', '-d', 'refs/remotes/origin/side')
  const before = git(root, 'rev-parse', 'HEAD').slice(0, 10)
  expect(await said(client, 'git_rebase', { onto: 'main' })).toContain(
    `Rebased 2 commits onto main. Before, the branch was at ${before}`,
  )
  expect(git(root, 'log', '--format=%an %s')).toBe('Ada b\nBob nine\nAda c\nAda first\n')
  expect(git(root, 'status', '--porcelain', '--branch')).toBe('## side\n')
  expect(read(root, 'c.txt')).toBe('c\n')
  git(root, 'checkout', '--quiet', '-b', 'clash', 'main~1')
  fill(root, { 'c.txt': 'another\n' })
  git(root, 'add', '.')
  git(root, 'commit', '--quiet', '--message', 'clash')
  await expect(client.call('git_rebase', { onto: 'main' })).rejects.toThrow(
    /nothing was changed: \w+ \(clash\) would conflict in c\.txt/,
  )
  expect(git(root, 'status', '--porcelain', '--branch')).toBe('## clash\n')
  git(root, 'merge', '--quiet', '--no-edit', '-s', 'ours', 'side')
  git(root, 'checkout', '--quiet', '-b', 'elsewhere', 'main')
  fill(root, { 'd.txt': 'd\n' })
  git(root, 'add', '.')
  git(root, 'commit', '--quiet', '--message', 'd')
  git(root, 'checkout', '--quiet', 'clash')
  await expect(client.call('git_rebase', { onto: 'elsewhere' })).rejects.toThrow(
    'is a merge, which a rebase would lose',
  )
})

test.each([false, true])(
  'a branch is deleted for good only if its commits are merged (refs packed: %s)',
  async isPacked => {
    const root = repository()
    git(root, 'branch', 'merged')
    git(root, 'branch', 'feature/deep')
    git(root, 'checkout', '--quiet', '-b', 'side')
    fill(root, { 'a.txt': 'side\n' })
    git(root, 'commit', '--quiet', '--all', '--message', 'side')
    const at = git(root, 'rev-parse', 'side').slice(0, 10)
    git(root, 'checkout', '--quiet', 'main')
    if (isPacked) git(root, 'pack-refs', '--all')
    const client = open({ roots: [root] })
    expect(await said(client, 'git_delete_branch', { branch: 'merged' })).toContain('Deleted branch merged')
    expect(await said(client, 'git_delete_branch', { branch: 'feature/deep' })).toContain('Deleted branch feature/deep')
    await expect(client.call('git_delete_branch', { branch: 'side' })).rejects.toThrow(/'side' is not merged.*force/)
    expect(await said(client, 'git_delete_branch', { branch: 'side', force: true })).toContain(`startPoint ${at}`)
    expect(git(root, 'branch', '--list')).toBe('* main\n')
    expect(existsSync(join(root, '.git/logs/refs/heads/side'))).toBe(false)
    await client.call('git_create_branch', { branch: 'side', startPoint: at })
    expect(git(root, 'rev-parse', 'side').slice(0, 10)).toBe(at)
    await expect(client.call('git_delete_branch', { branch: 'main' })).rejects.toThrow(/'main' is checked out/)
    await expect(client.call('git_delete_branch', { branch: 'sied' })).rejects.toThrow(/no branch 'sied'/)
    await expect(client.call('git_delete_branch', { branch: '../../config', force: true })).rejects.toThrow(
      'git_list_branches names what there is',
    )
    expect(existsSync(join(root, '.git/config'))).toBe(true)
  },
)
