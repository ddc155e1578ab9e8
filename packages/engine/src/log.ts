import { redact } from './redact.ts'
import { guardStderr } from './stderr.ts'

/** How much is logged, most first. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
/** One of them. */
export type Level = (typeof LEVELS)[number]
/** Writes one line of the server's own log. */
export type Log = (level: Exclude<Level, 'silent'>, message: string, fields?: Readonly<Record<string, unknown>>) => void

/** A log of JSON lines, secrets redacted, on stderr unless told otherwise. */
export function jsonLog(least: Level = 'info', write: (line: string) => void = toStderr): Log {
  const from = LEVELS.indexOf(least)
  return (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) < from) return
    const line = { time: new Date().toISOString(), level, message, ...(redact(fields) as object) }
    write(`${JSON.stringify(line)}\n`)
  }
}

function toStderr(line: string): void {
  guardStderr()
  process.stderr.write(line)
}
