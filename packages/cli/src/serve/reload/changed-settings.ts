import type { Config } from '../../config/config.ts'
import type { FlagName } from '../../config/flags.ts'
import { configurable } from '../../config/settings.ts'

/** Settings that change while serving; every other one needs a restart. */
const LIVE: readonly (FlagName | 'auth' | 'rights')[] = [
  'pack',
  'tools',
  'exclude-tools',
  'read-only',
  'root',
  'sandbox',
  'language-servers',
  'allow-language-server',
  'allow-command',
  'allow-remote',
  'remote-url',
  'repository-above',
  'pass-env',
  'templates',
  'skills',
  'servers',
  'virtual',
  'auth',
  'rights',
]

/** Settings that differ, by the names that they have in the file. */
export interface ChangedSettings {
  /** Those that change while serving. */
  readonly live: readonly string[]
  readonly restart: readonly string[]
}

/** What differs between two configurations. */
export function changedSettings(before: Config, next: Config): ChangedSettings {
  const names = [...configurable.map(({ name }) => name), 'auth', 'rights'].filter(name => name !== 'config')
  const changed = names.filter(name => written(before, name) !== written(next, name))
  const isLive = (name: string): boolean => LIVE.some(live => live === name)
  return { live: changed.filter(isLive), restart: changed.filter(name => !isLive(name)) }
}

/** The configuration with the settings of another one, as far as these change while serving. */
export function withLive(before: Config, next: Config): Config {
  const values = next as unknown as Readonly<Record<string, unknown>>
  const live = Object.fromEntries([...LIVE, ...DECIDED].map(name => [memberOf(name), values[memberOf(name)]]))
  return { ...before, ...live }
}

// What follows from settings that change.
const DECIDED = ['packs', 'remotes', 'given', 'notTaken']

const memberOf = (name: string): string => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())

function written(config: Config, name: string): string | undefined {
  if (name === 'preset') return config.preset.name
  return JSON.stringify((config as unknown as Readonly<Record<string, unknown>>)[memberOf(name)])
}
