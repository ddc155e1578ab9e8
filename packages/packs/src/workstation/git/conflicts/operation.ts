import { join } from 'node:path'
import { readBounded } from '../../../support/files/file.ts'
import type { Repository } from '../../../support/git/repository.ts'

/** What was begun in a repository and is not finished. */
export interface Operation {
  readonly name: 'merge' | 'cherry-pick' | 'revert'
  /** The commit that is merged, picked or reverted. */
  readonly commit: string
  /** The message that git made for it. */
  readonly message: string
}

const HEADS = [
  ['merge', 'MERGE_HEAD'],
  ['cherry-pick', 'CHERRY_PICK_HEAD'],
  ['revert', 'REVERT_HEAD'],
] as const

/** The operation that is not finished, if there is one. */
export async function operationIn({ folder }: Repository): Promise<Operation | undefined> {
  for (const [name, file] of HEADS) {
    const commit = (await textOf(folder, file)).split('\n')[0]?.trim() ?? ''
    if (/^[\da-f]{40,64}$/.test(commit)) return { name, commit, message: plain(await textOf(folder, 'MERGE_MSG')) }
  }
  return undefined
}

const SMALL_BYTES = 1024 * 1024

const textOf = (folder: string, name: string): Promise<string> =>
  readBounded(join(folder, name), SMALL_BYTES).then(String, () => '')

/** Without the list of conflicts that git writes below it as a comment. */
const plain = (message: string): string => message.replace(/\n# Conflicts:\n(?:#.*(?:\n|$))*\s*$/, '\n').trimEnd()

/** The operation that is not finished; without one, an error that says how to begin one. */
export async function mustBeUnfinished(repo: Repository): Promise<Operation> {
  const operation = await operationIn(repo)
  if (operation) return operation
  throw new Error(
    'No merge, cherry-pick or revert is unfinished here. Begin one with git_merge, git_cherry_pick or git_revert; ' +
      'with keep_conflicts its conflicts stay in the files.',
  )
}

/** Refuse to begin something while something else is not finished. */
export async function mustBeIdle(repo: Repository): Promise<void> {
  const operation = await operationIn(repo)
  if (!operation) return
  throw new Error(
    `A ${operation.name} of ${operation.commit.slice(0, 10)} is not finished. See it with git_conflicts, then git_continue or git_abort.`,
  )
}
