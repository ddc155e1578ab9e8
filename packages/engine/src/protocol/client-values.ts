import type { Implementation, LogLevel } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'

/** The levels of log messages, least first. */
export const LOG_LEVELS: readonly LogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** Is `level` at least as loud as `least`? */
export const isLoud = (level: LogLevel, least: LogLevel): boolean =>
  LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least)

/** A level out of a request, or an error that lists them. */
export function asLogLevel(value: unknown, where: string): LogLevel {
  const level = LOG_LEVELS.find(known => known === value)
  if (level) return level
  throw fault('invalid-params', `Invalid params: ${where} must be one of ${LOG_LEVELS.join(', ')}`)
}

/** What the other side says it is, if it says so in a usable way. */
export function asImplementation(value: unknown): Implementation | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined
  if (typeof value.version === 'string') return value as unknown as Implementation
  return { ...value, name: value.name, version: '' }
}

const MOST_SAID = 4096
const LONGEST_NAME = 200

/** What the other side says it is, in a few kB: of one that says more, such as pictures, only the names are kept. */
export function briefImplementation(said: Implementation | undefined): Implementation | undefined {
  if (!said || JSON.stringify(said).length <= MOST_SAID) return said
  const { name, version, title } = said
  const cut = (text: string): string => text.slice(0, LONGEST_NAME)
  return { name: cut(name), version: cut(version), ...(typeof title === 'string' && { title: cut(title) }) }
}
