import type { Repository } from '../../../support/git/repository.ts'

/** Who has a version of a file in conflict: the common ancestor, the current branch, the other side. */
export type Stage = 1 | 2 | 3

/** A file in conflict. */
export interface Unmerged {
  /** From the top of the repository. */
  readonly path: string
  readonly stages: ReadonlyMap<Stage, { readonly mode: string; readonly hash: string }>
}

const ENTRY = /^(\d{6}) ([\da-f]{40,64}) ([123])\t([^]+)$/

/** The files that are in conflict, in the order of the index. */
export async function unmergedIn(repo: Repository): Promise<Unmerged[]> {
  const found = new Map<string, Map<Stage, { mode: string; hash: string }>>()
  for (const line of (await repo.read(['-C', repo.top, 'ls-files', '--unmerged', '-z'])).split('\0')) {
    const [, mode = '', hash = '', stage, path] = ENTRY.exec(line) ?? []
    if (path === undefined) continue
    const stages = found.get(path) ?? new Map<Stage, { mode: string; hash: string }>()
    stages.set(Number(stage) as Stage, { mode, hash })
    found.set(path, stages)
  }
  return [...found].map(([path, stages]) => ({ path, stages }))
}

const KINDS: Readonly<Record<string, string>> = {
  '123': 'changed on both sides',
  '23': 'added on both sides',
  '12': 'changed in ours, deleted in theirs',
  '13': 'deleted in ours, changed in theirs',
  '1': 'deleted on both sides',
  '2': 'added in ours',
  '3': 'added in theirs',
}

/** What happened to a file on the two sides. */
export const kindOf = ({ stages }: Unmerged): string =>
  KINDS[([1, 2, 3] as const).filter(stage => stages.has(stage)).join('')] ?? 'in conflict'

const SUBMODULE = '160000'

/** Is it another repository, of which git keeps only a commit? */
export const isSubmodule = ({ stages }: Unmerged): boolean =>
  [...stages.values()].some(({ mode }) => mode === SUBMODULE)

const AT_ONCE = 200

/** How many characters the marks of conflicts have in these files: attributes may say so. */
export async function markSizes(repo: Repository, paths: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (let i = 0; i < paths.length; i += AT_ONCE) {
    const some = paths.slice(i, i + AT_ONCE)
    const { stdout } = await repo.run(['-C', repo.top, 'check-attr', '-z', 'conflict-marker-size', '--', ...some])
    const words = stdout.split('\0')
    words.forEach((word, at) => {
      if (at % 3 === 2 && /^[1-9]\d{0,2}$/.test(word)) sizes.set(words[at - 2] ?? '', Number(word))
    })
  }
  return sizes
}

/** Put the versions of a file in conflict back into the index, in place of what was staged for it. */
export async function reopen(repo: Repository, { path, stages }: Unmerged): Promise<void> {
  const none = `0 ${'0'.repeat([...stages.values()][0]?.hash.length ?? 40)}\t${path}\0`
  const entries = [...stages].map(([stage, { mode, hash }]) => `${mode} ${hash} ${stage}\t${path}\0`)
  const input = [none, ...entries].join('')
  const { code, stderr } = await repo.run(['-C', repo.top, 'update-index', '-z', '--index-info'], { input })
  if (code !== 0) throw new Error(`The conflict could not be put back: ${stderr.trim()}`)
}
