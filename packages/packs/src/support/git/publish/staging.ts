import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Outcome } from '../../processes/exec.ts'
import { gitWords } from '../failure.ts'
import { quote } from '../../quote.ts'
import { changedPaths, gitlinks } from '../index-file.ts'
import type { Snapshot } from '../snapshot.ts'

type Run = (args: readonly string[]) => Promise<Outcome>

const AT_ONCE = 200

/** Stop if something was staged in the copy that must not be: the commit of another repository, or a file that a filter would change. */
export async function checkStaged(before: Snapshot, top: string, git: Run): Promise<void> {
  const index = await readFile(join(before.folder, 'index')).catch(() => undefined)
  if (!index) return
  refuseGitlinks(before, top, index)
  if (before.filters.length > 0) await refuseFiltered(before, index, args => git(['-C', top, ...args]))
}

function refuseGitlinks({ links, hashBytes }: Snapshot, top: string, index: Buffer): void {
  const known = new Map(links.map(({ path, hash }) => [path, hash]))
  const fresh = gitlinks(index, hashBytes).find(({ path, hash }) => known.get(path) !== hash)
  if (!fresh) return
  const name = quote(join(top, Buffer.from(fresh.path, 'latin1').toString()))
  throw new Error(
    `Nothing was staged: ${name} is a git repository of its own, and repositories in a repository are left alone. ` +
      'Name the files to stage without it, or list it in .gitignore.',
  )
}

async function refuseFiltered({ index: old, hashBytes, filters }: Snapshot, index: Buffer, git: Run): Promise<void> {
  const paths = changedPaths(old, index, hashBytes)
  for (let i = 0; i < paths.length; i += AT_ONCE) {
    const some = paths.slice(i, i + AT_ONCE)
    const { code, stdout, stderr } = await git(['check-attr', '-z', 'filter', '--', ...some])
    // Path, attribute and value, each with NUL behind it.
    const words = stdout.split('\0')
    if (code !== 0 || words.length !== some.length * 3 + 1)
      throw new Error(`git check-attr failed: ${gitWords(stderr)}`)
    const at = words.findIndex((word, n) => n % 3 === 2 && filters.includes(word))
    if (at < 0) continue
    throw new Error(
      `Nothing was staged: ${quote(words[at - 2] ?? '')} is stored through the filter ${quote(words[at] ?? '')}, ` +
        'a program that is not run here. Stage it with git in a terminal, or leave it out.',
    )
  }
}
