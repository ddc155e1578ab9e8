import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { join } from 'node:path'
import type { Log, Server } from '@causeway/engine'
import type { Store } from '@causeway/engine/stores'
import { OPERATOR_SCOPE } from '@causeway/engine/http'
import type { Authenticator, Route, Views } from '@causeway/engine/http'
import { isLoopback } from '@causeway/engine/internal'
import { Gateway, MalformedLock, loginRoutes, parseLock } from '@causeway/gateway'
import type { GatewayOptions, Lock, LoginDoor, UpstreamConfig } from '@causeway/gateway'
import type { Config } from '../config/config.ts'
import { followFiles, followFolder } from './follow-files.ts'
import { leftOut } from './explain-missing.ts'
import { openCredentials } from '../login/open-credentials.ts'
import { gatewayFolder, lockFileOf, readServersFiles } from '../config/files/servers-file.ts'
import { UsageError } from '../config/usage-error.ts'
import { VirtualServers } from './virtual-servers.ts'

/** Other servers that are being served. */
export interface ServedGateway {
  readonly gateway: Gateway
  /** More routes to serve over HTTP. */
  readonly routes: readonly Route[]
  /** The pages of logins; `url` is where the server listens, once it does. */
  loginRoutes(authenticator: Authenticator | undefined, url?: () => string | undefined): readonly Route[]
  /** The server that a tool of that name belongs to, if it needs a login that there is not. */
  loginFor(tool: string): string | undefined
  /** Selections that are served on their own. */
  readonly views: Views
  /** Start what is to be started, and follow the files. */
  start(): void
  /** Resolves when every server has said what it has, or cannot. */
  loaded(): Promise<void>
  /** Read the files of servers again. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** What several processes share, and who hears of logins. */
export interface GatewayNeeds extends Pick<LoginDoor, 'onLogin'> {
  readonly store?: Store | undefined
  readonly secret?: string | undefined
}

/** Serve the servers in the files of a configuration as well. */
export async function serveGateway(
  server: Server,
  config: Config,
  { store, secret, onLogin }: GatewayNeeds = {},
): Promise<ServedGateway> {
  const { servers: files } = config
  const folder = gatewayFolder(config.data)
  const gateway = new Gateway(server, { folder, store, secret, ...gatewayOptions(config, store) })
  // There is no page to log in on, but there is only one user: `causeway login` is theirs.
  if (config.transport !== 'http') gateway.logins.open({ url: () => undefined, isLocal: true })
  const views = new VirtualServers(server, config.virtual)
  const applying: Applying = { files, gateway, views, log: server.log, share: shareFor(config) }
  await apply(applying)
  const watchers: Pick<FSWatcher, 'close'>[] = []
  return {
    gateway,
    views,
    routes: [upstreamsRoute(gateway, config.worker)],
    loginFor: tool => serverToLogInTo(gateway, tool),
    loginRoutes: (authenticator, url) =>
      loginRoutes(gateway.logins, { ...loginDoor(config, authenticator, url), onLogin }),
    start() {
      gateway.start()
      if (files.length === 0) return
      const changed = (): Promise<void> => reload(applying)
      const relocked = (): void => approveAgain(applying)
      watchers.push(
        followFiles(files, changed),
        followFiles([lockFileOf(files)], relocked),
        ...followControl(gateway, folder),
      )
    },
    reload: () => reload(applying),
    async loaded() {
      const fresh = [...gateway.servers.values()].filter(({ lists }) => lists === undefined)
      await Promise.allSettled(fresh.map(managed => managed.refresh()))
    },
    async close() {
      for (const watcher of watchers) watcher.close()
      await gateway.close()
    },
  }
}

const gatewayOptions = (config: Config, store: Store | undefined): GatewayOptions => ({
  credentials: openCredentials(config, store),
  trust: { lock: lockIn(config.servers), mode: config.lock, scan: config.scan },
  instructions: config.serverInstructions === 'on',
  runsTasks: config.taskTtl !== undefined,
  leftOut: (name, { annotations }) => leftOut({ name, readOnly: isReadOnly(annotations) }, config),
})

function serverToLogInTo({ status, servers }: Gateway, tool: string): string | undefined {
  const has = (name: string): boolean => {
    const prefix = servers.get(name)?.config.prefix
    return typeof prefix === 'string' && tool.startsWith(`${prefix}__`)
  }
  return status.flatMap(({ state, name }) => (state === 'login' ? String(name) : [])).find(has)
}

/** Who may log in, and where. Behind a proxy that is allowed by name there are other machines. */
function loginDoor(
  { host, publicUrl, allowedHosts, needsToken }: Config,
  authenticator: Authenticator | undefined,
  url: (() => string | undefined) | undefined,
): LoginDoor {
  const isLocal = isLoopback(host) && !needsToken && allowedHosts.length === 0
  const known = publicUrl?.replace(/\/$/, '')
  // What listens on every address has no address that a browser could use.
  return { url: () => known ?? (isLoopback(host) ? url?.() : undefined), isLocal, authenticator }
}

/** What was approved, if anything was. */
export function lockIn(files: readonly string[]): Lock | undefined {
  const file = lockFileOf(files)
  if (files.length === 0 || !existsSync(file)) return undefined
  try {
    return parseLock(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof MalformedLock) throw new UsageError(`${file} cannot be used: ${error.message}.`, 4)
    throw error
  }
}

/** Of servers we know only what they say. */
const isReadOnly = (annotations: unknown): boolean =>
  typeof annotations === 'object' && annotations !== null && 'readOnlyHint' in annotations
    ? annotations.readOnlyHint === true
    : false

/** Of several workers each has servers of its own, and says which one it is. */
const upstreamsRoute = (gateway: Gateway, worker: string | undefined): Route => ({
  method: 'GET',
  path: '/health/upstreams',
  scopes: [OPERATOR_SCOPE],
  handle: exchange => exchange.reply(200, JSON.stringify({ worker, upstreams: gateway.status })),
})

interface Applying {
  readonly files: readonly string[]
  readonly gateway: Gateway
  readonly views: VirtualServers
  readonly log: Log
  /** What this process may have of what an entry allows. */
  readonly share: (config: UpstreamConfig) => UpstreamConfig
}

/** Workers share what an entry allows; each needs one of everything. */
function shareFor({ worker, workers }: Config): Applying['share'] {
  const part = (most: number): number => (worker === undefined ? most : Math.max(1, Math.floor(most / workers)))
  return config => ({
    ...config,
    processes: part(config.processes),
    limits: { ...config.limits, inFlight: part(config.limits.inFlight) },
  })
}

async function apply({ files, gateway, views, log, share }: Applying): Promise<void> {
  const { upstreams, virtual, problems, clashes } = readServersFiles(files)
  if (clashes.length > 0) throw new UsageError(clashes.join('\n'), 4)
  for (const problem of problems) log('error', problem)
  views.replace(virtual)
  await gateway.apply(upstreams.map(share))
}

/** A file that cannot be read changes nothing: what was served goes on. */
async function reload(applying: Applying): Promise<void> {
  const { gateway, log } = applying
  try {
    await apply(applying)
    gateway.start()
    log('info', 'servers were read again', { servers: [...gateway.servers.keys()] })
  } catch (error) {
    log('error', error instanceof Error ? error.message : String(error))
  }
}

/** `causeway lock` reaches gateways that run. A lock that is gone or cannot be read changes nothing. */
function approveAgain({ files, gateway, log }: Applying): void {
  try {
    const lock = lockIn(files)
    if (!lock) return log('warn', 'mcp.lock is gone: what was approved before stays in force', { files })
    gateway.approve(lock)
    log('info', 'mcp.lock was read again', { servers: Object.keys(lock) })
  } catch (error) {
    log('error', error instanceof Error ? error.message : String(error))
  }
}

/** `causeway servers restart NAME` leaves a note in a folder. */
function followControl(gateway: Gateway, folder: string): FSWatcher[] {
  const notes = join(folder, 'control')
  try {
    mkdirSync(notes, { recursive: true, mode: 0o700 })
  } catch {
    return []
  }
  return followFolder(notes, name => {
    const [, server] = /^(.+)\.restart$/.exec(name) ?? []
    if (server !== undefined) void gateway.servers.get(decodeURIComponent(server))?.pool.restart()
  })
}
