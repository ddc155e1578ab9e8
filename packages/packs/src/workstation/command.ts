import { isAbsolute, resolve } from 'node:path'
import { text, tool } from '@causeway/engine'
import type { Content, Context, Tool, ToolResult } from '@causeway/engine'
import { environment } from '../support/environment.ts'
import { run } from '../support/exec.ts'
import type { Outcome } from '../support/exec.ts'
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
}

// What a failure shows of each stream.
const FAILURE_BYTES = 16 * 1024
const MESSAGE_BYTES = 8 * 1024
const NOTE_BYTES = 64

/** Run a program, tell the client its lines as they come, and return what it wrote; a failed one throws. */
export function runJob(
  workspace: Workspace,
  { words, directory, argument, env = {} }: Job,
  ctx: Context,
): Promise<ToolResult> {
  const { jail, timeMs, textBytes } = workspace
  const [program = '', ...args] = words
  let lines = 0
  return jail.inside({ path: directory, argument }, async dir => {
    // A program given as a path from here must lie in a root, like everything else.
    if (/[/\\]/.test(program) && !isAbsolute(program)) await jail.resolve(resolve(dir.path, program), 'command')
    const outcome = await run({
      program,
      args,
      cwd: dir.at(),
      env: { ...environment({ also: workspace.environment }), ...env },
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
