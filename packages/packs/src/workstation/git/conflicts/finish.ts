import { fault, tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Tool } from '@causeway/engine'
import { firstNames } from '../../../support/first-names.ts'
import { gitWords } from '../../../support/git/failure.ts'
import { inside, repositoryPath, unfiltered } from '../call.ts'
import { namedPath, rootPrefix, statFromRoot } from '../root-paths.ts'
import type { Workspace } from '../../workspace.ts'
import { mustBeUnfinished } from './operation.ts'
import { unmergedIn } from './unmerged.ts'

const MOST_NAMED = 20

/** Finishes what had conflicts. */
export const gitContinue = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_continue',
      title: 'Git continue',
      description: 'Commits a merge, cherry-pick or revert whose conflicts are resolved. Hooks are not run.',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
      aliases: ['git/continue'],
      use: [dataFrom('git')],
      input: {
        type: 'object',
        properties: {
          message: { type: 'string', minLength: 1, description: 'Default: the message git made', 'x-audit': 'head' },
          repositoryPath,
        },
        additionalProperties: false,
      },
    },
    (args, ctx) => {
      if (args.message?.trim() === '') throw fault('invalid-arguments', "Parameter 'message' must not be blank.")
      return inside(workspace, { path: args.repositoryPath, ctx, write: 'history' }, async repo => {
        const { name, message } = await mustBeUnfinished(repo)
        const left = (await unmergedIn(repo)).map(({ path }) => namedPath(workspace, repo, path))
        if (left.length > 0) {
          throw new Error(
            `Not finished: still in conflict are ${firstNames(left, MOST_NAMED)}. See git_conflicts, then git_resolve.`,
          )
        }
        const words = args.message ?? (message === '' ? `Finish the ${name}` : message)
        const how = ['--no-verify', '--no-gpg-sign', '--no-edit', '--cleanup=whitespace', `--message=${words}`]
        const { code, stdout, stderr } = await repo.run(['-C', repo.top, 'commit', ...how])
        if (code === 0) return `Finished the ${name}. ${statFromRoot(stdout, rootPrefix(workspace, repo)).trimEnd()}`
        if (/nothing (?:added )?to commit/.test(stdout))
          throw new Error(`Nothing of this ${name} is left, since ours was taken everywhere: git_abort ends it.`)
        throw new Error(`Not committed: ${gitWords(stderr || stdout)}`)
      })
    },
  )

/** Gives up what had conflicts. */
export const gitAbort = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'git_abort',
      title: 'Git abort',
      description: 'Gives up an unfinished merge, cherry-pick or revert, with all that was resolved, for good.',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
      aliases: ['git/abort'],
      use: [dataFrom('git')],
      input: { type: 'object', properties: { repositoryPath }, additionalProperties: false },
    },
    (args, ctx) =>
      inside(workspace, { path: args.repositoryPath, ctx, write: 'history', switches: true }, async repo => {
        const { name, commit } = await mustBeUnfinished(repo)
        const { code, stderr } = await repo.run(['-C', repo.top, 'reset', '--quiet', '--merge', 'HEAD'])
        if (code !== 0) throw notAborted(name, stderr)
        return `Gave up the ${name} of ${commit.slice(0, 10)}: the files are as before it.${unfiltered(repo)}`
      }),
  )

function notAborted(name: string, stderr: string): Error {
  const file = /Entry '([^'\n]+)' not uptodate/.exec(stderr)?.[1]
  if (file === undefined) return new Error(`The ${name} was not given up: ${gitWords(stderr)}`)
  return new Error(
    `The ${name} was not given up, and nothing was changed: '${file}' was edited after it was staged. ` +
      'Stage it with git_add, or take it back with git_restore, and call git_abort again.',
  )
}
