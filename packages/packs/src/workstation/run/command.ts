import { tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Tool } from '@causeway/engine'
import { quote } from '../../support/quote.ts'
import { allowList } from './allow-list.ts'
import { splitCommand } from './split-command.ts'
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
        `Runs one program without a shell (no pipes, redirections or variables) and returns its output. ` +
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
          timeout: { ...timeout, description: 'Seconds it may take, if it needs longer than calls usually have' },
        },
        required: ['command'],
        additionalProperties: false,
      },
    },
    ({ command, workingDirectory, timeout: seconds }, ctx) => {
      const words = splitCommand(command)
      if (!isAllowed(words)) throw new Error(`Command ${quote(command)} is not allowed. Allowed: ${known}.`)
      const timeoutMs = seconds === undefined ? undefined : seconds * 1000
      const directory = orRoot(workingDirectory)
      return runProgram(workspace, { words, directory, argument: 'workingDirectory', timeoutMs }, ctx)
    },
  )
}
