import type { Awaitable } from '@causeway/engine'
import type { Store } from '@causeway/engine/stores'
import { OPERATOR_SCOPE, clientCertificates, serveHttp, socketOwner } from '@causeway/engine/http'
import type {
  Authenticator,
  FollowedScopeRules,
  HttpHandlerOptions,
  HttpService,
  Route,
  SharedOnce,
} from '@causeway/engine/http'
import type { Assembly } from './assemble.ts'
import { welcome } from '../terminal/banner.ts'
import type { Config } from '../config/config.ts'
import { choosePort } from './choose-port.ts'
import { authenticatorOf } from './access/access-tokens.ts'
import { followAuth } from './access/followed-auth.ts'
import { readTokens, tokensOf } from './access/token-file.ts'
import type { ServedTokens } from './access/token-file.ts'
import { metricsRoute, metricsText } from '@causeway/engine/metrics'
import type { MetricsSnapshot } from '@causeway/engine/metrics'
import { followTls, tlsOf } from './access/served-tls.ts'
import { print } from '../terminal/print.ts'
import { UsageError } from '../config/usage-error.ts'

/** What is served, and where what other processes share is kept. */
export interface Served extends Pick<
  Assembly,
  'server' | 'metrics' | 'gateway' | 'feed' | 'scopes' | 'rights' | 'audit' | 'reloader'
> {
  readonly store: Store | undefined
  /** What several processes know together of proofs that were used, if not through the store. */
  readonly shared?: SharedOnce
  /** Where it listens, once it does. */
  readonly url?: () => string | undefined
  /** Called with what is followed, to have it read again. */
  readonly onFollowed?: (followed: Pick<ServedTokens, 'reload'>) => void
}

/** Everything counted so far, of servers behind this one too. */
export const snapshotOf = (
  { metrics, gateway }: Pick<Assembly, 'metrics' | 'gateway'>,
  { open, traffic }: Pick<HttpService, 'open' | 'traffic'>,
): MetricsSnapshot => ({
  ...metrics.snapshot(open),
  traffic,
  ...(gateway && { upstreams: gateway.gateway.counts }),
})

/** Serve over HTTP as the configuration has it, and say how to connect. */
export async function listen(served: Served, config: Config): Promise<HttpService> {
  const { server, gateway, feed } = served
  const { maxConnections } = config
  const { socket } = config
  const tls = tlsOf(config)
  const port = socket === undefined ? await choosePort(config, server.log) : 0
  const text = (): string => metricsText(snapshotOf(served, service))
  let bound: string | undefined
  const service: HttpService = await serveHttp(server, {
    ...(await httpOptions({ ...served, url: () => bound }, config, text)),
    port,
    maxConnections,
    tls,
    socket,
  }).catch((error: unknown) => {
    throw explained(error, config)
  })
  bound = service.url
  const followed = followTls(config, service, server.log)
  if (followed) served.onFollowed?.(followed)
  feed?.start(() => service.open)
  for (const warning of tokenWarnings(config)) server.log('warn', warning)
  // Only the banner is lost, which is not needed to connect.
  await print(await welcome(service.url, server, config, gateway)).catch((error: unknown) => {
    server.log('warn', error instanceof Error ? error.message : String(error))
  })
  return service
}

/** The options of HTTP, as configured; `metricsShown` is what a monitor reads. */
export async function httpOptions(
  served: Served,
  config: Config,
  metricsShown: () => Awaitable<string>,
): Promise<HttpHandlerOptions> {
  const { server, metrics, gateway, feed, store, shared = store, scopes, rights, reloader, onFollowed } = served
  const { host, allowAnonymous, allowedHosts, allowedOrigins, maxSessions } = config
  const tokens = tokensOf(config, server.log)
  if (tokens) onFollowed?.(tokens)
  const access = tokenOptions(config, { tokens, shared, scopes })
  followAuth(config, { server, scopes, rights, reloader, authenticator: access.authenticator })
  return {
    host,
    allowAnonymous,
    allowedHosts,
    allowedOrigins,
    maxSessions,
    ...access,
    routes: [metricsRoute(metricsShown), ...(await routesOf(served, access.authenticator))],
    allowOwnPages: (feed !== undefined || gateway !== undefined) && config.needsToken,
    ...(gateway && { views: gateway.views }),
    ...(store && { store }),
    onRefused: served.audit ? both(metrics.onRefused, served.audit.onRefused) : metrics.onRefused,
    maxBody: config.maxRequest,
    ...(config.lifecycle && { lifecycle: config.lifecycle }),
  }
}

const both =
  <T>(first: (one: T) => void, second: (one: T) => void) =>
  (one: T): void => {
    first(one)
    second(one)
  }

/** What is served beside the endpoints. */
async function routesOf({ gateway, feed, url }: Served, authenticator: Authenticator | undefined): Promise<Route[]> {
  return [
    ...(gateway ? [...gateway.routes, ...gateway.loginRoutes(authenticator, url)] : []),
    ...(feed ? [...(await import('@causeway/console')).consoleRoutes(), feed.route] : []),
  ]
}

interface Access {
  readonly tokens: ServedTokens | undefined
  readonly shared: SharedOnce | undefined
  readonly scopes: FollowedScopeRules
}

/** Who is let in because of the connection it came on. */
function withPeers(
  { socket, tlsClientCa }: Pick<Config, 'socket' | 'tlsClientCa'>,
  others: Authenticator | undefined,
): Authenticator | undefined {
  if (socket !== undefined) return socketOwner(others)
  return tlsClientCa === undefined ? others : clientCertificates(others)
}

/** Who is let in, and what tokens are for. */
function tokenOptions(
  config: Config,
  { tokens, shared, scopes }: Access,
): Pick<HttpHandlerOptions, 'authenticator' | 'scopes' | 'publicUrl'> {
  const { publicUrl } = config
  const authenticator = withPeers(config, authenticatorOf(config, tokens?.authenticator, { shared, scopes }))
  return {
    scopes,
    ...(publicUrl !== undefined && { publicUrl }),
    ...(authenticator && { authenticator }),
  }
}

/** Warns if no token can see the console's stream and the metrics. */
export function tokenWarnings({ transport, tokenFile }: Config): string[] {
  if (transport !== 'http' || tokenFile === undefined) return []
  if (readTokens(tokenFile).principals.some(({ scopes }) => scopes?.includes(OPERATOR_SCOPE))) return []
  const what = "No token may see the console's live view, /metrics and /health/upstreams."
  return [`${what} Make one that may with: causeway token NAME --scope ${OPERATOR_SCOPE}`]
}

/** Why an address cannot be listened on, for the operator. */
export function explained(error: unknown, { host, port, socket }: Pick<Config, 'host' | 'port' | 'socket'>): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (socket !== undefined && code !== undefined)
    return new UsageError(`--socket ${socket} cannot be used: ${message}.`)
  if (code === 'EADDRINUSE')
    return new UsageError(`Port ${port} on ${host} is in use. Choose another with --port N; --port 0 picks a free one.`)
  if (code === 'EACCES')
    return new UsageError(`Permission denied for port ${port} on ${host}. Choose one above 1023 with --port N.`, 5)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new UsageError(`This machine has no address ${host}. Use --host 127.0.0.1.`)
  if (error instanceof TypeError)
    return new UsageError(
      `Other machines could use a server on ${host}: require tokens with --token-file FILE or --auth-issuer URL, or allow anyone with --allow-anonymous.`,
    )
  return error
}
