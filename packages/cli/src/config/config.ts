import { basename } from 'node:path'
import type { ListingOptions } from '@causeway/engine'
import type { RightsRule } from '@causeway/engine/policies'
import type { Args } from './args.ts'
import type { Flag, FlagName, FlagValues } from './flags.ts'
import { listingOf } from './tool-listing.ts'
import { packs } from '../serve/packs.ts'
import type { Preset } from '../presets/preset.ts'
import { presets } from '../presets/presets.ts'
import { NO_AUTH } from './auth-settings.ts'
import type { AuthSettings } from './auth-settings.ts'
import { foundFile, narrowed } from './files/found-config.ts'
import { NO_FILE, problemsIn, readSettingsFile } from './files/settings-file.ts'
import type { ConfigProblem, SettingsFile } from './files/settings-file.ts'
import { configurable, environmentSettings, itemsIn } from './settings.ts'
import type { Settings } from './settings.ts'
import { UsageError } from './usage-error.ts'
import { choice, parsers, path, toggle } from './values.ts'

/** Everything that was decided: flag over environment over file over preset over default. */
export interface Config extends Omit<FlagValues, keyof Decided>, Decided {}

/** What follows from several flags, or from a flag and the preset. */
interface Decided {
  readonly preset: Preset
  readonly packs: readonly string[]
  /** Which of the tools that are served are listed. */
  readonly listing: ListingOptions
  readonly transport: 'stdio' | 'http'
  /** Folders that tools are confined to, as absolute paths. */
  readonly root: readonly string[]
  /** Which remotes git may use: none, all, or those whose address matches a pattern. */
  readonly remotes: boolean | readonly string[]
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly mask: 'on' | 'off' | 'strict'
  /** Whose access tokens are accepted, and which scopes they need for what. */
  readonly auth: AuthSettings
  /** Who may use what; undefined for no restriction. */
  readonly rights: readonly RightsRule[] | undefined
  /** The configuration file: that of `--config`, or the one in the working directory. */
  readonly configFile: string | undefined
  /** Keys that the file may not set, since it was found and not named. */
  readonly notTaken: readonly string[] | undefined
  /** The same, with the file as it is now. */
  readonly readAgain: () => Config
  /** Does every client over HTTP need a token, or a certificate? */
  readonly needsToken: boolean
  /** Flags that were set anywhere. */
  readonly given: ReadonlySet<FlagName>
  /** The name of this process, if several serve the port. */
  readonly worker?: string
  /** The number of its audit file, if several serve the port. */
  readonly auditSlot?: number
}

const DEFAULT = 'default'

type Lookup = (name: string) => readonly string[] | undefined

/** Decide, from the command line and what stands behind it. */
export function readConfig({ given }: Pick<Args, 'given'>, env: NodeJS.ProcessEnv = process.env): Config {
  const environment = environmentSettings(env)
  checked(environment, 'The environment')
  const named = given.get('config')?.at(-1) ?? environment.get('config')?.at(-1)
  const { path, file, notTaken } = named === undefined ? found(env) : ofNamed(named, env)
  const levels = [given, environment, file.settings]
  const chosen: Lookup = name => levels.find(level => level.has(name))?.get(name)
  const preset = presetNamed(chosen('preset')?.at(-1) ?? DEFAULT)
  const decided = decide(name => chosen(name) ?? fromPreset(preset, name), preset, transportOf(levels))
  if (decided.transport === 'http' && path !== undefined && notTaken && notTaken.length > 0)
    throw new UsageError(
      `${path} was found in the working directory, and sets ${notTaken.join(', ')}. A file that was not named may not do that. ` +
        `Name it with --config ${basename(path)}, or leave it out with --config off.`,
      4,
    )
  const readAgain = (): Config => readConfig({ given }, env)
  return { ...withAuth(decided, file.auth), rights: file.rights, configFile: path, notTaken, readAgain }
}

/** Everything that is wrong with a configuration file. */
export const configProblems = (path: string, env: NodeJS.ProcessEnv = process.env): readonly ConfigProblem[] =>
  problemsIn(path, { env, check: decideAlone })

/** What is not taken from a file that was found and not named. */
export const configWarnings = ({ configFile, notTaken = [] }: Config): readonly string[] =>
  notTaken.length === 0
    ? []
    : [
        `${configFile} was found in the working directory; not taken from it: ${notTaken.join(', ')}. A file that is named with --config may set everything.`,
      ]

interface ConfigFile {
  readonly path: string | undefined
  readonly file: SettingsFile
  readonly notTaken: readonly string[] | undefined
}

const WITHOUT: ConfigFile = { path: undefined, file: NO_FILE, notTaken: undefined }

