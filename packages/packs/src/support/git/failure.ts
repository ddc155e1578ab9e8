import { didYouMean } from '@causeway/engine'
import { nothingAt } from '../files/errno.ts'
import type { Outcome } from '../processes/exec.ts'
import { quote } from '../quote.ts'
import type { Refs } from './refs.ts'

/** What is known of the repository in which git failed. */
export interface Failed {
  /** The directory that was asked for. */
  readonly path: string
  readonly top: string
  readonly unborn: boolean
  readonly refs: Refs
  readonly memoryBytes: number
}

// What git says of itself stands first; the rest may be names that others chose.
const MOST_READ = 4000
const NO_MEMORY = /out of memory|cannot allocate memory|memory exhausted|failed to map|mmap failed|regcomp/i
const NAME = '[\'"]?([^\'"\\n]+?)[\'"]?'

/** Git's words for a revision that it cannot find, with the name if it tells it. */
const NO_REVISION = [
  `bad (?:revision|object) ${NAME}(?:\\n|$)`,
  `ambiguous argument ${NAME}: unknown revision`,
  `invalid reference: ${NAME}(?:\\n|$)`,
  `[Nn]ot a valid object name:? ${NAME}\\.?(?:\\n|$)`,
  `invalid object name ${NAME}\\.?(?:\\n|$)`,
  `Failed to resolve ${NAME} as a valid (?:ref|revision|tree)`,
  `no such ref: ${NAME}(?:\\n|$)`,
  `could not resolve ${NAME}(?:\\n|$)`,
  `unable to resolve ${NAME}(?:\\n|$)`,
  `${NAME} is not a commit and a branch`,
  `not a valid branch point: ${NAME}\\.?(?:\\n|$)`,
].map(pattern => new RegExp(pattern))
const NO_REVISION_NAMED = /Needed a single revision|does not have any commits yet|unknown revision/

/** Complaints about a file, which is their first name: from the directory that was asked for, or from the top. */
const NO_FILE = / no file '\$1'/
const FROM_TOP = / in '?\$2/

/** What else git complains of, in our words; `$1` and `$2` are what it names. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/no such path '([^'\n]+)' in (\S+)/, "There is no file '$1' in $2."],
  [/path '([^'\n]+)' does not exist in '([^'\n]+)'/, "There is no file '$1' in '$2'."],
  [
    /path '([^'\n]+)' exists on disk, but not in '([^'\n]+)'/,
    "The file '$1' is not in '$2', only in the working tree.",
  ],
  [/file (.+) has only (\d+) lines?/, "'$1' has only $2 lines."],
  [/pathspec '([^'\n]+)' did not match any files/, "There is no file '$1' to add."],
  [/pathspec '([^'\n]+)' did not match any file\(s\) known to git/, "Git knows no file '$1'."],
  [/[Aa] branch named '([^'\n]+)' already exists/, "A branch '$1' already exists."],
  [
    /branch '([^'\n]+)' is not fully merged/,
    "The branch '$1' is not merged, so its commits would be lost. Set force to delete it all the same.",
  ],
  [
    /annot delete branch '([^'\n]+)' (?:checked out|used by worktree) at/,
    "The branch '$1' is checked out: switch to another one with git_checkout first.",
  ],
  [/branch '([^'\n]+)' not found/, "There is no branch '$1'. git_list_branches names what there is."],
  [/tag '([^'\n]+)' already exists/, "A tag '$1' already exists."],
  [/'([^'\n]+)' is not a valid (branch|tag) name/, "'$1' cannot be the name of a $2."],
  [/'([^'\n]+)' is already (?:used by worktree|checked out) at '([^'\n]+)'/, "'$1' is already checked out at '$2'."],
  [/nothing (?:added )?to commit|no changes added to commit/, 'Nothing is staged. Stage files with git_add first.'],
  [/nothing to amend/, 'There is no commit to amend.'],
  [
    /unable to auto-detect email|Please tell me who you are|empty ident name/,
    'Git does not know who commits: the owner of the machine sets user.name and user.email with git config.',
  ],
]

/** The revision that a command asks for, where git does not repeat it. */
const askedFor = (args: readonly string[]): string | undefined =>
  args
    .at(-1)
    ?.replace(/\^\{\w*\}$/, '')
    .replace(/^-+$/, '')

/** Why git failed, in our words: the one place that reads what it complains of. */
export function gitFailure(args: readonly string[], outcome: Outcome, where: Failed): Error {
  const [stdout, stderr] = [outcome.stdout.slice(0, MOST_READ), outcome.stderr.slice(0, MOST_READ)]
  if (NO_MEMORY.test(stderr))
    return new Error(
      `git ${args[0] ?? ''} needed more than ${where.memoryBytes / 1024 ** 3} GB of memory. Ask for less.`,
    )
  const missing = NO_REVISION.map(pattern => pattern.exec(stderr)?.[1]).find(name => name !== undefined)
  if (missing !== undefined || NO_REVISION_NAMED.test(stderr)) return noRevision(missing ?? askedFor(args), where)
  for (const [pattern, words] of OTHERS) {
    const found = pattern.exec(stderr) ?? pattern.exec(stdout)
    if (found) return complaint(words, found, where)
  }
  return new Error(
    `git ${args[0] ?? ''} ${ending(outcome)}: ${gitWords(outcome.stderr) || gitWords(outcome.stdout) || 'no message'}`,
  )
}

function complaint(words: string, found: RegExpExecArray, { path, top }: Failed): Error {
  const error = new Error(words.replace(/\$(\d)/g, (_, i: string) => (found[Number(i)] ?? '').slice(0, 200)))
  return NO_FILE.test(words) ? nothingAt(found[1] ?? '', error, FROM_TOP.test(words) ? top : path) : error
}

function noRevision(name: string | undefined, { unborn, path, refs }: Failed): Error {
  if (unborn) return new Error(`The git repository of ${quote(path)} has no commits yet`)
  const [, revision, file] = /^([^:]+):(.+)$/.exec(name ?? '') ?? []
  if (file !== undefined)
    return new Error(`There is no ${quote(file)} in ${quote(revision ?? '')}, or no such revision.`)
  const known = [...namesOf(refs)]
  const hint = name === undefined ? undefined : didYouMean(name, known)
  const branches = hint ?? (known.length > 0 ? 'git_list_branches and git_list_tags name what there is.' : undefined)
  return new Error([`There is no revision ${quote(name ?? '')}.`, branches].filter(Boolean).join(' '))
}

const MOST_NAMES = 10_000

/** The names of branches and tags, as they are asked for. */
function* namesOf({ loose, packed }: Refs): Generator<string> {
  const short = (ref: string): string => ref.replace(/^refs\/(?:heads|tags|remotes)\//, '')
  for (const ref of loose.keys()) yield short(ref)
  for (const line of packed.slice(0, MOST_NAMES))
    if (!/^[#^]/.test(line)) yield short(line.slice(line.indexOf(' ') + 1))
}

const ending = ({ code, signal }: Outcome): string => (code === null ? `was ended by ${String(signal)}` : 'failed')

/** What git wrote, without the marks that are meant for terminals and without its advice on other commands. */
export const gitWords = (text: string): string =>
  text
    .split('\n')
    .filter(line => !/^(?:hint|usage): /.test(line))
    .map(line => line.replace(/^(?:remote: )?(?:fatal|error|warning): /, ''))
    .join('\n')
    .trim()
