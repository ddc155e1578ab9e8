import { realpath } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { environment } from '../../support/processes/environment.ts'
import { bubblewrap } from '../../support/git/sandbox.ts'
import type { Sandbox } from '../../support/git/sandbox.ts'
import { isUnder } from '../../support/files/jail.ts'
import type { Jail } from '../../support/files/jail.ts'
import { findProgram, isOutside } from '../../support/processes/programs.ts'
import { quote } from '../../support/quote.ts'
import type { ServerKind } from './kinds.ts'
import type { Plan } from './launches.ts'

/** Where servers are looked for, and what they may. */
export interface Grounds {
  readonly jail: Jail
  /** The search path of programs; default: PATH. */
  readonly path?: string | undefined
  /** Servers that may run what a project names. */
  readonly allowed: readonly string[]
  /** The operator wants a sandbox: without one there is no server. */
  readonly sandbox?: boolean | undefined
}

/** A server that can be started. */
export interface Ready {
  readonly plan: Plan
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly sandboxed: boolean
}

// In the sandbox this is memory that nobody else sees.
const HOME = '/tmp/home'
// Belt and braces where there is no sandbox: no package manager that a server starts gets anything.
const OFFLINE = {
  npm_config_offline: 'true',
  npm_config_ignore_scripts: 'true',
  PIP_NO_INDEX: '1',
  PYTHONSAFEPATH: '1',
  // What runs git in a repository runs what its configuration says.
  GIT_DIR: '/nonexistent',
}

/** Find a server for a root, and how to start it; words say why there is none. */
export async function locate(kind: ServerKind, root: string, grounds: Grounds): Promise<Ready | string> {
  if (process.platform === 'win32') return 'language servers are not started on Windows'
  const trusted = grounds.allowed.includes(kind.name)
  const found = await programOf(kind, root, grounds, trusted)
  if (typeof found === 'string') return found
  if (kind.runsProject !== undefined && !trusted)
    return `${kind.name} runs what a project names: ${kind.runsProject}. ${word(kind)}`
  const sandbox = await sandboxOf(grounds)
  if (typeof sandbox === 'string') return sandbox
  const plan = await planOf(kind, found, { root, grounds, trusted })
  if (typeof plan === 'string') return plan
  if (sandbox === undefined && !trusted && plan.needsSandbox === true)
    return `${plan.title} needs the sandbox (bubblewrap), which does not work here. ${word(kind)}`
  return ready(plan, { grounds, trusted, sandbox })
}

interface Readying {
  readonly grounds: Grounds
  readonly trusted: boolean
  readonly sandbox: Sandbox | undefined
}

function ready(plan: Plan, { grounds: { jail }, trusted, sandbox }: Readying): Ready {
  const own = environment({ accepts: trusted ? () => true : isOutside(jail.holds) })
  const env = { ...withoutProxies(own), ...OFFLINE, ...plan.env }
  if (sandbox === undefined) return { plan, words: plan.words, env, sandboxed: false }
  // A program in an unusual place must not show the whole machine, or all of a home.
  const reads = plan.reads.filter(folder => !isUnder(folder, homedir()))
  const view = { reads: [...reads, ...jail.roots], writes: [], temporary: [...new Set([tmpdir(), '/tmp'])] }
  const words = sandbox(plan.words, '/', view)
  return { plan, words, env: { ...env, HOME, XDG_CACHE_HOME: `${HOME}/.cache`, TMPDIR: '/tmp' }, sandboxed: true }
}

const word = ({ name }: ServerKind): string => `The operator allows that with --allow-language-server ${name}.`

interface Found {
  readonly program: string
  readonly real: string
}

async function programOf(kind: ServerKind, root: string, grounds: Grounds, trusted: boolean): Promise<Found | string> {
  const path = searchPath(grounds)
  const own = ['node_modules/.bin', '.venv/bin'].map(folder => join(root, folder))
  let inside: string | undefined
  for (const name of kind.programs) {
    const found = trusted
      ? await findProgram(name, [path, ...own].join(delimiter), () => false)
      : await findProgram(name, path, grounds.jail.holds)
    if (found.program !== undefined) return { program: found.program, real: await realpath(found.program) }
    inside ??= found.inside
  }
  if (inside === undefined) return `no program ${kind.programs.join(' or ')} was found on PATH`
  return `${quote(inside)} lies inside the roots. ${word(kind)}`
}

const searchPath = ({ path }: Grounds): string => path ?? environment().PATH ?? ''

/** The sandbox, if there is one that works; words if there must be one. */
async function sandboxOf({ jail, sandbox }: Grounds): Promise<Sandbox | string | undefined> {
  if (process.platform !== 'linux' && sandbox !== true) return undefined
  try {
    return await bubblewrap(jail)
  } catch (error) {
    return sandbox === true ? (error instanceof Error ? error.message : String(error)) : undefined
  }
}

/** How to start what was found: the next program of the kind if the first cannot be used. */
async function planOf(
  kind: ServerKind,
  found: Found,
  { root, grounds, trusted }: { readonly root: string; readonly grounds: Grounds; readonly trusted: boolean },
): Promise<Plan | string> {
  const find = async (name: string): Promise<string | undefined> =>
    (await findProgram(name, searchPath(grounds), grounds.jail.holds)).program
  const plan = await kind.launch({ ...found, root, trusted, find })
  if (typeof plan !== 'string') return plan
  for (const name of kind.programs.slice(kind.programs.findIndex(one => found.program.endsWith(one)) + 1)) {
    const program = await find(name)
    if (program === undefined) continue
    const other = await kind.launch({ program, real: await realpath(program), root, trusted, find })
    if (typeof other !== 'string') return other
  }
  return plan
}

const withoutProxies = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/_?proxy$/i.test(name)))
