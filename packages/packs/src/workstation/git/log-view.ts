import { FOR_META, tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Tool } from '@causeway/engine'
import { inRepository } from '../../support/git/repository.ts'
import { orRoot } from '../workspace.ts'
import type { Workspace } from '../workspace.ts'
import { files, line, paths, repositoryPath, revision, word } from './call.ts'

// NUL between fields and commits: nothing that anyone wrote can pass for either.
const FORMAT = '--format=tformat:%h%x00%p%x00%D%x00%an%x00%as%x00%s'
const FIELDS = 6
const LONGEST = 300

const INPUT = {
  type: 'object',
  properties: {
    repositoryPath,
    revision,
    files,
    author: { type: 'string' },
    grep: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
  },
  additionalProperties: false,
} as const

/** What the view of `git_log` asks for: parents and names of commits, which no model would want to read. */
export const viewGitLog = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'view_git_log',
      _meta: { [FOR_META]: 'git_log' },
      description: 'The data of the view of git_log',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      visibility: ['app'],
      use: [dataFrom('git')],
      input: INPUT,
    },
    async (args, ctx) => {
      const { gitJail, timeMs, textBytes, sandbox } = workspace
      const asked = { path: orRoot(args.repositoryPath), argument: 'repositoryPath' }
      const options = { signal: ctx.signal, timeoutMs: timeMs, keep: textBytes, sandbox }
      const text = await inRepository(
        gitJail,
        asked,
        async repo =>
          repo.read([
            'log',
            '-z',
            '--no-show-signature',
            '--topo-order',
            '--decorate=short',
            `--max-count=${args.limit + 1}`,
            '--fixed-strings',
            '--regexp-ignore-case',
            ...(args.author === undefined ? [] : [`--author=${line(args.author, 'author')}`]),
            ...(args.grep === undefined ? [] : [`--grep=${line(args.grep, 'grep')}`]),
            FORMAT,
            '--end-of-options',
            word(args.revision ?? 'HEAD', 'revision'),
            '--',
            ...(await paths(workspace, repo, args.files)),
          ]),
        options,
      )
      const commits = commitsIn(text)
      return { commits: commits.slice(0, args.limit), more: commits.length > args.limit }
    },
  )

/** Commits as `git log -z` wrote them, in the format above. */
export function commitsIn(text: string): readonly object[] {
  const fields = text.split('\0')
  const commits: object[] = []
  for (let at = 0; at + FIELDS <= fields.length; at += FIELDS) {
    const [hash = '', parents = '', refs = '', author = '', date = '', subject = ''] = fields.slice(at, at + FIELDS)
    commits.push({
      hash,
      parents: parents.split(' ').filter(Boolean),
      refs: refs.split(', ').filter(Boolean).slice(0, 10),
      author: author.slice(0, LONGEST),
      date,
      subject: subject.slice(0, LONGEST),
    })
  }
  return commits
}
