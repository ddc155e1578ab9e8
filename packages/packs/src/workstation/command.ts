import { isAbsolute, resolve } from 'node:path'
import { text, tool } from '@causeway/engine'
import type { Content, Context, Tool, ToolResult } from '@causeway/engine'
import { environment } from '../support/environment.ts'
import { run } from '../support/exec.ts'
import type { Outcome } from '../support/exec.ts'
import { findProgram, isOutside } from '../support/programs.ts'
import { quote } from '../support/quote.ts'
import { clip } from '../support/spool.ts'
import { allowed } from './allow-list.ts'
import { orRoot } from './workspace.ts'
import type { Workspace } from './workspace.ts'
import { splitCommand } from './command-line.ts'

/** A program to run in a directory of the jail. */
export interface Job {
  readonly words: readonly string[]
  readonly directory: string
  /** The argument that the directory came in. */
  readonly argument: string
  readonly env?: Readonly<Record<string, string>>
  /** It runs what the project says anyway, so programs of the project may be found by their names too. */
  readonly trusting?: boolean
}

// What a failure shows of each stream.
const FAILURE_BYTES = 16 * 1024
const MESSAGE_BYTES = 8 * 1024
const NOTE_BYTES = 64

/** Run a program, tell the client its lines as they come, and return what it wrote; a failed one throws. */
export function runJob(
  workspace: Workspace,
  { words, directory, argument, env = {}, trusting = false }: Job,
  ctx: Context,
): Promise<ToolResult> {
  const { jail, timeMs, textBytes } = workspace
  const args = words.slice(1)
  let lines = 0
  return jail.inside({ path: directory, argument }, async dir => {
    const accepts = trusting ? undefined : isOutside(jail.holds)
    const surroundings = environment({ also: workspace.environment, ...(accepts && { accepts }) })
    const outcome = await run({
      program: await programFor(workspace, words[0] ?? '', {
        from: dir.path,
        path: environment().PATH ?? '',
        trusting,
      }),
      args,
      cwd: dir.at(),
      env: { ...surroundings, ...env },
      signal: ctx.signal,
      timeoutMs: timeMs,
      keep: textBytes,
      wild: true,
      onLines: some => ctx.progress((lines += some.length), clip(some.join('\n'), MESSAGE_BYTES)),
    })
    if (outcome.code !== 0) throw failure(words, outcome)
    return { content: contents(outcome, textBytes) }
  })
}

interface Search {
  readonly from: string
  readonly path: string
  readonly trusting: boolean
}

/**
 * The file to run, chosen once. A name is looked up outside of the roots only: in them, anyone may have put a file of
 * that name.
 */
async function programFor({ jail }: Workspace, program: string, { from, path, trusting }: Search): Promise<string> {
  if (/[/\\]/.test(program)) {
    // A program given as a path from here must lie in a root, like everything else.
    if (!isAbsolute(program)) await jail.resolve(resolve(from, program), 'command')
    return resolve(from, program)
  }
  const found = await findProgram(program, path, trusting ? () => false : jail.holds)
  if (found.program !== undefined) return found.program
  if (found.inside === undefined) throw new Error(`Program ${quote(program)} was not found`)
  throw new Error(
    `Program ${quote(program)} was found only inside the allowed roots, at ${quote(found.inside)}, and is not run by its ` +
      'name alone. Call it by its path; the operator must allow that path.',
  )
}

function contents({ stdout, stderr, cut }: Outcome, most: number): Content[] {
  if (stderr === '') return [text(stdout)]
  const quarter = Math.floor(most / 4)
  return [text(cut('stdout', most - quarter)), text(`\n[stderr]\n${cut('stderr', quarter - NOTE_BYTES)}`)]
}

function failure(words: readonly string[], { code, signal, cut }: Outcome): Error {
  const how = code === null ? `was ended by ${String(signal)}` : `failed with exit code ${code}`
  const part = (stream: 'stderr' | 'stdout'): string => {
    const said = cut(stream, FAILURE_BYTES).trimEnd()
    return said === '' ? '' : `\n[${stream}]\n${said}`
  }
  return new Error(`${quote(words.join(' '))} ${how}.${part('stderr')}${part('stdout')}`)
}

/** Runs a command that the operator allows. */
export function runCommand(workspace: Workspace, patterns: readonly string[]): Tool {
  const isAllowed = allowed(patterns)
  const known = patterns.map(pattern => `'${pattern}'`).join(', ')
  return tool(
    {
      name: 'run_command',
      title: 'Run command',
      description:
        `Runs one program without a shell (no pipes, redirections or variables) and returns its output. ` +
        `Allowed: ${patterns.includes('*') ? 'every command' : known}. To build or test use ci_build or ci_run_tests.`,
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: true,
      aliases: ['ci/run_command', 'ci/run'],
      input: {
        type: 'object',
        properties: {
          command: {
            type: 'string',
            description: 'The program and its arguments; quote those with blanks',
            'x-audit': 'head',
          },
          workingDirectory: { type: 'string', description: 'Where to run it; default: the first root' },
        },
        required: ['command'],
        additionalProperties: false,
      },
    },
    ({ command, workingDirectory }, ctx) => {
      const words = splitCommand(command)
      if (!isAllowed(words)) throw new Error(`Command ${quote(command)} is not allowed. Allowed: ${known}.`)
      return runJob(workspace, { words, directory: orRoot(workingDirectory), argument: 'workingDirectory' }, ctx)
    },
  )
}
