import { tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Tool } from '@causeway/engine'
import { quote } from '../../support/quote.ts'
import { allowList } from './allow-list.ts'
import type { AllowList } from './allow-list.ts'
import { checkEnvironment, env } from './command-environment.ts'
import { refuseShellSyntax, splitCommand } from './split-command.ts'
import { runProgram, timeout } from './run-program.ts'
import { orRoot } from '../workspace.ts'
import type { Workspace } from '../workspace.ts'

/** Runs a command that the operator allows. */
export function runCommand(workspace: Workspace, patterns: readonly string[]): Tool {
  const isAllowed = allowList(patterns)
  const known = patterns.map(pattern => `'${pattern}'`).join(', ')
  return tool(
    {
      name: 'run_command',
      task: 'optional',
      title: 'Run command',
      description:
        `Runs one program without a shell (no pipes or redirections) and returns its output. ` +
        `Allowed: ${patterns.includes('*') ? 'every command' : known}. To build or test use ci_build or ci_run_tests.`,
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: true,
      aliases: ['ci/run_command', 'ci/run'],
      use: [dataFrom('command')],
      input: {
        type: 'object',
        properties: {
          command: {
            type: 'string',
            description: 'The program and its arguments; quote those with blanks',
            'x-audit': 'head',
          },
          workingDirectory: { type: 'string', description: 'Where to run it; default: the first root' },
          env,
          timeout: { ...timeout, description: 'Seconds it may take, if it needs longer than calls usually have' },
        },
        required: ['command'],
        additionalProperties: false,
      },
    },
    ({ command, workingDirectory, env: variables = {}, timeout: seconds }, ctx) => {
      const words = allowedWords({ command, variables, patterns }, isAllowed)
      const timeoutMs = seconds === undefined ? undefined : seconds * 1000
      const directory = orRoot(workingDirectory)
      return runProgram(workspace, { words, directory, argument: 'workingDirectory', env: variables, timeoutMs }, ctx)
    },
  )
}

/** What a model wants to run. */
interface Asked {
  readonly command: string
  readonly variables: Readonly<Record<string, string>>
  readonly patterns: readonly string[]
}

/** The words of a command that may be run; any other is refused in words that say what to do. */
export function allowedWords({ command, variables, patterns }: Asked, isAllowed: AllowList): readonly string[] {
  const words = splitCommand(command)
  refuseShellSyntax(command, isAllowed(['sh', '-c', command]))
  checkEnvironment(variables)
  if (isAllowed(words, variables)) return words
  const known = patterns.map(pattern => `'${pattern}'`).join(', ')
  if (!isAllowed(words)) throw new Error(`Command ${quote(command)} is not allowed. Allowed: ${known}.`)
  const names = Object.keys(variables).join(', ')
  throw new Error(
    `Command ${quote(command)} is allowed, but not with these variables: ${names}. Allowed: ${known}. Run it without them, or the operator allows them: --allow-command 'NAME=* PROGRAM'.`,
  )
}
