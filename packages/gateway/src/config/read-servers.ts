import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { didYouMean, versions } from '@causeway/engine'
import { fitsPattern } from '@causeway/engine/internal'
import { serverContainers } from '@causeway/engine/client-programs'
import { isObject } from '@causeway/engine/internal'
import { serverPrefix } from '../source/qualified-names.ts'
import { neutralEntry, serverGroups } from './client-entry.ts'
import { readAuth } from './read-auth.ts'
import { durationMs, list, map, number, sizeBytes, text } from './values.ts'
import { expand } from './variables.ts'
import type { Variables } from './variables.ts'
import { hasAuthorization } from './upstream-config.ts'
import type { RemoteTarget, StdioTarget, UpstreamAuth, UpstreamConfig } from './upstream-config.ts'

/** What surrounds a file of servers. */
export interface Surroundings {
  /** The file itself, for relative paths and messages. */
  readonly file: string
  readonly variables: Variables
  /** The text of a file; undefined if there is none. */
  readonly readText: (path: string) => string | undefined
  /** Is the file the operator's own, so that its servers may be in private networks? Default: yes. */
  readonly trusted?: boolean
}

/** The servers that can be used, and what is wrong with the others, in words. */
export interface Servers {
  readonly upstreams: readonly UpstreamConfig[]
  readonly problems: readonly string[]
  /** Those of the problems that are about two servers with one prefix. */
  readonly clashes: readonly string[]
  /** The entries that cannot be used, with why. */
  readonly unusable: readonly UnusableEntry[]
}

/** An entry that cannot be used. */
export interface UnusableEntry {
  readonly name: string
  readonly problems: readonly string[]
}

type Json = Readonly<Record<string, unknown>>

const KEYS =
  'type command args env envFile cwd url headers auth disabled enabled prefix tools exclude rename describe timeout startTimeout limits processes shared idle start revision trusted instructions'.split(
    ' ',
  )
// Keys of other programs that mean nothing here.
const IGNORED = new Set(
  'alwaysAllow autoApprove description gallery dev trust version name source settings required'.split(' '),
)
const TYPES: Readonly<Record<string, 'stdio' | RemoteTarget['kind']>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
  sse: 'sse',
  ws: 'ws',
  websocket: 'ws',
}
const MB = 1024 * 1024

/** Said of a file that holds no servers. */
export const NO_SERVERS: string = `it has no servers; looked for ${serverContainers.map(keys => `"${keys.join('.')}"`).join(', ')}`

/** The servers in a parsed file of any client program: `mcpServers`, `servers`, `mcp.servers`, `context_servers` … */
export function readServers(value: unknown, around: Surroundings): Servers {
  const problems: string[] = []
  const unusable: UnusableEntry[] = []
  const found = serverGroups(value)
  const isVirtual = isObject(value) && value.virtual !== undefined
  if (found.length === 0 && !isVirtual) problems.push(`${around.file}: ${NO_SERVERS}`)
  const read = found
    .flatMap(({ servers }) => Object.entries(servers))
    .flatMap(([name, entry]) => {
      const wrong: string[] = []
      const upstream = readServer(name, entry, around, wrong)
      if (wrong.length > 0) unusable.push({ name, problems: wrong })
      problems.push(...wrong.map(problem => `${around.file}: server '${name.slice(0, 100)}': ${problem}`))
      return upstream && wrong.length === 0 ? [upstream] : []
    })
  const { upstreams, clashes } = withDistinctPrefixes(read)
  problems.push(...clashes.map(clash => `${around.file}: ${clash}`))
  return { upstreams, problems, clashes, unusable }
}

/** Without servers whose prefix an earlier one has: their tools would hide each other. */
export function withDistinctPrefixes(servers: readonly UpstreamConfig[]): Pick<Servers, 'upstreams' | 'clashes'> {
  const owners = new Map<string, string>()
  const clashes: string[] = []
  const upstreams = servers.filter(({ name, prefix, disabled }) => {
    if (prefix === false || disabled) return true
    const owner = owners.get(prefix)
    if (owner === undefined) owners.set(prefix, name)
    if (owner === undefined) return true
    clashes.push(
      `the servers '${owner.slice(0, 100)}' and '${name.slice(0, 100)}' have the same prefix '${prefix}': give one of them another "prefix"`,
    )
    return false
  })
  return { upstreams, clashes }
}

