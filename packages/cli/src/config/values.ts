import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { didYouMean } from '@causeway/engine'
import { isLoopback, parseDuration, parseSize } from '@causeway/engine/internal'
import { toolsets } from './toolsets.ts'
import { UsageError, sentence } from './usage-error.ts'

/** What each way of reading a value gives. */
export interface Parsed {
  readonly count: number
  readonly duration: number | undefined
  readonly fileOrOff: string | undefined
  readonly hostName: string
  readonly issuerUrl: string
  readonly keyPrefix: string
  readonly path: string
  readonly port: number
  readonly publicUrl: string
  readonly rate: { readonly burst: number; readonly perSecond: number } | undefined
  readonly size: number
  readonly storeUrl: string
  readonly toggle: boolean
  readonly tokens: number | undefined
  readonly toolset: string
  readonly variable: string
  readonly workers: number
}

/** The name of a way of reading a value. */
export type ParserName = keyof Parsed

const bad = (flag: string, value: string, what: string): UsageError =>
  new UsageError(`--${flag} must be ${what}, got '${value.slice(0, 100)}'.`)

/** `30s` → milliseconds; `off` → undefined. */
export function duration(value: string, flag: string): number | undefined {
  if (value === 'off') return undefined
  const ms = parseDuration(value) ?? 0
  // Beyond this a timer of Node's fires at once.
  if (!(ms >= 1 && ms < 2 ** 31)) throw bad(flag, value, 'a time such as 500ms, 30s or 2m, or off')
  return ms
}

/** `10mb` → bytes. */
export function size(value: string, flag: string): number {
  const bytes = parseSize(value) ?? 0
  if (!(bytes >= 1)) throw bad(flag, value, 'a size such as 65536, 512kb or 10mb')
  return bytes
}

/** `1000/100` → burst and per second; `off` → undefined. */
export function rate(value: string, flag: string): { burst: number; perSecond: number } | undefined {
  if (value === 'off') return undefined
  const [, burst, perSecond] = /^(\d+)\/(\d+(?:\.\d+)?)$/.exec(value) ?? []
  if (!(Number(burst) >= 1 && Number(perSecond) > 0)) throw bad(flag, value, 'BURST/RATE such as 1000/100, or off')
  return { burst: Number(burst), perSecond: Number(perSecond) }
}

/** A whole number, 1 or more. */
export function count(value: string, flag: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw bad(flag, value, 'a whole number, 1 or more')
  return Number(value)
}

/** A number of tokens; `off` or 0 → undefined. */
export function tokens(value: string, flag: string): number | undefined {
  if (value === 'off' || value === '0') return undefined
  // Fewer have no room for the note on what was left out.
  if (!/^[1-9]\d{0,8}$/.test(value) || Number(value) < 200)
    throw bad(flag, value, 'a number of tokens, 200 or more, or off')
  return Number(value)
}

const MOST_WORKERS = 128

/** How many processes; `auto` → one per core. */
export function workers(value: string, flag: string): number {
  if (value === 'auto') return Math.min(availableParallelism(), MOST_WORKERS)
  if (!/^[1-9]\d{0,2}$/.test(value) || Number(value) > MOST_WORKERS)
    throw bad(flag, value, `a whole number from 1 to ${MOST_WORKERS}, or auto`)
  return Number(value)
}

/** A port; 0 stands for any that is free. */
export function port(value: string, flag: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw bad(flag, value, 'a number from 0 to 65535')
  return Number(value)
}

/** A URL that clients use, without a slash at its end. */
export function publicUrl(value: string, flag: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}${url.username}` === ''
  if (!isPlain) throw bad(flag, value, 'a URL such as https://mcp.example.org or https://example.org/mcp-server')
  return url.href.replace(/\/$/, '')
}

/** The name of an authorization server, exactly as it writes it: https, or http on this machine. */
export function issuerUrl(value: string, flag: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (!url || !isSafe || `${url.search}${url.hash}${url.username}` !== '')
    throw bad(flag, value, 'the https URL of an authorization server; http is allowed only on this machine')
  return value
}

/** A host name, without scheme, port or path. */
export function hostName(value: string, flag: string): string {
  if (!/^[a-z\d]([a-z\d.-]{0,251}[a-z\d])?$|^\[[\da-f:.]+\]$/i.test(value))
    throw bad(flag, value, 'a host name such as mcp.example.org, without scheme and port')
  return value.toLowerCase()
}

/** The URL of a shared store; what is wrong is said without repeating it, since it may hold a password. */
export function storeUrl(value: string, flag: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isPlain = url && /^rediss?:$/.test(url.protocol) && url.hostname !== '' && `${url.search}${url.hash}` === ''
  if (isPlain && /^\/?\d{0,5}$/.test(url.pathname)) return value
  throw new UsageError(
    `--${flag} must be a URL such as redis://localhost:6379/0 or rediss://user:password@host:port/database. Percent-encode what is special in a password.`,
  )
}

/** What keys begin with: short, and nothing that a terminal would not show. */
export function keyPrefix(value: string, flag: string): string {
  if (!/^[\x21-\x7e]{1,64}$/.test(value)) throw bad(flag, value, '1 to 64 visible ASCII characters')
  return value
}

/** The name of an environment variable; its value stays out of the command line. */
export function variable(value: string, flag: string): string {
  if (value.includes('=')) throw bad(flag, value, 'the name of a variable, without its value')
  return value
}

const ON = ['1', 'true', 'yes', 'on']
const OFF = ['0', 'false', 'no', 'off']

/** A switch, in any of the words for on and off. */
export function toggle(value: string, flag: string): boolean {
  const word = value.toLowerCase()
  if (!ON.includes(word) && !OFF.includes(word)) throw bad(flag, value, 'on or off (also 1, true, yes; 0, false, no)')
  return ON.includes(word)
}

/** A path as an absolute one; if the current directory was deleted, the operator has to leave it. */
export function path(value: string): string {
  try {
    return resolve(value)
  } catch {
    throw new UsageError(
      'The current directory no longer exists. Change to another one, or give absolute paths: --root DIR.',
    )
  }
}

/** One of the choices. */
export function choice(value: string, flag: string, choices: readonly string[]): string {
  if (choices.includes(value)) return value
  const known = `Choices: ${choices.join(', ')}.`
  throw new UsageError(sentence(`Unknown ${flag} '${value}'.`, didYouMean(value, choices), known))
}

/** Every way of reading a value. */
export const parsers: { readonly [P in ParserName]: (value: string, flag: string) => Parsed[P] } = {
  count,
  duration,
  fileOrOff: value => (value === 'off' ? undefined : value),
  hostName,
  issuerUrl,
  keyPrefix,
  path,
  port,
  publicUrl,
  rate,
  size,
  storeUrl,
  toggle,
  tokens,
  toolset: (value, flag) => choice(value, flag, [...toolsets.map(({ name }) => name), 'all']),
  variable,
  workers,
}
