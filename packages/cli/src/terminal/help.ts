import { commands, flagsOf } from '../config/command-table.ts'
import type { Command } from '../config/command-table.ts'
import type { Flag } from '../config/flags.ts'
import { EXIT_CODES } from '../config/exit-codes.ts'
import { table, terminalWidth, wrapped } from './print.ts'

const WIDEST = 100

/** What `help` says: on everything, or on one command. */
export function help(command: Command | undefined): string {
  const width = Math.min(terminalWidth() ?? WIDEST, WIDEST)
  return command ? commandHelp(command, width) : overview(width)
}

function overview(width: number): string {
  return [
    'Causeway: tools for AI assistants over the Model Context Protocol.',
    '',
    ...wrapped(
      'Usage: causeway [COMMAND] [flags]; where it is not installed: npx causeway-mcp [COMMAND] [flags]',
      width,
    ),
    '',
    'Commands:',
    table(
      commands.map(({ name, about }) => [`  ${name}`, about]),
      width,
    ),
    '',
    'First steps:',
    examples(FIRST_STEPS, width),
    '',
    ...wrapped(
      'Flags of every command: --help, --version. Without a command, it serves on standard input and output.',
      width,
    ),
    ...wrapped('Flags of serve, such as --preset NAME and --root DIR, are shown by: causeway help serve', width),
    '',
    'Exit codes:',
    table(
      EXIT_CODES.map(({ code, about }) => [`  ${code}`, about]),
      width,
    ),
    '',
    'More on one command: causeway help COMMAND',
  ].join('\n')
}

const FIRST_STEPS = [
  ['causeway install claude-code', 'add it to a client'],
  ['causeway list', 'see the tools'],
  ['causeway doctor', 'find out what is wrong'],
] as const

function commandHelp(command: Command, width: number): string {
  const flags = flagsOf(command)
  return [
    ...wrapped(`causeway ${command.name}: ${command.about}.`, width),
    '',
    ...wrapped(`Usage: ${command.usage}`, width),
    '',
    ...(command.notes ? [...command.notes.flatMap(note => noteLines(note, width)), ''] : []),
    ...(command.examples ? ['Examples:', examples(command.examples, width), ''] : []),
    'Flags:',
    table(
      flags.map(flag => [`  ${label(flag)}`, flag.about + note(flag)]),
      width,
    ),
    ...(command.groups
      ? [
          '',
          ...wrapped(
            'Flags of serve can also be set in the environment (--read-only as CAUSEWAY_READ_ONLY=on) or as keys of the --config file. A flag marked "several" may be repeated, or given a comma-separated list.',
            width,
          ),
        ]
      : []),
  ].join('\n')
}

/** A note that is indented is a row of a table, whose columns stay. */
function noteLines(text: string, width: number): readonly string[] {
  if (!text.startsWith(' ')) return wrapped(text, width)
  const [, left = '', right = ''] = /^( +\S.*?) {2,}(.*)$/.exec(text) ?? [text, text]
  return table([[left.padEnd(18), right]], width).split('\n')
}

/** A command line is never wrapped, so that it can be copied; what it is for stands beside or below it. */
function examples(rows: readonly (readonly [string, string])[], width: number): string {
  const longest = (column: 0 | 1): number => Math.max(...rows.map(row => row[column].length))
  const widest = longest(0) + longest(1) + '    # '.length
  if (widest <= width)
    return table(
      rows.map(([line, what]) => [`  ${line}`, `# ${what}`]),
      undefined,
    )
  return rows
    .map(([line, what]) => [...wrapped(what, width - 4).map(one => `  # ${one}`), `  ${line}`].join('\n'))
    .join('\n')
}

const SHORT: Readonly<Record<string, string>> = { help: '-h, ', version: '-v, ' }

const label = ({ name, value }: Flag): string =>
  value === undefined ? `${SHORT[name] ?? ''}--${name}` : `--${name} ${value}`

function note({ choices, default: value, list }: Flag): string {
  const initial = value !== undefined && `default ${value}`
  const parts = [choices && choices.join(' | '), initial, list && 'several'].filter(Boolean)
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`
}
