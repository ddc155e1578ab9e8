import { redact, redactText } from '../secrets/redact.ts'
import { visibleJson } from '../support/visible-json.ts'
import { guardStderr } from './stderr.ts'

/** How much is logged, most first. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
/** One of them. */
export type Level = (typeof LEVELS)[number]
/** Writes one line of the server's own log. */
export type Log = (level: Exclude<Level, 'silent'>, message: string, fields?: Readonly<Record<string, unknown>>) => void

/** A log of JSON lines, secrets redacted, on stderr by default. */
export function jsonLog(least: Level = 'info', write: (line: string) => void = toStderr): Log {
  const from = LEVELS.indexOf(least)
  return (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) < from) return
    const line = { time: new Date().toISOString(), level, message: redactText(message), ...(redact(fields) as object) }
    write(`${visibleJson(line)}\n`)
  }
}

/** A log of lines for people, secrets redacted, on stderr unless told otherwise: what a server writes by default. */
export function textLog(least: Level = 'info', write: (line: string) => void = toStderr): Log {
  const from = LEVELS.indexOf(least)
  return (level, message, { error, ...fields } = {}) => {
    if (LEVELS.indexOf(level) < from) return
    const shown = Object.entries(redact(fields) as object).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    const head = [new Date().toISOString(), level, message, ...shown].join(' ')
    const lines = linesOf(error).map(line => String(redact(line)))
    // Clients choose ids and names: what they send must not begin a line of its own.
    write(
      `${[head, ...lines.map(line => `  ${line}`)].map(line => line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')).join('\n')}\n`,
    )
  }
}

const MOST_STACK_LINES = 20

function linesOf(error: unknown): string[] {
  if (error === undefined) return []
  const text = error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(redact(error))
  return text.split('\n').slice(0, MOST_STACK_LINES)
}

function toStderr(line: string): void {
  guardStderr()
  process.stderr.write(line)
}

/** A log that cannot be written is no reason to fail a request. */
export function guardedLog(log: Log | false = textLog()): Log {
  if (log === false) return () => {}
  return (...line) => {
    try {
      log(...line)
    } catch {
      // There is nowhere left to say so.
    }
  }
}
