import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Feature, Policy } from '@causeway/engine'
import { acceptAliases, nameArguments, withArguments } from '../support/arguments.ts'
import type { Prepare } from '../support/arguments.ts'
import { isUnder } from '../support/files/jail.ts'
import type { Jail } from '../support/files/jail.ts'

const GIT = { repository: 'repositoryPath', paths: 'files', path: 'file' } as const
const PROJECT = { path: 'projectPath' } as const
const PROGRAM = { path: 'workingDirectory' } as const

// What documents, other servers and habit call them.
const ALIASES = {
  repositoryPath: ['repository', 'path'],
  projectPath: ['path'],
  workingDirectory: ['path'],
  cwd: ['path'],
  file: ['path'],
  files: ['paths'],
  path: ['paths', 'repository'],
  file_path: ['path'],
  filePath: ['path'],
  startLine: ['offset'],
  start_line: ['offset'],
  lines: ['limit'],
  maxResults: ['limit'],
  max_results: ['limit'],
  head: ['limit'],
  glob: ['pattern'],
  query: ['content'],
  whole_word: ['wholeWord'],
  multi_line: ['multiline'],
  multiLine: ['multiline'],
  case_sensitive: ['caseSensitive'],
  dry_run: ['dryRun'],
  keepConflicts: ['keep_conflicts'],
} as const

/** The tools with one name for a place: `path` and `paths` begin at the first root, `repository` is a directory in one. */
export function plainArguments(features: readonly Feature[], jail: Jail): Feature[] {
  const prepare = gitPaths(jail.roots[0] ?? '')
  return features.map(feature => {
    const isGit = /^(?:view_)?git_/.test(feature.name)
    return withArguments(feature, isGit ? GIT : feature.name.startsWith('ci_') ? PROJECT : PROGRAM, {
      ...(isGit && { prepare }),
      dropEchoes: true,
    })
  })
}

/** Names in errors as the caller gave them, and names that callers are used to. */
export const plainPolicies = (features: readonly Feature[]): Policy[] => [
  nameArguments({ repository: 'repositoryPath' }),
  nameArguments(PROJECT),
  nameArguments(PROGRAM),
  acceptAliases(features, ALIASES),
]

/** Git takes paths from the repository that it is in, callers from the first root. */
const gitPaths =
  (root: string): Prepare =>
  input => {
    const { repositoryPath, files, file } = input
    const named = [...(Array.isArray(files) ? files : []), ...(typeof file === 'string' ? [file] : [])]
    const isGiven = typeof repositoryPath === 'string' && repositoryPath !== ''
    const [first] = named
    const repository = isGiven ? repositoryPath : typeof first === 'string' ? repositoryOf(root, first) : undefined
    if (repository === undefined) return input
    const base = resolve(root, repository)
    const from = (path: unknown): unknown =>
      typeof path === 'string' && path !== '' ? relative(base, resolve(root, path)).split(sep).join('/') || '.' : path
    return {
      ...input,
      repositoryPath: repository,
      ...(Array.isArray(files) && { files: files.map(from) }),
      ...(file !== undefined && { file: from(file) }),
    }
  }

/** The directory below the root that holds the repository of a path, if it is not the root itself. */
function repositoryOf(root: string, path: string): string | undefined {
  const whole = resolve(root, path)
  if (!isUnder(root, whole)) return undefined
  for (let at = whole; at !== root && isUnder(root, at); at = dirname(at)) if (existsSync(join(at, '.git'))) return at
  return undefined
}