function readServer(
  name: string,
  written: unknown,
  around: Surroundings,
  problems: string[],
): UpstreamConfig | undefined {
  if (!isObject(written)) return void problems.push('must be an object with "command" or "url"')
  const entry = neutralEntry(written)
  for (const key of Object.keys(entry)) {
    if (KEYS.includes(key) || IGNORED.has(key) || key.startsWith('x-')) continue
    problems.push([`unknown key '${key.slice(0, 100)}'.`, didYouMean(key, KEYS)].filter(Boolean).join(' '))
  }
  const disabled = entry.disabled === true || entry.enabled === false
  const trust = trustIn(entry, around, problems)
  // What is switched off need not be complete.
  const [inside, wrong] = [trust.trusted === false ? untrusted(around) : around, disabled ? [] : problems]
  const target = targetOf(entry, inside, wrong)
  if (!target) return undefined
  return {
    name,
    target,
    disabled,
    ...authOf(entry, target, inside, wrong),
    ...choices(name, entry, problems),
    ...trust,
  }
}

/** How to log in, where the entry says it. */
function authOf(
  { auth: written }: Json,
  target: UpstreamConfig['target'],
  around: Around,
  problems: string[],
): { auth?: UpstreamAuth } {
  const fill = (value: string): string => expand(value, around.variables, problems)
  const auth = readAuth(written, { file: around.file, fill }, problems)
  if (auth && target.kind === 'stdio')
    problems.push('\'auth\' is for servers with a "url": give a program its credentials with "env"')
  else if (auth && 'headers' in target && hasAuthorization(target))
    problems.push('\'auth\' and an Authorization header in "headers" exclude each other: remove one of them')
  return auth ? { auth } : {}
}

function choices(
  name: string,
  entry: Json,
  problems: string[],
): Omit<UpstreamConfig, 'name' | 'target' | 'disabled' | 'auth'> {
  const limits = isObject(entry.limits) ? entry.limits : {}
  return {
    prefix: prefixOf(name, entry.prefix, problems),
    tools: list(entry.tools, 'tools', problems),
    exclude: list(entry.exclude, 'exclude', problems),
    rename: map(entry.rename, 'rename', problems),
    describe: map(entry.describe, 'describe', problems),
    timeoutMs: durationMs(entry.timeout, { key: 'timeout', fallback: 60_000 }, problems),
    startTimeoutMs: durationMs(entry.startTimeout, { key: 'startTimeout', fallback: 30_000 }, problems),
    limits: {
      inFlight: number(limits.inFlight, { key: 'limits.inFlight', fallback: 128, least: 1 }, problems),
      messageBytes: sizeBytes(limits.message, { key: 'limits.message', fallback: 10 * MB }, problems),
    },
    processes: number(entry.processes, { key: 'processes', fallback: 4, least: 1 }, problems),
    idleMs: durationMs(entry.idle, { key: 'idle', fallback: 600_000 }, problems),
    start: entry.start === 'eager' ? 'eager' : 'lazy',
    ...revisionOf(entry.revision, problems),
    ...instructionsIn(entry.instructions, problems),
    ...sharedIn(entry.shared, problems),
  }
}

/** What surrounds an entry: no variables, if it is not trusted. */
type Around = Omit<Surroundings, 'variables'> & { readonly variables: Variables | undefined }

/** An entry that is not trusted gets no variables and no files of the operator. */
const untrusted = (around: Surroundings): Around => ({ ...around, variables: undefined })

/** An entry can do without the trust its file has, but not get more. */
function trustIn({ trusted }: Json, around: Surroundings, problems: string[]): { trusted?: false } {
  if (trusted !== undefined && typeof trusted !== 'boolean') problems.push("'trusted' must be true or false")
  return around.trusted === false || trusted === false ? { trusted: false } : {}
}

function instructionsIn(instructions: unknown, problems: string[]): { instructions?: false } {
  if (instructions !== undefined && typeof instructions !== 'boolean')
    problems.push("'instructions' must be true or false")
  return instructions === false ? { instructions } : {}
}

function sharedIn(shared: unknown, problems: string[]): { shared?: boolean } {
  if (shared === undefined || typeof shared === 'boolean') return shared === undefined ? {} : { shared }
  problems.push("'shared' must be true or false")
  return {}
}

