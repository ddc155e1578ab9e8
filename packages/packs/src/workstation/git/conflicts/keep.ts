import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { firstNames } from '../../../support/first-names.ts'
import { gitWords } from '../../../support/git/failure.ts'
import type { Repository } from '../../../support/git/repository.ts'
import { unfiltered } from '../call.ts'
import { namedPath } from '../root-paths.ts'
import type { Workspace } from '../../workspace.ts'
import { unmergedIn } from './unmerged.ts'

const MOST_NAMED = 20

/** The argument that leaves conflicts in the files. */
export const keepConflicts = {
  type: 'boolean',
  default: false,
  description: 'If there are conflicts, leave them in the files, to be resolved; default: nothing is changed',
} as const

/** How git is run so that it leaves conflicts. */
export interface Keeping {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files that say what is not finished, where git does not write them itself. */
  readonly state?: Readonly<Record<string, string>>
}

/** Runs git so that it leaves conflicts in the working tree. */
export type Keep = (keeping: Keeping) => Promise<string>

/** Leave conflicts in the working tree and in the index; git refuses if files with changes of their own are in the way. */
export const kept =
  (workspace: Workspace, repo: Repository): Keep =>
  async ({ args, env = {}, state = {} }) => {
    const staged = ['diff', '--no-ext-diff', '--cached', '--quiet', '--ignore-submodules=dirty', 'HEAD', '--']
    if ((await repo.run(staged)).code !== 0)
      throw new Error('Not begun: there are staged changes. Commit them, or put them aside with git_stash.')
    const { code, stdout, stderr } = await repo.run(['-C', repo.top, ...args], { env })
    const files = (await unmergedIn(repo)).map(({ path }) => namedPath(workspace, repo, path))
    if (files.length === 0 && code !== 0)
      throw new Error(`Not begun, and nothing was changed: ${gitWords(stderr || stdout)}`)
    await repo.shieldSubmodules()
    for (const [name, contents] of Object.entries(state)) await writeFile(join(repo.folder, name), contents)
    if (files.length === 0) return 'Nothing is in conflict: git_continue finishes.'
    return (
      `Not finished: ${files.length} file${files.length === 1 ? ' is' : 's are'} in conflict: ${firstNames(files, MOST_NAMED)}. ` +
      `See them with git_conflicts, decide with git_resolve, then git_continue; git_abort gives up.${unfiltered(repo)}`
    )
  }
