import { readFile, readdir, realpath } from 'node:fs/promises'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { environment } from './environment.ts'
import { run } from './exec.ts'
import type { Outcome } from './exec.ts'
import type { Held, Jail } from './jail.ts'
import { quote } from './quote.ts'

/** A repository inside the jail, checked and made harmless. */
export interface Repository {
  /** The directory that was asked for. */
  readonly path: string
  /** Filters that the repository itself configures, and that are therefore not run. */
  readonly filters: readonly string[]
  /** Run git to its end, whatever its exit code. */
  run(args: readonly string[]): Promise<Outcome>
  /** Run git; what it wrote, or an error with its exit code and complaints. */
  read(args: readonly string[]): Promise<string>
}

/** What may be chosen about running git. */
export interface GitOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  /** Bytes kept of its output. */
  readonly keep?: number | undefined
  /** What is going to be run looks into submodules, so their filters matter too. */
  readonly deep?: boolean
}

/** Where it is asked for, and under which name. */
export interface Asked {
  readonly path: string
  readonly argument?: string
}

// A repository's own configuration may name programs for git to run. None of them is.
const TAMED = [
  '--no-pager',
  ...[
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'core.pager=cat',
    'core.editor=:',
    'core.askPass=',
    'core.sshCommand=false',
    'core.gitProxy=',
    'core.alternateRefsCommand=',
    'core.quotePath=false',
    'credential.helper=',
    'commit.gpgSign=false',
    'gpg.program=false',
    'log.showSignature=false',
    'diff.ignoreSubmodules=dirty',
    'status.submoduleSummary=false',
    'submodule.recurse=false',
    'protocol.allow=never',
    'gc.auto=0',
    'gc.autoDetach=false',
    'maintenance.auto=false',
    'color.ui=false',
    'column.ui=never',
  ].flatMap(setting => ['-c', setting]),
]
const FILTERS = String.raw`^filter\..*\.(clean|smudge|process|required)$`
const TRUSTED = ['system', 'global']
const DEEPEST = 5

/** Work in the repository that holds a directory of the jail. */
export function inRepository<T>(
  jail: Jail,
  asked: Asked,
  work: (repository: Repository) => Promise<T>,
  options: GitOptions = {},
): Promise<T> {
  return jail.inside(asked, async dir => {
    const env = surroundings(jail)
    const plain = (args: readonly string[]): Promise<Outcome> =>
      run({ ...options, program: 'git', args: [...TAMED, ...args], cwd: dir.at(), env })
    const top = await confined(jail, dir, plain)
    const { settings, filters } = withoutFilters(await filtersIn(plain, options.deep ? top : undefined))
    const tamed: Repository['run'] = args =>
      run({ ...options, program: 'git', args: [...TAMED, ...args], cwd: dir.at(), env: { ...env, ...settings } })
    return work({ path: dir.path, filters, run: tamed, read: async args => successful(args, await tamed(args)) })
  })
}

/** Git's output, or an error that says how it failed. */
function successful(args: readonly string[], { code, signal, stdout, stderr }: Outcome): string {
  if (code === 0) return stdout
  const how = code === null ? `was ended by ${String(signal)}` : `failed with exit code ${code}`
  throw new Error(`git ${args[0] ?? ''} ${how}: ${stderr.trim() || stdout.trim() || 'no message'}`)
}

function surroundings(jail: Jail): Record<string, string> {
  return {
    // A program called git that lies in a root is not the git that was installed.
    ...environment({ accepts: folder => !jail.holds(folder) }),
    LC_ALL: 'C',
    // No looking for a repository above a root.
    GIT_CEILING_DIRECTORIES: jail.roots
      .map(root => dirname(root))
      .filter(parent => !jail.holds(parent))
      .join(delimiter),
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_SSH_COMMAND: 'false',
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
    GIT_PAGER: 'cat',
  }
}

type Plain = (args: readonly string[]) => Promise<Outcome>

