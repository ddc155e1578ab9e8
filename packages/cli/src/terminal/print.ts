import { showInvisible, visibleJson } from '@causeway/engine/internal'
import { paint } from './colours.ts'
import type { Styled } from './colours.ts'
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

/** Write lines with colours to stdout; the texts in them are made harmless first. */
export const printStyled = (lines: readonly (readonly Styled[])[]): Promise<void> =>
  printExact(lines.map(parts => parts.map(part => paint(part, process.stdout, harmless)).join('')).join('\n'))

/** Write a value to stdout as JSON. */
export const printJson = (value: unknown): Promise<void> => printExact(visibleJson(value, 2))

/** Write to stderr. */
export const complain = (text: string): void => void process.stderr.write(`${harmless(text)}\n`)

let isQuiet = false

/** Leave out remarks from now on, or not. */
export const setQuiet = (quiet: boolean): void => {
  isQuiet = quiet
}

/** Write to stderr what is good to know, unless --quiet was given. */
export const remark = (text: string): void => (isQuiet ? undefined : complain(text))

/** Write a line over the last one of a terminal. */
export const overwrite = (text: string): void => {
  const width = (process.stderr.columns || 80) - 1
  process.stderr.write(`\r\u001B[K${harmless(text).replaceAll(/\s+/g, ' ').slice(0, width)}`)
}

/** Write to stdout as it is: for programs that read it. */
export const printExact = (text: string): Promise<void> => written(`${text}\n`)

function written(content: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null): void => {
      if (!error || GONE.includes((error as NodeJS.ErrnoException).code)) resolve()
      else reject(new UsageError(`Standard output cannot be written: ${error.message}`, 1))
    }
    process.stdout.write(content, done)
  })
}

/** Write bytes to stdout, and wait until they have left. */
export const printBytes = (bytes: Uint8Array): Promise<void> => written(bytes)

// A reader of the log that takes longer than this is not waited for.
const LOG_MS = 2_000

/** Wait until the log has left, if it is read: the process may end right after. */
export function logLeft(): Promise<void> {
  return new Promise(resolve => {
    process.stderr.write('', () => resolve())
    setTimeout(resolve, LOG_MS).unref()
  })
}

/** Wait until what was written to stdout has left, or never will. */
export const outputLeft = (): Promise<void> => written('').catch(() => {})

/** `1 tool`, `1,200 tools` */
export const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`

/** How wide the terminal is; undefined if a program reads. */
export const terminalWidth = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns || 80 : undefined)

/** Rows of two columns, the first as wide as it must be; in a terminal, the second is wrapped. */
export function table(
  rows: readonly (readonly [string, string])[],
  width: number | undefined = terminalWidth(),
): string {
  const widest = rows.reduce((most, [left]) => Math.max(most, left.length), 0)
  if (width === undefined) return rows.map(([left, right]) => `${left.padEnd(widest)}  ${right}`.trimEnd()).join('\n')
  // A long first column leaves no room beside it: what belongs to its long cells then stands below them.
  const column = Math.min(widest, Math.floor(width * 0.45))
  const indent = ' '.repeat(column + 2)
  return rows
    .map(([left, right]) => {
      const lines = wrapped(right, width - column - 2)
      if (left.length > column)
        return [left, ...lines.filter(line => line !== '').map(line => indent + line)].join('\n')
      return lines
        .map((line, i) => `${i === 0 ? left.padEnd(column) : ' '.repeat(column)}  ${line}`.trimEnd())
        .join('\n')
    })
    .join('\n')
}

/** A text in lines that are at most so wide; a longer word stands alone. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
