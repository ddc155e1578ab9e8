import { anyGlobAbove } from '../../support/patterns/glob.ts'
import { walk } from '../../support/files/walk.ts'
import type { Met } from '../../support/files/walk.ts'
import { extensionsOf } from './parse/grammar.ts'
import type { Language } from './parse/grammar.ts'
import { unreadLanguageOf } from './parse/known-languages.ts'

/** Which files are wanted. */
export interface Wanted {
  readonly languages?: readonly Language[] | undefined
  /** Patterns such as `src`, `*.ts` or `src/**`: a file must match one, if there are any. */
  readonly include?: readonly string[] | undefined
  /** The same; a file must match none. */
  readonly exclude?: readonly string[] | undefined
}

/** Where to look for files, and which are wanted; data that crosses threads. */
export interface Finding extends Wanted {
  /** The real path of the directory that nothing leads out of, and whose .gitignore still counts. */
  readonly top: string
  /** The directory to look in, from there, with `/`. */
  readonly below: string
}

/** The files that were found, by their paths below the directory, and why others were not taken. */
export interface FoundFiles {
  readonly files: readonly string[]
  readonly ignored: number
  readonly excluded: number
  readonly others: number
  /** How many source files are in languages that no parser reads. */
  readonly unread: Readonly<Record<string, number>>
}

/** Directories of what others wrote or what was built. */
export const SKIPPED: readonly string[] = ['node_modules', 'target', 'vendor', '.venv', '__pycache__']

/** Find the source files below a directory, synchronously: links are not followed, .gitignore is respected. */
export function findFiles({ top, below, languages, include = [], exclude = [] }: Finding): FoundFiles {
  const endings = extensionsOf(languages)
  const isIncluded = include.length > 0 ? anyGlobAbove(include) : () => true
  const isExcluded = anyGlobAbove(exclude)
  const unread: Record<string, number> = {}
  const found = { files: [] as string[], ignored: 0, excluded: 0, others: 0, unread }
  const take = (path: string, ignored: boolean): void => {
    const other = unreadLanguageOf(path)
    if (other !== undefined && !ignored && !isExcluded(path) && isIncluded(path))
      unread[other] = (unread[other] ?? 0) + 1
    if (!endings.some(ending => path.toLowerCase().endsWith(ending))) found.others += 1
    else if (ignored) found.ignored += 1
    else if (isExcluded(path) || !isIncluded(path)) found.excluded += 1
    else found.files.push(path)
  }
  const visit = ({ kind, name, path, ignored }: Met): 'on' | 'over' => {
    const seen = below === '' ? path : path.slice(below.length + 1)
    if (kind === 'file') take(seen, ignored)
    if (kind !== 'directory' || SKIPPED.includes(name)) return 'over'
    if (ignored) found.ignored += 1
    else if (isExcluded(seen)) found.excluded += 1
    else return 'on'
    return 'over'
  }
  walk([{ path: below }], { root: top, ignored: 'tell', visit })
  found.files.sort()
  return found
}
