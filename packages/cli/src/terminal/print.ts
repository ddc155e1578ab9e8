import { commands, flagsOf } from '../config/command-table.ts'
import type { Command } from '../config/command-table.ts'
import type { Flag } from '../config/flags.ts'
import { flags } from '../config/flags.ts'
import { UsageError } from '../config/usage-error.ts'

// A reader that left early, such as head, is no fault of ours.
const GONE: readonly (string | undefined)[] = ['EPIPE', 'ERR_STREAM_DESTROYED']

let isGuarded = false

/** A broken output does not end the process: the writer gets the error, and decides. */
export function guardOutputs(): void {
  if (isGuarded) return
  isGuarded = true
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

/** Write to stdout, and wait until it has left: the process may end right after. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null): void => {
      if (!error || GONE.includes((error as NodeJS.ErrnoException).code)) resolve()
      else reject(new UsageError(`Standard output cannot be written: ${error.message}`, 1))
    }
    process.stdout.write(`${text}\n`, done)
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

/** What `help` says: on everything, or on one command. */
export function help(command: Command | undefined): string {
  const chosen = command ? [command] : commands
  const shown = flags.filter(f => chosen.some(c => flagsOf(c).includes(f)))
  return [
    'Causeway: tools for AI assistants over the Model Context Protocol.',
    '',
    table(chosen.map(c => [`  ${c.usage}`, c.about])),
    '',
    ...(command?.notes ? [...command.notes, ''] : []),
    'Flags:',
    table(shown.map(f => [`  ${label(f)}`, f.about + note(f)])),
    '',
    'Flags of serve can also be set in the environment (--read-only as CAUSEWAY_READ_ONLY=on) or as keys of the --config file.',
    'A flag marked "several" may be repeated, or given a comma-separated list.',
    ...(command ? [] : ['More on one command: causeway help COMMAND']),
  ].join('\n')
}

const SHORT: Readonly<Record<string, string>> = { help: '-h, ', version: '-v, ' }

const label = ({ name, value }: Flag): string =>
  value === undefined ? `${SHORT[name] ?? ''}--${name}` : `--${name} ${value}`

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
