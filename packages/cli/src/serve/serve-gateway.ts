import type { Server } from '@causeway/engine'
import type { Store } from '@causeway/engine/stores'
import { OPERATOR_SCOPE } from '@causeway/engine/http'
import type { Authenticator, Route, Views } from '@causeway/engine/http'
import { isLoopback } from '@causeway/engine/internal'
import { Gateway, loginRoutes } from '@causeway/gateway'
import type { GatewayOptions, LoginDoor, UpstreamConfig } from '@causeway/gateway'
import type { Config } from '../config/config.ts'
import { FollowedServers, lockIn } from './reload/followed-servers.ts'
import type { Reloadable } from './reload/reloader.ts'
import { leftOut } from './explain-missing.ts'
import { openCredentials } from '../login/open-credentials.ts'
import { gatewayFolder } from '../config/files/servers-file.ts'
import { VirtualServers } from './virtual-servers.ts'

/** Other servers that are being served. */
export interface ServedGateway extends Reloadable {
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
  /** Are all clients one person's? */
  readonly oneUser?: boolean | undefined
}

/** Serve the servers in the files of a configuration as well. */
export async function serveGateway(
  server: Server,
  configNow: () => Config,
  { store, secret, onLogin, oneUser = false }: GatewayNeeds = {},
): Promise<ServedGateway> {
  const config = configNow()
  const folder = gatewayFolder(config.data)
  const gateway = new Gateway(server, { folder, store, secret, oneUser, ...gatewayOptions(configNow, store) })
  // There is no page to log in on, but there is only one user: `causeway login` is theirs.
  if (config.transport !== 'http') gateway.logins.open({ url: () => undefined, isLocal: true })
  const views = new VirtualServers(server, config.virtual)
  const followed = new FollowedServers(config.servers, {
    gateway,
    views,
    folder,
    log: server.log,
    share: shareFor(config),
  })
  await followed.apply()
  return {
    gateway,
    views,
    routes: [upstreamsRoute(gateway, config.worker)],
    loginFor: tool => serverToLogInTo(gateway, tool),
    loginRoutes: (authenticator, url) =>
      loginRoutes(gateway.logins, { ...loginDoor(config, authenticator, url), onLogin }),
    start() {
      gateway.start()
      followed.follow()
    },
    reload: () => followed.reload(),
    prepare: next => followed.prepare(next),
    async loaded() {
      const fresh = [...gateway.servers.values()].filter(({ lists }) => lists === undefined)
      await Promise.allSettled(fresh.map(managed => managed.refresh()))
    },
    async close() {
      followed.close()
      await gateway.close()
    },
  }
}

const gatewayOptions = (configNow: () => Config, store: Store | undefined): GatewayOptions => {
  const config = configNow()
  return {
    credentials: openCredentials(config, store),
    trust: { lock: lockIn(config.servers), mode: config.lock, scan: config.scan },
    instructions: config.serverInstructions === 'on',
    runsTasks: config.taskTtl !== undefined,
    leftOut: (name, { annotations }) => leftOut({ name, readOnly: isReadOnly(annotations) }, configNow()),
  }
}

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

/** Workers share what an entry allows; each needs one of everything. */
function shareFor({ worker, workers }: Config): (config: UpstreamConfig) => UpstreamConfig {
  const part = (most: number): number => (worker === undefined ? most : Math.max(1, Math.floor(most / workers)))
  return config => ({
    ...config,
    processes: part(config.processes),
    limits: { ...config.limits, inFlight: part(config.limits.inFlight) },
  })
}
