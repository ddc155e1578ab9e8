import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { fill, folder, git, open, refusal, repository } from '../place.ts'

/** Calls that fail, and what they say in a repository that has no commit yet; whatever they say is in our words. */
const BAD: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
  ['git_log', { revision: 'mian' }, /^There is no revision 'mian'\. Did you mean 'main'\?/],
  ['git_log', { revision: 'main..featur' }, /^There is no revision 'main\.\.featur'/],
  ['git_show', { revision: 'nope' }, /^There is no revision 'nope'\. git_list_branches and git_list_tags name/],
  ['git_show', { revision: 'HEAD:nope.txt' }, /^There is no 'nope\.txt' in 'HEAD'/],
  ['git_diff', { revision: 'nope' }, /^There is no revision 'nope'/],
  ['git_blame', { file: 'a.txt', revision: 'nope' }, /^There is no revision 'nope'/],
  ['git_blame', { file: 'new.txt' }, /^There is no file 'new\.txt' in HEAD/],
  ['git_blame', { file: 'a.txt', offset: 100 }, /has only 1 lines?\.$/],
  ['git_merge', { branch: 'featrue' }, /^There is no revision 'featrue'\. Did you mean 'feature'\?/],
  ['git_checkout', { branch: 'featrue' }, /^There is no revision 'featrue'\. Did you mean 'feature'\?/],
  ['git_create_branch', { branch: 'x', startPoint: 'nope' }, /^There is no revision 'nope'/],
  ['git_create_branch', { branch: 'main' }, /^A branch 'main' already exists\.$/],
  ['git_create_branch', { branch: 'a..b' }, /^'a\.\.b' cannot be the name of a branch\.$/],
  ['git_create_tag', { tag: 't', revision: 'nope' }, /^There is no revision 'nope'/],
  ['git_create_tag', { tag: 'v1' }, /^A tag 'v1' already exists\.$/],
  ['git_restore', { files: ['new.txt'] }, /^Git knows no file/],
  ['git_restore', { files: ['a.txt'], revision: 'nope' }, /^There is no revision 'nope'/],
  ['git_commit', { message: 'nothing' }, /^Nothing is staged\. Stage files with git_add first\.$/],
]

test('git’s complaints are told in our words, with what to do', async () => {
  const root = repository({ 'a.txt': 'one\n' })
  git(root, 'branch', 'feature')
  git(root, 'tag', 'v1')
  fill(root, { 'new.txt': 'x' })
  const client = open({ roots: [root] })
  for (const [tool, args, words] of BAD) {
    const { message } = await refusal(client.call(tool, args))
    expect(message, `${tool} ${JSON.stringify(args)}`).toMatch(words)
    expect(message).not.toMatch(/fatal:|error:|exit code/)
  }
})

test('in a repository without commits every tool says that, or does its work', async () => {
  const root = folder()
  execFileSync('git', ['init', '-q', '-b', 'main', root])
  fill(root, { 'a.txt': 'one\n' })
  const client = open({ roots: [root] })
  const calls: readonly (readonly [string, Record<string, unknown>])[] = [
    ['git_log', {}],
    ['git_show', {}],
    ['git_blame', { file: 'a.txt' }],
    ['git_merge', { branch: 'other' }],
    ['git_checkout', { branch: 'main' }],
    ['git_create_branch', { branch: 'x' }],
    ['git_create_tag', { tag: 't' }],
    ['git_stash', { action: 'push' }],
    ['git_restore', { files: ['a.txt'], revision: 'HEAD' }],
    ['git_diff', { revision: 'HEAD' }],
    ['git_commit', { message: 'x', amend: true }],
  ]
  for (const [tool, args] of calls) {
    const { message } = await refusal(client.call(tool, args))
    expect(message, tool).toMatch(/has no commits yet|no commit to amend/)
    expect(message).not.toMatch(/fatal:|error:|exit code/)
  }
})