/** Everything git is going to use must lie in the jail: its folder may point anywhere, and so may links in it. */
async function confined(jail: Jail, dir: Held, git: Plain): Promise<string | undefined> {
  const found = await git([
    'rev-parse',
    '--is-bare-repository',
    '--absolute-git-dir',
    '--git-common-dir',
    '--show-toplevel',
  ])
  const [bare, own, common, top] = found.stdout.split('\n')
  if (own === undefined || common === undefined || (found.code !== 0 && bare !== 'true')) {
    throw new Error(`${quote(dir.path)} is in no git repository that can be used: ${found.stderr.trim()}`)
  }
  const folders = [own, resolve(dir.path, common)]
  for (const folder of bare === 'true' ? folders : [...folders, top ?? '']) await mustBeInside(jail, dir, folder)
  for (const folder of new Set(await Promise.all(folders.map(f => realpath(f))))) {
    await withoutEscapes(jail, dir, folder)
    for (const store of await borrowed(folder)) await mustBeInside(jail, dir, store)
  }
  return bare === 'true' ? undefined : top
}

/** Where else a repository takes its objects from. */
async function borrowed(folder: string): Promise<string[]> {
  const list = await readFile(join(folder, 'objects/info/alternates'), 'utf8').catch(() => '')
  const stores = list.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return stores.map(store => resolve(folder, 'objects', store))
}

async function mustBeInside(jail: Jail, dir: Held, path: string): Promise<void> {
  try {
    await jail.resolve(path)
  } catch (cause) {
    const whose = `The git repository of ${quote(dir.path)} uses ${quote(path)}`
    throw new Error(`${whose}, which leads outside the allowed directories ${jail.roots.join(', ')}`, { cause })
  }
}

/** Git writes through links in its folder, so none may lead out; objects are many, never rewritten, and left out. */
async function withoutEscapes(jail: Jail, dir: Held, folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) await mustBeInside(jail, dir, path)
    else if (entry.isDirectory() && !isStore(folder, entry.name)) await withoutEscapes(jail, dir, path)
  }
}

const isStore = (folder: string, name: string): boolean =>
  basename(folder) === 'objects' ? /^[\da-f]{2}$|^pack$/.test(name) : name === 'modules' || name === 'lfs'

interface Setting {
  readonly scope: string
  readonly key: string
  readonly value: string
}

/** The filters configured for a repository and, from its top down, for the repositories in it. */
async function filtersIn(git: Plain, top: string | undefined, depth = 0): Promise<Setting[]> {
  const here = top === undefined ? [] : ['-C', top]
  const { stdout } = await git([...here, 'config', '--null', '--show-scope', '--get-regexp', FILTERS])
  const parts = stdout.split('\0')
  const found: Setting[] = []
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [key = '', ...value] = (parts[i + 1] ?? '').split('\n')
    found.push({ scope: parts[i] ?? '', key, value: value.join('\n') })
  }
  if (top === undefined || depth >= DEEPEST) return found
  const { stdout: staged } = await git([...here, 'ls-files', '--stage', '-z'])
  for (const [, path = ''] of staged.matchAll(/(?:^|\0)160000 [^\t]*\t([^\0]+)/g)) {
    found.push(...(await filtersIn(git, join(top, path), depth + 1)))
  }
  return found
}

/** Filters are programs; those that repositories name are switched off, those of the machine's owner stay. */
function withoutFilters(found: readonly Setting[]): { settings: Record<string, string>; filters: string[] } {
  const trusted = new Map(found.filter(({ scope }) => TRUSTED.includes(scope)).map(({ key, value }) => [key, value]))
  const own = [...new Set(found.filter(({ scope }) => !TRUSTED.includes(scope)).map(({ key }) => key))]
  const settings: Record<string, string> = { GIT_CONFIG_COUNT: String(own.length) }
  for (const [i, key] of own.entries()) {
    settings[`GIT_CONFIG_KEY_${i}`] = key
    settings[`GIT_CONFIG_VALUE_${i}`] = trusted.get(key) ?? (key.endsWith('.required') ? 'false' : '')
  }
  return { settings, filters: [...new Set(own.map(key => key.split('.').slice(1, -1).join('.')))] }
}
