import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@causeway/engine/testing'
import { fill, folder } from '../place.ts'

const EMPTY = 'nothing is staged, so this fails'

/** Use every git tool, whatever becomes of it, on the branch that is checked out. */
export async function everything(
  client: Client,
  root: string,
  more: Readonly<Record<string, unknown>> = {},
  branch = 'main',
): Promise<string[]> {
  fill(root, { 'a.txt': `changed ${Math.random()}\n`, 'new.bin': `${Math.random()}` })
  const said: string[] = []
  for (const [tool, args] of [
    ['git_status', {}],
    ['git_diff', {}],
    ['git_diff', { revision: 'HEAD' }],
    ['git_stash', { action: 'push', includeUntracked: true }],
    ['git_stash', { action: 'show' }],
    ['git_stash', { action: 'pop' }],
    ['git_add', { files: ['.'] }],
    ['git_add', { files: ['a.txt', 'new.bin'] }],
    ['git_diff', { staged: true }],
    ['git_commit', { message: 'all' }],
    ['git_commit', { message: EMPTY }],
    ['git_log', {}],
    ['git_show', {}],
    ['git_show', { revision: 'HEAD:a.txt' }],
    ['git_list_branches', {}],
    ['git_create_branch', { branch: 'other', startPoint: 'HEAD~1' }],
    ['git_checkout', { branch: 'other' }],
    ['git_current_branch', {}],
    ['git_checkout', { branch }],
    ['git_checkout', { branch: 'other' }],
    ['change', { file: 'a.txt' }],
    ['git_add', { files: ['a.txt'] }],
    ['git_commit', { message: 'on the other' }],
    ['git_checkout', { branch }],
    ['git_merge', { branch: 'other', keep_conflicts: true }],
    ['git_conflicts', {}],
    ['git_abort', {}],
    ['git_merge', { branch: 'other', keep_conflicts: true }],
    ['git_resolve', { file: 'a.txt', side: 'both' }],
    ['git_continue', {}],
    ['git_revert', { revision: 'HEAD', mainline: 1 }],
    ['git_cherry_pick', { revision: 'other', keep_conflicts: true }],
    ['git_resolve', { file: 'a.txt', side: 'theirs', whole: true }],
    ['git_continue', {}],
    ['git_create_branch', { branch: 'early', startPoint: 'HEAD~1' }],
    ['git_checkout', { branch: 'early' }],
    ['change', { file: 'early.txt' }],
    ['git_add', { files: ['early.txt'] }],
    ['git_commit', { message: 'early' }],
    ['git_rebase', { onto: branch }],
    ['git_checkout', { branch }],
    ['git_delete_branch', { branch: 'early', force: true }],
  ] as const) {
    // Not a tool: what a person does in between.
    if (tool === 'change') {
      fill(root, { [args.file]: `${Math.random()}\n` })
      continue
    }
    const answer = await client.call(tool, { ...args, ...more }).catch((error: unknown) => `FAILED ${String(error)}`)
    if (!('message' in args) || args.message !== EMPTY) said.push(`${tool}: ${String(answer)}`)
  }
  return said
}

/** A program that leaves a trace when it is run. */
export function trap(): { readonly program: string; readonly sprung: () => string[] } {
  const path = folder()
  const program = join(path, 'trap.sh')
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${path}/sprung'\ncat\n`)
  chmodSync(program, 0o755)
  const file = join(path, 'sprung')
  return { program, sprung: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []) }
}
