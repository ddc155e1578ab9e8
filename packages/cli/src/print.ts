import { commands, flags } from './flags.ts'
import type { Command, Flag } from './flags.ts'

/** Write to stdout, and wait until it has left: the process may end right after. */
export function print(text: string): Promise<void> {
  return new Promise(resolve => {
    // A reader that left early (`| head`) is no fault of ours.
    process.stdout.once('error', () => resolve())
    process.stdout.write(`${text}\n`, () => resolve())
  })
}

// A reader of the log that takes longer than this is not waited for.
const LOG_MS = 2_000

/** Wait until the log has left, if somebody reads it: the process may end right after. */
export function logLeft(): Promise<void> {
  return new Promise(resolve => {
    process.stderr.write('', () => resolve())
    setTimeout(resolve, LOG_MS).unref()
  })
}

/** What `--help` says: of everything, or of one command. */
export function help(command: Command | undefined): string {
  const chosen = command ? [command] : commands
  const shown = flags.filter(f => chosen.some(c => c.flags.includes(f.name)))
  return [
    'Causeway: tools for AI assistants over the Model Context Protocol.',
    '',
    table(chosen.map(c => [`  ${c.usage}`, c.about])),
    '',
    table(shown.map(f => [`  ${label(f)}`, f.about + note(f)])),
    '',
    'Every flag with a value can also be set as CAUSEWAY_… in the environment or as a key of the --config file;',
    'of those that take several, give the flag again or separate them by commas.',
  ].join('\n')
}

const label = ({ name, value }: Flag): string => (value === undefined ? `--${name}` : `--${name} ${value}`)

function note({ choices, default: value, list }: Flag): string {
  const initial = value !== undefined && `default ${value}`
  const parts = [choices && choices.join(' | '), initial, list && 'several'].filter(Boolean)
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`
}

/** Rows of two columns, the first as wide as it must be. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`.trimEnd()).join('\n')
}
