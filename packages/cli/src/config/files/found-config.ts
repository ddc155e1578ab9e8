import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { RightsRule } from '@causeway/engine/policies'
import { NO_AUTH } from '../auth-settings.ts'
import { UsageError } from '../usage-error.ts'
import type { SettingsFile } from './settings-file.ts'

const NAMES = ['causeway.yaml', 'causeway.json']
const LARGEST = 1024 * 1024

/** The configuration file in a folder; undefined if there is none. */
export function foundFile(folder = '.'): string | undefined {
  const [file, other] = NAMES.map(name => join(folder, name)).filter(isThere)
  if (other !== undefined)
    throw new UsageError(`There are ${file} and ${other}: name one of them with --config FILE, or use --config off.`, 4)
  return file
}

/** A link could lead to any file, and its text would be in the error. */
function isThere(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return false
  if (stats.isFile() && stats.size <= LARGEST) return true
  const why = stats.isFile() ? `larger than ${LARGEST} bytes` : 'not a regular file'
  throw new UsageError(
    `${file} in the working directory is ${why}: name it with --config FILE, or use --config off.`,
    4,
  )
}

const any = (): boolean => true
const only =
  (...words: readonly string[]) =>
  (values: readonly string[]): boolean =>
    values.every(value => words.includes(value))
const on = only('true', 'on', 'yes', '1')

/**
 * What a file may set that was found and not named: it can only take away, or choose which of the tools are listed. Such a file may come
 * with a repository that someone else wrote, see docs/decisions/0017-found-configuration.md.
 */
const NARROWING: Readonly<Record<string, (values: readonly string[]) => boolean>> = {
  tools: any,
  'exclude-tools': any,
  'read-only': on,
  sandbox: on,
  'language-servers': only('off'),
  approve: any,
  mask: only('on', 'strict'),
  'mask-results': on,
  spotlight: on,
  scan: only('refuse'),
  lock: only('strict'),
  'server-instructions': only('off'),
  toolset: any,
  search: any,
  'search-threshold': any,
  pin: any,
}

/** What is taken from a file that was found and not named, and the keys that are not. */
export function narrowed({ settings, auth, rights }: SettingsFile): {
  readonly file: SettingsFile
  readonly notTaken: readonly string[]
} {
  const isTaken = ([name, values]: readonly [string, readonly string[]]): boolean => NARROWING[name]?.(values) === true
  const all = [...settings]
  const limited = (rights ?? []).some(rule => withoutLimits(rule).length < Object.keys(rule).length)
  const notTaken = all.filter(entry => !isTaken(entry)).map(([name]) => name)
  const issuers = auth === NO_AUTH ? [] : ['auth']
  return {
    file: { settings: new Map(all.filter(isTaken)), auth: NO_AUTH, rights: rights?.map(rule => plainRule(rule)) },
    notTaken: [...notTaken, ...issuers, ...(limited ? ['limits in rights'] : [])],
  }
}

// A timeout replaces the one of the command line, so that it could be longer.
const LIMITS = ['rate', 'concurrency', 'timeout']
const withoutLimits = (rule: RightsRule): [string, unknown][] =>
  Object.entries(rule).filter(([key]) => !LIMITS.includes(key))
const plainRule = (rule: RightsRule): RightsRule => Object.fromEntries(withoutLimits(rule)) as unknown as RightsRule
