import { dirname } from 'node:path'
import { environment } from '../processes/environment.ts'
import { run } from '../processes/exec.ts'
import type { Jail } from '../files/jail.ts'
import { findProgram } from '../processes/programs.ts'

/** What a program in the sandbox sees in addition to the system's programs and libraries. */
export interface View {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** Folders that are empty at first, and gone at the end. */
  readonly temporary?: readonly string[]
}

/** Turns a command into one that is run in a sandbox. */
export type Sandbox = (words: readonly string[], directory: string, view: View) => string[]

// What programs are made of, wherever a system keeps it.
const SYSTEM =
  `/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /gnu/store /etc/ld.so.cache /etc/alternatives`.split(' ')
const TIME_MS = 10_000
const probed = new Map<string, Promise<boolean>>()

/**
 * The sandbox of bubblewrap: namespaces of its own, without network, in which nothing exists but what is shown. Throws
 * if it is not installed or does not work here.
 */
export async function bubblewrap(jail: Jail): Promise<Sandbox> {
  const { program } = await findProgram('bwrap', environment().PATH ?? '', jail.holds)
  if (program === undefined) {
    throw new Error(
      "The sandbox needs the program 'bwrap' (bubblewrap), which was not found. Install it, or do without.",
    )
  }
  const sandbox: Sandbox = (words, directory, view) => [program, ...toArguments(words, directory, view)]
  const works = probed.get(program) ?? probe(sandbox)
  probed.set(program, works)
  if (!(await works)) {
    throw new Error('The sandbox does not work here: bwrap cannot make namespaces. Allow that, or do without.')
  }
  return sandbox
}

function toArguments(words: readonly string[], directory: string, { reads, writes, temporary = [] }: View): string[] {
  const program = words[0] ?? ''
  const show = (how: string, paths: readonly string[]): string[] => paths.flatMap(path => [how, path, path])
  return [
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    ...temporary.flatMap(path => ['--tmpfs', path]),
    ...show('--ro-bind-try', [...SYSTEM, dirname(program), ...reads]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...show('--bind', writes),
    '--chdir',
    directory,
    '--',
    ...words,
  ]
}

async function probe(sandbox: Sandbox): Promise<boolean> {
  const [program = '', ...args] = sandbox([process.execPath, '--version'], '/', { reads: [], writes: [] })
  const outcome = await run({ program, args, cwd: '/', env: environment(), timeoutMs: TIME_MS }).catch(() => undefined)
  return outcome?.code === 0
}
