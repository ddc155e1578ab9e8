import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { environment } from '../processes/environment.ts'
import { run } from '../processes/exec.ts'
import { glob } from '../patterns/glob.ts'
import type { Jail } from '../files/jail.ts'
import { findProgram } from '../processes/programs.ts'
import { gitWords } from './failure.ts'
import type { Setting } from './config.ts'

const KEEP = 4 * 1024 * 1024
const TIME_MS = 30_000
const binaries = new Map<string, Promise<string>>()

/** The git that is installed, as an absolute path outside of the roots. */
export async function gitProgram(jail: Jail): Promise<string> {
  const { program } = await findProgram('git', environment().PATH ?? '', jail.holds)
  if (program === undefined) throw new Error("Program 'git' was not found on PATH outside the allowed roots")
  const known = binaries.get(program) ?? behind(program, jail)
  binaries.set(program, known)
  known.catch(() => binaries.delete(program))
  return known
}

/** Where git keeps the programs it is made of. */
export async function execPath(program: string): Promise<string> {
  const { stdout } = await ask(program, ['--exec-path'])
  return stdout.trim()
}

/** What is on the search path may be a script that needs other programs; the binary itself needs none. */
async function behind(program: string, jail: Jail): Promise<string> {
  const folder = await execPath(program)
  if (!isAbsolute(folder)) return program
  const { program: binary } = await findProgram('git', folder, jail.holds)
  return binary ?? program
}

/** Run git where there is no repository, with the configuration of the machine's owner. */
const ask = (program: string, args: readonly string[]): ReturnType<typeof run> => {
  const env = { ...environment(), LC_ALL: 'C', GIT_DIR: join(dirname(program), 'no-repository'), GIT_PAGER: 'cat' }
  return run({ program, args, cwd: dirname(program), env, keep: KEEP, timeoutMs: TIME_MS })
}

/**
 * What the owner of the machine configured, including the files that are included for this repository. Git itself
 * cannot judge the latter: it never learns where the repository is.
 */
export async function ownerSettings(program: string, gitDir: string): Promise<Setting[]> {
  const settings = await listed(program, [])
  const included: Setting[] = []
  for (const [key, path] of settings) {
    const condition = /^includeif\.(gitdir(?:\/i)?):([^]+)\.path$/.exec(key)
    if (!condition || !isMeant(condition[2] ?? '', gitDir, condition[1] === 'gitdir/i')) continue
    included.push(...(await listed(program, ['--file', atHome(path), '--includes']).catch(() => [])))
  }
  return [...settings, ...included]
}

async function listed(program: string, which: readonly string[]): Promise<Setting[]> {
  const { code, stdout, stderr } = await ask(program, ['config', ...which, '--list', '--null'])
  if (code !== 0) throw new Error(`The git configuration of this machine cannot be read: ${gitWords(stderr)}`)
  return stdout.split('\0').flatMap((entry): Setting[] => {
    const end = entry.indexOf('\n')
    if (entry === '') return []
    return [end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)]]
  })
}

/** A pattern without a slash at the front is meant anywhere, one with a slash at the end for everything below. */
function isMeant(pattern: string, gitDir: string, anyCase: boolean): boolean {
  const home = atHome(pattern)
  const anchored = isAbsolute(home) ? home : `**/${home}`
  const whole = anchored.endsWith('/') ? `${anchored}**` : anchored
  const fold = (text: string): string => (anyCase ? text.toLowerCase() : text)
  return glob(fold(whole))(fold(gitDir).replace(/^\//, ''))
}

const atHome = (path: string): string => (path.startsWith('~/') ? join(homedir(), path.slice(2)) : path)

/** The owner's own lists of ignored files and attributes lie in the home directory, which git is not shown. */
export function ownerPaths(settings: readonly Setting[]): Setting[] {
  const base = process.env.XDG_CONFIG_HOME || join(homedir(), '.config')
  const defaults: Setting[] = [
    ['core.excludesfile', join(base, 'git/ignore')],
    ['core.attributesfile', join(base, 'git/attributes')],
  ]
  return [...defaults, ...settings].map(([key, value]): Setting =>
    /^core\.(?:excludes|attributes)file$/.test(key) ? [key, resolve(homedir(), atHome(value))] : [key, value],
  )
}