const ofNamed = (path: string, env: NodeJS.ProcessEnv): ConfigFile =>
  path === 'off' ? WITHOUT : { path, file: readSettingsFile(path, { env, check: decideAlone }), notTaken: undefined }

/** The file in the working directory, which may belong to someone else. */
function found(env: NodeJS.ProcessEnv): ConfigFile {
  const path = foundFile()
  if (path === undefined) return WITHOUT
  return { path, ...narrowed(readSettingsFile(path, { env, check: decideAlone })) }
}

/** The issuers of the file and of the command line. */
function withAuth(config: Config, auth: AuthSettings): Config {
  const named = config.authIssuer.filter(issuer => !auth.issuers.some(one => one.issuer === issuer))
  const issuers = [...auth.issuers, ...[...new Set(named)].map(issuer => ({ issuer }))]
  return { ...config, auth: { ...auth, issuers }, needsToken: config.needsToken || issuers.length > 0 }
}

/** Decide on its own, so that a wrong value is the fault of where it stands and not of the command line. */
function checked(settings: Settings, where: string): void {
  try {
    decideAlone(settings)
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${where}: ${error.message}`, 4) : error
  }
}

function decideAlone(settings: Settings): void {
  // If the current directory is gone, only the final decision needs it.
  const alone: Lookup = name => settings.get(name) ?? (name === 'root' ? ['/'] : undefined)
  decide(alone, presetNamed(settings.get('preset')?.at(-1) ?? DEFAULT), transportOf([settings]))
}

function decide(lookup: Lookup, preset: Preset, transport: Config['transport']): Config {
  const values = valuesOf(lookup)
  const given = new Set(
    configurable.filter(({ name }) => lookup(name) !== undefined).map(({ name }) => name as FlagName),
  )
  // An operator who names the public URL expects it to work.
  const own = values.publicUrl === undefined ? [] : [new URL(values.publicUrl)]
  return {
    ...values,
    preset,
    packs: packsOf(given.has('pack') ? values.pack : preset.packs),
    listing: listingOf(values, preset, given),
    transport,
    root: given.has('root') ? values.root : [path('.')],
    remotes: given.has('remote-url') ? values.remoteUrl : values.allowRemote,
    allowedHosts: [...values.allowHost, ...own.map(({ hostname }) => hostname)],
    allowedOrigins: [...values.allowOrigin, ...own.map(({ origin }) => origin)],
    mask: values.maskResults ? 'strict' : values.mask,
    auth: NO_AUTH,
    rights: undefined,
    configFile: undefined,
    notTaken: undefined,
    readAgain: () => {
      throw new Error('This is not a whole configuration')
    },
    needsToken: values.tokenFile !== undefined || values.tlsClientCa !== undefined,
    given,
  }
}

const camel = (name: string): string => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** The value of every flag, as its row says. */
const valuesOf = (lookup: Lookup): FlagValues =>
  Object.fromEntries(
    configurable.map(flag => [camel(flag.name), valueOf(flag, lookup(flag.name))]),
  ) as unknown as FlagValues

function valueOf(flag: Flag, given: readonly string[] | undefined): unknown {
  const last = given?.at(-1) ?? flag.default
  if (flag.list) return (given ?? []).flatMap(itemsIn).map(item => one(flag, item))
  if (flag.value === undefined) return toggle(last ?? 'off', flag.name)
  return last === undefined ? undefined : one(flag, last)
}

function one({ name, parse, choices }: Flag, value: string): unknown {
  if (parse !== undefined) return parsers[parse](value, name)
  return choices ? choice(value, name, choices) : value
}

const packsOf = (names: readonly string[]): readonly string[] =>
  names.length === 1 && names[0] === 'none' ? [] : names.map(name => choice(name, 'pack', Object.keys(packs)))

/** The first place that names a transport decides. */
function transportOf(levels: readonly Settings[]): Config['transport'] {
  for (const level of levels) {
    const named = level.get('transport')?.at(-1)
    const wanted = new Set(named === undefined ? [] : [choice(named, 'transport', ['stdio', 'http'])])
    for (const name of ['stdio', 'http']) if (toggle(level.get(name)?.at(-1) ?? 'off', name)) wanted.add(name)
    if (wanted.size > 1) throw new UsageError('--stdio and --http exclude each other: choose one transport.')
    if (wanted.size === 1) return wanted.has('http') ? 'http' : 'stdio'
  }
  return 'stdio'
}

function presetNamed(name: string): Preset {
  const names = presets.map(p => p.name)
  const found = presets.find(p => p.name === choice(name, 'preset', names))
  if (!found) throw new TypeError(`No preset '${name}'`)
  return found
}

const fromPreset = ({ flags: own = {} }: Preset, name: string): string[] | undefined =>
  own[name] === undefined ? undefined : [own[name]]
