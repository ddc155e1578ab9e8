import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Args } from '../config/args.ts'
import { flagsOf } from '../config/command-table.ts'
import type { Config } from '../config/config.ts'
import { foundFile } from '../config/files/found-config.ts'
import { readServersFiles } from '../config/files/servers-file.ts'
import type { FlagName } from '../config/flags.ts'
import { itemsIn } from '../config/settings.ts'

/** What makes two clients share a daemon. */
export interface DaemonIdentity {
  readonly id: string
  /** The flags that the daemon is started with: paths are absolute. */
  readonly words: readonly string[]
  /** Where it runs. */
  readonly folder: string
}

const PATHS: readonly FlagName[] = [
  'root',
  'servers',
  'templates',
  'tools-dir',
  'skills',
  'scripts',
  'openapi',
  'data',
  'config',
  'key-file',
  'audit',
  'anchor',
]
// Words that stand where a path could.
const NO_PATHS = ['off', 'stderr', 'builtin']

/** Who asks for the same with the same surroundings gets the same daemon. */
export function identityOf(args: Args, config: Config, env: NodeJS.ProcessEnv = process.env): DaemonIdentity {
  const given = flagsOf(args.command).flatMap(({ name, list }) => {
    const values = args.given.get(name) ?? []
    const used = list ? values.flatMap(itemsIn) : values.slice(-1)
    return used.map(value => `--${name}=${absolute(name as FlagName, value)}`)
  })
  const own = Object.entries(env).filter(([name, value]) => /^(?:CAUSEWAY|OPENAPI)_/.test(name) && value !== '')
  const isServed = (text: string): boolean => !/^(?:--log-level=|CAUSEWAY_LOG_LEVEL$)/.test(text)
  const folder = dependsOnFolder(args, config) ? process.cwd() : homedir()
  const identity = [
    given.filter(isServed).toSorted(),
    sorted(own.filter(([name]) => isServed(name))),
    folder,
    usedVariables(config, env),
  ]
  const id = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16)
  return { id, words: given, folder }
}

const absolute = (name: FlagName, value: string): string =>
  !PATHS.includes(name) || NO_PATHS.includes(value) || /^https?:/i.test(value) ? value : resolve(value)

/** Does what is served depend on the working directory? Paths of flags do not, since they are absolute by now. */
function dependsOnFolder({ given }: Args, config: Config): boolean {
  if (foundFile() !== undefined && config.configFile === foundFile()) return true
  const isInline = config.configFile !== undefined && config.servers.join() === resolve(config.configFile)
  const elsewhere = PATHS.filter(name => config.given.has(name) && !given.has(name) && name !== 'config')
  if (elsewhere.some(name => name !== 'servers' || !isInline)) return true
  return config.packs.length > 0 && !given.has('root')
}

/** Values that entries of servers are filled with: the same entry with another key is another server. */
function usedVariables({ servers, passEnv }: Config, env: NodeJS.ProcessEnv): readonly (readonly [string, unknown])[] {
  const used = new Map<string, unknown>(passEnv.map(name => [name, env[name]]))
  const recorded = new Proxy(env, {
    get(target, name) {
      if (typeof name === 'string') used.set(name, target[name])
      return Reflect.get(target, name) as unknown
    },
  })
  readServersFiles(servers, recorded)
  return sorted([...used])
}

const sorted = <T>(entries: readonly (readonly [string, T])[]): readonly (readonly [string, T])[] =>
  entries.toSorted(([one], [other]) => (one < other ? -1 : 1))
