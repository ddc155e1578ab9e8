import { readFile, readdir } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { glob } from '../../support/glob.ts'
import { ignoreRules } from '../../support/ignore-rules.ts'
import type { Rules } from '../../support/ignore-rules.ts'
import { extensionsOf } from './grammar.ts'
import type { Language } from './grammar.ts'

/** Which files are wanted. */
export interface Wanted {
  readonly languages?: readonly Language[] | undefined
  /** Patterns such as `src`, `*.ts` or `src/**`: a file must match one, if there are any. */
  readonly include?: readonly string[] | undefined
  /** The same; a file must match none. */
  readonly exclude?: readonly string[] | undefined
  /** May this directory be looked into? Asked of those above the root, for their .gitignore. */
  readonly holds?: ((directory: string) => boolean) | undefined
  readonly signal?: AbortSignal | undefined
}

/** The files that were found, by their paths below the root, and why others were not taken. */
export interface Found {
  readonly files: readonly string[]
  readonly ignored: number
  readonly excluded: number
  readonly others: number
}

/** Directories of what others wrote or what was built. */
const SKIPPED: readonly string[] = ['node_modules', 'target', 'vendor', '.git', '.venv', '__pycache__']
const MOST_PATTERNS = 1000

/** What one .gitignore says, and how a path of the search looks from its directory. */
interface Ignoring {
  readonly rules: Rules
  seen(path: string): string
}

interface Search {
  readonly root: string
  readonly signal: AbortSignal | undefined
  readonly endings: readonly string[]
  readonly isIncluded: (path: string) => boolean
  readonly isExcluded: (path: string) => boolean
  readonly found: { files: string[]; ignored: number; excluded: number; others: number }
}

/** Find the source files below a directory: links are not followed, .gitignore is respected. */
export async function findFiles(root: string, wanted: Wanted): Promise<Found> {
  const { languages, include = [], exclude = [], signal } = wanted
  const search: Search = {
    root,
    signal,
    endings: extensionsOf(languages),
    isIncluded: include.length > 0 ? matchesAny(include) : () => true,
    isExcluded: matchesAny(exclude),
    found: { files: [], ignored: 0, excluded: 0, others: 0 },
  }
  await walk(search, '', await rulesAbove(root, wanted))
  search.found.files.sort()
  return search.found
}

async function walk(search: Search, below: string, above: readonly Ignoring[]): Promise<void> {
  search.signal?.throwIfAborted()
  const directory = join(search.root, below)
  const entries = await readdir(directory, { withFileTypes: true })
  const skipped = below === '' ? 0 : below.length + 1
  const own = entries.some(({ name }) => name === '.gitignore') ? await readRules(directory) : undefined
  const ignoring = own ? [{ rules: own, seen: (path: string) => path.slice(skipped) }, ...above] : above
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isFile()) take(search, path, ignoring)
    else if (!entry.isDirectory() || SKIPPED.includes(entry.name)) continue
    else if (isIgnored(ignoring, path, true)) search.found.ignored += 1
    else if (search.isExcluded(path)) search.found.excluded += 1
    else await walk(search, path, ignoring)
  }
}

function take({ endings, isIncluded, isExcluded, found }: Search, path: string, ignoring: readonly Ignoring[]): void {
  if (!endings.some(ending => path.toLowerCase().endsWith(ending))) found.others += 1
  else if (isIgnored(ignoring, path, false)) found.ignored += 1
  else if (isExcluded(path) || !isIncluded(path)) found.excluded += 1
  else found.files.push(path)
}

/** The nearest .gitignore that has something to say decides. */
function isIgnored(ignoring: readonly Ignoring[], path: string, isDirectory: boolean): boolean {
  for (const { rules, seen } of ignoring) {
    const isOut = rules(seen(path), isDirectory)
    if (isOut !== undefined) return isOut
  }
  return false
}

async function readRules(directory: string): Promise<Rules | undefined> {
  const text = await readFile(join(directory, '.gitignore'), 'utf8').catch(() => '')
  return text === '' ? undefined : ignoreRules(text)
}

/** In a repository, the .gitignore files between its top and the root of the search count too. */
async function rulesAbove(root: string, { holds = () => true }: Wanted): Promise<Ignoring[]> {
  const ignoring: Ignoring[] = []
  for (let at = root; !(await isTop(at));) {
    const up = dirname(at)
    if (up === at || !holds(up)) return []
    const rules = await readRules(up)
    const way = relative(up, root).split(sep).join('/')
    if (rules) ignoring.push({ rules, seen: path => `${way}/${path}` })
    at = up
  }
  return ignoring
}

async function isTop(directory: string): Promise<boolean> {
  const entries: string[] = await readdir(directory).catch(() => [])
  return entries.includes('.git')
}

/** Does a path, or a directory on the way to it, match one of the patterns? */
export function matchesAny(patterns: readonly string[]): (path: string) => boolean {
  const tests = patterns.flatMap(braces).map(pattern => glob(pattern.replace(/^\.\//, '').replace(/\/$/, '')))
  return path => {
    const parts = path.split('/')
    const ways = parts.map((_, i) => parts.slice(0, i + 1).join('/'))
    return tests.some(test => ways.some(test))
  }
}

/** `*.{ts,tsx}` as the patterns it stands for. */
function braces(pattern: string): string[] {
  const done: string[] = []
  for (const open = [pattern]; open.length > 0;) {
    if (done.length + open.length > MOST_PATTERNS) throw new Error(`A pattern stands for more than ${MOST_PATTERNS}`)
    const next = open.pop() ?? ''
    const [, before = '', choices, after = ''] = /^([^{}]*)\{([^{}]*)\}([^]*)$/.exec(next) ?? []
    if (choices === undefined) done.push(next)
    else open.push(...choices.split(',').map(choice => before + choice + after))
  }
  return done
}
