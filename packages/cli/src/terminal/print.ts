import { showInvisible, visibleJson } from '@causeway/engine/internal'
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

/** A text that does nothing to a terminal: servers wrote parts of what we print. */
const harmless = (text: string): string => showInvisible(text).replaceAll(/\r(?!\n)/g, '[U+000D]')

/** Write to stdout, and wait until it has left: the process may end right after. */
export const print = (text: string): Promise<void> => printExact(harmless(text))

/** Write a value to stdout as JSON. */
export const printJson = (value: unknown): Promise<void> => printExact(visibleJson(value, 2))

/** Write to stderr. */
export const complain = (text: string): void => void process.stderr.write(`${harmless(text)}\n`)

/** Write a line over the last one of a terminal. */
export const overwrite = (text: string): void => {
  const width = (process.stderr.columns || 80) - 1
  process.stderr.write(`\r\u001B[K${harmless(text).replaceAll(/\s+/g, ' ').slice(0, width)}`)
}

/** Write to stdout as it is: for programs that read it. */
export function printExact(text: string): Promise<void> {
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

/** Wait until the log has left, if it is read: the process may end right after. */
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
    ...(command?.examples ? ['Examples:', table(command.examples.map(([line, what]) => [`  ${line}`, what])), ''] : []),
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

/** `1 tool`, `1,200 tools` */
export const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`

/** Rows of two columns, the first as wide as it must be. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`.trimEnd()).join('\n')
}
