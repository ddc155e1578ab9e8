import { LEVELS } from '@causeway/engine'
import { redact, redactText } from '@causeway/engine/internal'
import type { Level, Log } from '@causeway/engine'

/** A log of lines such as `[ERROR] [req_id=3] Unknown tool: x`, on stderr by default. */
export function plainLog(least: Level = 'info', write: (line: string) => void = toStderr): Log {
  const from = LEVELS.indexOf(least)
  const say: Log = (level, message, { request, ...fields } = {}) => {
    if (LEVELS.indexOf(level) < from) return
    const rest = Object.entries(redact(fields) as object).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
    const id = typeof request === 'string' ? redactText(request, 100) : typeof request === 'number' ? request : '-'
    const line = `[${level.toUpperCase()}] [req_id=${id}] ${redactText(message)}${rest.join('')}`
    // Clients choose ids and names: what they send must not begin a line of its own.
    write(`${line.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')}\n`)
  }
  return (level, message, fields = {}) => {
    if (!('problem' in fields)) return say(level, message, fields)
    // The tool itself logs refused arguments, since it knows what was wrong with them.
    if (fields.kind !== 'invalid-arguments') say('error', String(fields.problem), { request: fields.request })
  }
}

const toStderr = (line: string): void => void process.stderr.write(line)
