import { resolve } from 'node:path'
import type { Level, ListingOptions, SearchMode } from '@causeway/engine'
import type { Args } from './args.ts'
import { flags } from './flags.ts'
import type { Flag } from './flags.ts'
import { listingOf } from './tool-listing.ts'
import { packs } from '../serve/packs.ts'
import type { PackOptions } from '../serve/packs.ts'
import type { Preset } from '../presets/preset.ts'
import { presets } from '../presets/presets.ts'
import { environmentSettings, fileSettings } from './settings.ts'
import type { Settings } from './settings.ts'
import { UsageError } from './usage-error.ts'
import {
  choice,
  count,
  duration,
  hostName,
  keyPrefix,
  port,
  publicUrl,
  rate,
  size,
  storeUrl,
  toggle,
  tokens,
  variable,
  workers,
} from './values.ts'

/** Everything that was decided: flag over environment over file over preset over default. */
export interface Config {
  readonly preset: Preset
  readonly packs: readonly string[]
  readonly tools: readonly string[] | undefined
  readonly toolsDirs: readonly string[]
  /** Which of the tools that are served are listed. */
  readonly listing: ListingOptions
  /** Other servers, and what is done about what they list. */
  readonly servers: ServersConfig
  readonly options: Omit<PackOptions, 'server' | 'resultBytes' | 'processName' | 'log'>
  readonly excludeTools: readonly string[]
  readonly timeoutMs: number | undefined
  /** It was set, so that no tool gets more. */
  readonly isTimeoutFixed: boolean
  readonly rateLimit: { readonly burst: number; readonly perSecond: number } | undefined
  readonly maxInflight: number
  readonly maxRequest: number
  readonly maxResponse: number
  /** Tokens that the text of a result may have; undefined for any number. */
  readonly resultBudget: number | undefined
  /** Arguments are repaired where nothing is lost by it. */
  readonly repair: boolean
  /** Undefined leaves it to the transport. */
  readonly lifecycle: 'strict' | 'lenient' | undefined
  readonly transport: 'stdio' | 'http'
  readonly http: HttpConfig
  /** Where what several processes share is kept; undefined for in this process. */
  readonly store: StoreConfig | undefined
  readonly audit: string | undefined
  readonly mask: 'on' | 'off' | 'strict'
  readonly spotlight: boolean
  readonly logLevel: Level
  /** Processes behind the port. */
  readonly workers: number
  /** The name of this one, if there are several. */
  readonly worker?: string
}

/** What was decided about other servers. */
export interface ServersConfig {
  readonly files: readonly string[]
  /** Selections that are served on their own, as `NAME=PATTERN+PATTERN`. */
  readonly virtual: readonly string[]
  readonly lock: 'hold' | 'strict' | 'warn'
  readonly scan: 'refuse' | 'warn' | 'off'
}

/** What was decided about a shared store. */
export interface StoreConfig {
  /** Holds a password, so it is not shown. */
  readonly url: string
  readonly prefix: string
}

/** What was decided about serving over HTTP. */
export interface HttpConfig {
  readonly host: string
  readonly port: number
  readonly tokenFile: string | undefined
  readonly allowAnonymous: boolean
  readonly allowedHosts: readonly string[]
  /** What clients use instead of our own address, without a slash at its end. */
  readonly publicUrl: string | undefined
  readonly allowedOrigins: readonly string[]
  readonly maxConnections: number
  readonly maxSessions: number
  /** Was the page at `/` asked for? */
  readonly console: 'on' | 'off' | undefined
}

const DEFAULT = 'default'

type Lookup = (name: string) => readonly string[] | undefined

/** Decide, from the command line and what stands behind it. */
export function readConfig({ given }: Args, env: NodeJS.ProcessEnv = process.env): Config {
  const environment = environmentSettings(env)
  checked(environment, 'The environment')
  const path = given.get('config')?.at(-1) ?? environment.get('config')?.at(-1)
  const file: Settings = path === undefined ? new Map() : fileSettings(path)
  checked(file, `Configuration ${path}`)
  const levels = [given, environment, file]
  const chosen: Lookup = name => levels.find(level => level.has(name))?.get(name)
  const preset = presetNamed(chosen('preset')?.at(-1) ?? DEFAULT)
  return decide(name => chosen(name) ?? fromPreset(preset, name), preset, transportOf(levels))
}

