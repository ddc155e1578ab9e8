import { join, relative, sep } from 'node:path'
import { shown } from '../../support/files/shown.ts'
import type { Repository } from '../../support/git/repository.ts'
import type { Workspace } from '../workspace.ts'

/**
 * What stands in front of a path of the repository so that it begins at the first root, as paths of all other tools do;
 * empty where it does so already, where paths begin at the repository by the documents, and in a repository around the root.
 */
export function rootPrefix({ jail, plainPaths }: Workspace, { top }: Repository): string {
  if (!plainPaths || jail.roots.some(root => root !== top && root.startsWith(`${top}${sep}`))) return ''
  const path = shown(jail, top).split(sep).join('/')
  return path === '.' ? '' : `${path}/`
}

/** A path from the top of the repository, as this tool takes it. */
export function namedPath(workspace: Workspace, repo: Repository, path: string): string {
  const whole = join(repo.top, path)
  return workspace.plainPaths ? shown(workspace.jail, whole) : relative(repo.path, whole).split(sep).join('/')
}

/** A path in front of which something is put; git quotes one that has odd characters. */
const behind = (prefix: string, path: string): string =>
  path.startsWith('"') ? `"${prefix}${path.slice(1)}` : `${prefix}${path}`

const eachLine = (text: string, change: (line: string) => string): string => text.split('\n').map(change).join('\n')

/** The lines of `git status --porcelain`. */
export const statusFromRoot = (text: string, prefix: string): string =>
  prefix === ''
    ? text
    : eachLine(text, line => {
        const [, mark, first, second] = /^([ MTADRCU?!]{2} )(.+?)(?: -> (.+))?$/.exec(line) ?? []
        if (mark === undefined || first === undefined) return line
        return `${mark}${behind(prefix, first)}${second === undefined ? '' : ` -> ${behind(prefix, second)}`}`
      })

/** The lines of `--name-status`: a letter, and one path or two. */
export const namesFromRoot = (text: string, prefix: string): string =>
  prefix === ''
    ? text
    : eachLine(text, line =>
        /^[A-Z]\d*\t/.test(line)
          ? line
              .split('\t')
              .map((part, i) => (i === 0 ? part : behind(prefix, part)))
              .join('\t')
          : line,
      )

/** The lines of `--stat`, and those that a commit says of files. */
export const statFromRoot = (text: string, prefix: string): string =>
  prefix === ''
    ? text
    : eachLine(text, line =>
        line
          .replace(/^ (\S.*? +\| +(?:\d+|Bin|Unmerged))/, (_, rest: string) => ` ${behind(prefix, rest)}`)
          .replace(
            /^( (?:(?:create|delete) mode \d+|mode change \d+ => \d+|rename|copy|rewrite) )(.+)$/,
            (_, what: string, path: string) => `${what}${behind(prefix, path)}`,
          ),
      )

/** Options by which the headers of a diff name files from the root. */
export const diffPrefixes = (prefix: string): string[] =>
  prefix === '' ? [] : [`--src-prefix=a/${prefix}`, `--dst-prefix=b/${prefix}`]
