import { readFileSync } from 'node:fs'
import { didYouMean, nearest } from '@causeway/engine'
import { isObject } from '@causeway/engine/internal'
import type { RightsRule } from '@causeway/engine/policies'
import { readAuthSettings } from './auth-settings.ts'
import type { AuthSettings } from './auth-settings.ts'
import { COMMAND_LINE_ONLY } from './flag-table.ts'
import { flags } from './flags.ts'
import type { Flag } from './flags.ts'
import { parseJsonc } from './files/file-formats.ts'
import { readRights } from './rights-settings.ts'
import { UsageError, sentence } from './usage-error.ts'

/** Flags by name, each with the values it was given in one place: the command line, the environment or a file. */
export type Settings = ReadonlyMap<string, readonly string[]>

const PREFIX = 'CAUSEWAY_'

/** What the environment and a file can set, too: all but what only a command line can ask for. */
export const configurable: readonly Flag[] = flags.filter(
  ({ group }) => !COMMAND_LINE_ONLY.some(only => only === group),
)

/** The variable that sets a flag. */
export const variableOf = (name: string): string => PREFIX + name.toUpperCase().replaceAll('-', '_')

/** What the environment sets; a variable of ours that does not exist is refused, since it may be a switch for safety. */
export function environmentSettings(env: NodeJS.ProcessEnv): Settings {
  const byVariable = new Map(configurable.map(({ name }) => [variableOf(name), name]))
  const settings = new Map<string, string[]>()
  for (const [variable, value = ''] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || value === '') continue
    const name = byVariable.get(variable)
    if (name === undefined) throw unknownVariable(variable, [...byVariable.keys()])
    settings.set(name, [value])
  }
  return settings
}

function unknownVariable(variable: string, known: readonly string[]): UsageError {
  // Without what they all begin with, which would make any two of them alike.
  const [closest] = nearest(
    variable.slice(PREFIX.length),
    known.map(name => name.slice(PREFIX.length)),
    1,
  )
  const hint =
    closest === undefined ? 'Unset it; causeway help shows what can be set.' : `Did you mean '${PREFIX}${closest}'?`
  return new UsageError(`Unknown environment variable '${variable.slice(0, 100)}'. ${hint}`, 4)
}

/** A configuration file: what it sets, whose tokens it accepts, and who may use what. */
export interface SettingsFile {
  readonly settings: Settings
  readonly auth: AuthSettings
  /** Without the key, everyone may use everything. */
  readonly rights: readonly RightsRule[] | undefined
}

// The keys that are no flags, since they are too much for a command line.
const AUTH = 'auth'
const RIGHTS = 'rights'

/** What a configuration file sets: a JSON object whose keys are flags; comments and trailing commas are allowed. */
export function readSettingsFile(path: string, env: NodeJS.ProcessEnv): SettingsFile {
  const bad = (why: string): UsageError => new UsageError(`Configuration ${path}: ${why}`, 4)
  let content: unknown
  try {
    content = parseJsonc(readFileSync(path, 'utf8'))
  } catch (error) {
    throw bad(error instanceof Error ? error.message : String(error))
  }
  if (!isObject(content)) throw bad('must be a JSON object')
  const settings = new Map<string, string[]>()
  for (const [key, value] of Object.entries(content)) {
    if (key === '$schema' || key === AUTH || key === RIGHTS) continue
    settings.set(key, valuesOf(flagOf(key, bad), value, bad))
  }
  const auth = readAuthSettings(content[AUTH], name => env[name], bad)
  return { settings, auth, rights: readRights(content[RIGHTS], bad) }
}

function flagOf(key: string, bad: (why: string) => UsageError): Flag {
  const inFiles = configurable.filter(({ name }) => name !== 'config')
  const found = inFiles.find(({ name }) => name === key)
  if (found) return found
  const names = [...inFiles.map(({ name }) => name), AUTH, RIGHTS]
  throw bad(sentence(`unknown key '${key}'.`, didYouMean(key, names)))
}

function valuesOf({ name, list }: Flag, value: unknown, bad: (why: string) => UsageError): string[] {
  const values: readonly unknown[] = Array.isArray(value) && list ? value : [value]
  return values.map(v => {
    if (typeof v === 'string' || typeof v === 'number' || typeof v === 'boolean') return String(v)
    const wanted = list ? 'text, or an array of texts' : 'text, a number, true or false'
    throw bad(`'${name}' must be ${wanted}, got ${JSON.stringify(v).slice(0, 100)}.`)
  })
}