/** Decide on its own, so that a wrong value is the fault of where it stands and not of the command line. */
function checked(settings: Settings, where: string): void {
  try {
    // Where the current directory is gone, only the final decision needs it.
    const alone: Lookup = name => settings.get(name) ?? (name === 'root' ? ['/'] : undefined)
    decide(alone, presetNamed(settings.get('preset')?.at(-1) ?? DEFAULT), transportOf([settings]))
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${where}: ${error.message}`, 4) : error
  }
}

function decide(lookup: Lookup, preset: Preset, transport: Config['transport']): Config {
  const last = (name: string): string => lookup(name)?.at(-1) ?? flagNamed(name).default ?? ''
  const list = (name: string): string[] | undefined =>
    lookup(name)?.flatMap(value =>
      value
        .split(',')
        .map(part => part.trim())
        .filter(part => part !== ''),
    )
  const chosen = (name: string): string => choice(last(name), name, flagNamed(name).choices ?? [])
  const audit = last('audit')
  return {
    preset,
    packs: packsOf(list('pack') ?? preset.packs),
    servers: serversOf(list, chosen),
    tools: list('tools'),
    toolsDirs: list('tools-dir') ?? [],
    listing: listingOf({
      preset,
      search: lookup('search') && (chosen('search') as SearchMode),
      threshold: count(last('search-threshold'), 'search-threshold'),
      promote: isOn(lookup, 'search-promote'),
      toolset: list('toolset') ?? [],
      pin: list('pin'),
      isChosen: lookup('pack') !== undefined || lookup('tools') !== undefined,
    }),
    options: packOptions(lookup, list),
    excludeTools: list('exclude-tools') ?? [],
    timeoutMs: duration(last('timeout'), 'timeout'),
    isTimeoutFixed: lookup('timeout') !== undefined,
    rateLimit: rate(last('rate-limit'), 'rate-limit'),
    maxInflight: count(last('max-inflight'), 'max-inflight'),
    maxRequest: size(last('max-request'), 'max-request'),
    maxResponse: size(last('max-response'), 'max-response'),
    resultBudget: tokens(last('result-budget'), 'result-budget'),
    repair: toggle(last('repair'), 'repair'),
    lifecycle: lookup('lifecycle') && (chosen('lifecycle') as Config['lifecycle']),
    transport,
    http: httpConfig(lookup, last, list),
    store: storeConfig(lookup, last),
    audit: audit === 'off' ? undefined : audit,
    mask: isOn(lookup, 'mask-results') ? 'strict' : (chosen('mask') as Config['mask']),
    spotlight: isOn(lookup, 'spotlight'),
    logLevel: chosen('log-level') as Level,
    workers: workers(last('workers'), 'workers'),
  }
}

const packsOf = (names: readonly string[]): string[] =>
  names.length === 1 && names[0] === 'none' ? [] : names.map(name => choice(name, 'pack', Object.keys(packs)))

const serversOf = (list: (name: string) => string[] | undefined, chosen: (name: string) => string): ServersConfig => ({
  files: (list('servers') ?? []).map(absolute),
  virtual: list('virtual') ?? [],
  lock: chosen('lock') as ServersConfig['lock'],
  scan: chosen('scan') as ServersConfig['scan'],
})

/** The first place that names a transport decides. */
function transportOf(levels: readonly Settings[]): Config['transport'] {
  for (const level of levels) {
    const named = level.get('transport')?.at(-1)
    const wanted = new Set(named === undefined ? [] : [choice(named, 'transport', ['stdio', 'http'])])
    for (const name of ['stdio', 'http']) if (isOn(at => level.get(at), name)) wanted.add(name)
    if (wanted.size > 1) throw new UsageError('--stdio and --http exclude each other: choose one transport.')
    if (wanted.size === 1) return wanted.has('http') ? 'http' : 'stdio'
  }
  return 'stdio'
}

/** The path, seen from the current directory; one that was deleted is the operator's to leave. */
function absolute(path: string): string {
  try {
    return resolve(path)
  } catch {
    throw new UsageError(
      'The current directory no longer exists. Change to another one, or give absolute paths: --root DIR.',
    )
  }
}

const packOptions = (lookup: Lookup, list: (name: string) => string[] | undefined): Config['options'] => ({
  roots: (list('root') ?? ['.']).map(absolute),
  readOnly: isOn(lookup, 'read-only'),
  sandbox: isOn(lookup, 'sandbox'),
  allowCommands: list('allow-command') ?? [],
  allowRemote: list('remote-url') ?? isOn(lookup, 'allow-remote'),
  repositoryAbove: isOn(lookup, 'repository-above'),
  environment: (list('pass-env') ?? []).map(name => variable(name, 'pass-env')),
  templates: (list('templates') ?? []).map(absolute),
  data: lookup('data')?.at(-1),
})

const isOn = (lookup: Lookup, name: string): boolean => toggle(lookup(name)?.at(-1) ?? 'off', name)

function httpConfig(
  lookup: Lookup,
  last: (name: string) => string,
  list: (name: string) => string[] | undefined,
): HttpConfig {
  const named = lookup('public-url')?.at(-1)
  const shown = named === undefined ? undefined : publicUrl(named, 'public-url')
  // Who names the public URL wants it to work.
  const own = shown === undefined ? [] : [new URL(shown)]
  return {
    host: last('host'),
    port: port(last('port'), 'port'),
    tokenFile: lookup('token-file')?.at(-1),
    console: consoleMode(lookup),
    allowAnonymous: isOn(lookup, 'allow-anonymous'),
    allowedHosts: [
      ...(list('allow-host') ?? []).map(name => hostName(name, 'allow-host')),
      ...own.map(u => u.hostname),
    ],
    publicUrl: shown,
    allowedOrigins: [...(list('allow-origin') ?? []), ...own.map(u => u.origin)],
    maxConnections: count(last('max-connections'), 'max-connections'),
    maxSessions: count(last('max-sessions'), 'max-sessions'),
  }
}

function consoleMode(lookup: Lookup): HttpConfig['console'] {
  const given = lookup('console')?.at(-1)
  if (given === undefined) return undefined
  return choice(given, 'console', flagNamed('console').choices ?? []) as HttpConfig['console']
}

function storeConfig(lookup: Lookup, last: (name: string) => string): StoreConfig | undefined {
  const url = lookup('store')?.at(-1)
  return url === undefined
    ? undefined
    : { url: storeUrl(url, 'store'), prefix: keyPrefix(last('store-prefix'), 'store-prefix') }
}

function presetNamed(name: string): Preset {
  const names = presets.map(p => p.name)
  const found = presets.find(p => p.name === choice(name, 'preset', names))
  if (!found) throw new TypeError(`No preset '${name}'`)
  return found
}

const flagNamed = (name: string): Flag => flags.find(f => f.name === name) ?? { name, about: '' }

const fromPreset = ({ flags: own = {} }: Preset, name: string): string[] | undefined =>
  own[name] === undefined ? undefined : [own[name]]
