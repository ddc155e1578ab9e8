import type { Repository } from '../../support/git/repository.ts'

/** Files that are not in the working tree as they were in a revision. */
export interface Difference {
  /** By path below the directory asked for: what the file held, or nothing if there was none. */
  readonly sources: ReadonlyMap<string, string | undefined>
}

const MOST_FILES = 2000
const AT_ONCE = 4
const REVISION = /^[A-Za-z0-9_][A-Za-z0-9_./@{}^~-]*$/

/** Is it something that git may be given as a revision? Options, ranges and searches are not. */
export const isRevision = (text: string): boolean => REVISION.test(text) && !/\.\.|\^\{\//.test(text)

/** What the files of a directory held in a revision, where they differ from now. */
export async function differingFiles(
  repository: Repository,
  revision: string,
  isWanted: (path: string) => boolean,
): Promise<Difference> {
  const args = [
    'diff',
    '--name-status',
    '--no-renames',
    '--relative',
    '-z',
    '--no-ext-diff',
    '--end-of-options',
    revision,
    '--',
    '.',
  ]
  const [changed, untracked] = await Promise.all([
    repository.read(args),
    repository.read(['ls-files', '--others', '--exclude-standard', '-z', '--', '.']),
  ])
  const parts = changed.split('\0')
  const sources = new Map<string, string | undefined>()
  const old: string[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [status = '', path = ''] = [parts[at], parts[at + 1]]
    if (!isWanted(path)) continue
    if (status === 'A') sources.set(path, undefined)
    else old.push(path)
  }
  for (const path of untracked.split('\0')) if (path !== '' && isWanted(path)) sources.set(path, undefined)
  if (old.length > MOST_FILES)
    throw new Error(
      `${old.length} source files differ from ${revision}, more than ${MOST_FILES}: name a nearer revision or a smaller directory`,
    )
  for (let at = 0; at < old.length; at += AT_ONCE) {
    const shown = old.slice(at, at + AT_ONCE).map(async path => {
      const object = `${revision}:./${path}`
      sources.set(path, await repository.read(['cat-file', '--end-of-options', 'blob', object]))
    })
    await Promise.all(shown)
  }
  return { sources }
}