function revisionOf(revision: unknown, problems: string[]): { revision?: string } {
  if (revision === undefined) return {}
  if (typeof revision === 'string' && versions.includes(revision)) return { revision }
  problems.push(`'revision' must be one of ${versions.join(', ')}, got ${JSON.stringify(revision).slice(0, 100)}`)
  return {}
}

function prefixOf(name: string, prefix: unknown, problems: string[]): string | false {
  if (prefix === undefined || prefix === true) return serverPrefix(name)
  if (prefix === false || prefix === '') return false
  // The first __ in a name ends the prefix, so that no two servers can have the same name for a tool.
  if (typeof prefix === 'string' && /^(?!.*__)[\w-]{0,39}[A-Za-z\d-]$/.test(prefix)) return prefix
  problems.push("'prefix' must be false, or up to 40 letters, digits, - or single _, with no _ at its end")
  return serverPrefix(name)
}

function targetOf(entry: Json, around: Around, problems: string[]): StdioTarget | RemoteTarget | undefined {
  const { url } = entry
  const kind = transportKind(entry.type, url, problems)
  const fill = (value: string): string => expand(value, around.variables, problems)
  if (kind === 'stdio') return stdioTarget(entry, around, problems)
  if (typeof url !== 'string') return void problems.push('needs "command" (a program) or "url" (an address)')
  const address = fill(url)
  const scheme = kind === 'ws' ? /^wss?:/ : /^https?:/
  if (!URL.canParse(address) || !scheme.test(address)) {
    return void problems.push(
      `'url' must be an address that begins with ${kind === 'ws' ? 'ws' : 'http'}://, got '${address.slice(0, 100)}'`,
    )
  }
  const headers = Object.entries(map(entry.headers, 'headers', problems)).map(([key, value]) => [key, fill(value)])
  return { kind, url: address, headers: Object.fromEntries(headers) as Record<string, string> }
}

function transportKind(type: unknown, url: unknown, problems: string[]): 'stdio' | RemoteTarget['kind'] {
  if (type !== undefined) {
    const known = typeof type === 'string' ? TYPES[type] : undefined
    if (known !== undefined) return known
    problems.push(`'type' must be one of stdio, http, sse, ws, got ${JSON.stringify(type).slice(0, 100)}`)
  }
  if (typeof url !== 'string') return 'stdio'
  if (/^wss?:/.test(url)) return 'ws'
  return /\/sse\/?(?:$|\?)/.test(url) ? 'sse' : 'http'
}

function stdioTarget(entry: Json, around: Around, problems: string[]): StdioTarget | undefined {
  const fill = (value: string): string => expand(value, around.variables, problems)
  if (typeof entry.command !== 'string' || entry.command === '') {
    return void problems.push('needs "command" (a program) or "url" (an address)')
  }
  const folder = dirname(around.file)
  const cwd = text(entry.cwd, 'cwd', problems)
  const own = Object.entries(map(entry.env, 'env', problems)).map(([key, value]) => [key, fill(value)] as const)
  return {
    kind: 'stdio',
    command: fill(entry.command),
    args: list(entry.args, 'args', problems).map(fill),
    env: { ...fileVariables(entry.envFile, around, problems), ...Object.fromEntries(own) },
    cwd: cwd === undefined ? undefined : resolve(folder, fromHome(fill(cwd))),
  }
}

function fileVariables(envFile: unknown, around: Around, problems: string[]): Record<string, string> {
  const name = text(envFile, 'envFile', problems)
  if (name === undefined) return {}
  if (!around.variables) {
    problems.push('\'envFile\' is not read, since the entry is not trusted: set "trusted": true')
    return {}
  }
  const path = resolve(dirname(around.file), fromHome(expand(name, around.variables, problems)))
  const content = around.readText(path)
  if (content !== undefined) return parseEnv(content) as Record<string, string>
  problems.push(`'envFile' ${path} cannot be read`)
  return {}
}

const fromHome = (path: string): string => (/^~(?=\/|$)/.test(path) ? homedir() + path.slice(1) : path)

/** Does its owner let this tool of the server be offered? */
export const isOffered = ({ tools, exclude }: Pick<UpstreamConfig, 'tools' | 'exclude'>, name: string): boolean =>
  (tools.length === 0 || tools.some(pattern => fitsPattern(name, pattern))) &&
  !exclude.some(pattern => fitsPattern(name, pattern))
