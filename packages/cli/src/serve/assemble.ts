import { createServer, jsonLog } from '@causeway/engine'
import {
  SPOTLIGHT_INSTRUCTIONS,
  concurrency,
  followedRights,
  maskResults,
  obeyRights,
  observe,
  rateLimit,
  requireScopes,
  resultBudget,
  resultLimit,
  ruleLimits,
  serveTasks,
  spotlight,
  timeout,
} from '@causeway/engine/policies'
import type { Implementation, Log, Policy, Server, Tool } from '@causeway/engine'
import type { CallObserver, FollowedRights } from '@causeway/engine/policies'
import type { Buckets, Store } from '@causeway/engine/stores'
import type { FollowedScopeRules } from '@causeway/engine/http'
import type { OperatorFeed, PeerLink } from '@causeway/console'
import { scopesOf } from './access/needed-scopes.ts'
import { approvals } from './access/approvals.ts'
import { exchangeRights } from './access/exchanged-rights.ts'
import { auditLogOf } from '../observe/audit/audit-log.ts'
import type { AuditLog } from '../observe/audit/audit-log.ts'
import type { Config } from '../config/config.ts'
import { consoleFeed, groupOf } from './serve-console.ts'
import type { GatewayNeeds, ServedGateway } from './serve-gateway.ts'
import { overview } from './instructions.ts'
import { explaining } from './explain-missing.ts'
import type { Explain } from './explain-missing.ts'
import { metrics } from '@causeway/engine/metrics'
import type { Metrics } from '@causeway/engine/metrics'
import { openTracing } from '../observe/tracing/open-tracing.ts'
import type { Tracing } from '../observe/tracing/open-tracing.ts'
import { plainLog } from '../observe/plain-log.ts'
import { requireVersion } from '../presets/require-version.ts'
import { loopObserver } from '../observe/loop-observer.ts'
import { runningCalls } from '../observe/running-calls.ts'
import type { RunningCalls } from '../observe/running-calls.ts'
import { Reloader } from './reload/reloader.ts'
import { ServedPacks } from './reload/served-packs.ts'
import { ServedSkills } from './reload/served-skills.ts'
import { sourcesOf } from '../sources/sources.ts'
import { developing, modulesOf, seenBy } from './developing.ts'
import type { ServedModules } from '../modules/served-modules.ts'
import type { Developer } from '../modules/developer.ts'
import { VERSION } from '../version.ts'

// Whose text has secrets in it by mistake, and is not written back.
const MASKED = ['build', 'diff']
const FIND_MORE = 'find_tools finds tools by what they do.'
const WAITING = 10_000
const TASK_TTL_MS = 60 * 60_000
// What a build may ask for where the operator set no time.
const LONGEST_MS = 60 * 60_000

/** What several processes that serve the same have in common. */
export interface SharedState {
  /** Are all clients one person's? */
  readonly oneUser?: boolean
  /** Seals what clients carry between rounds. */
  readonly secret?: string
  /** Where the buckets of rate limits are. */
  readonly rates?: Buckets | undefined
  /** Where whole results are kept while they are read in ranges, and sessions with other servers. */
  readonly store?: Store
  /** The way to the consoles of the other workers. */
  readonly peers?: PeerLink
  /** Sees modules that change, and calls. */
  readonly developer?: Developer
}

/** A server, and what its operator may ask about it. */
export interface Assembly {
  readonly server: Server
  readonly explain: Explain
  readonly running: RunningCalls
  /** Other servers, if any are served. */
  readonly gateway: ServedGateway | undefined
  readonly metrics: Metrics
  /** What the console shows, where it is served. */
  readonly feed: OperatorFeed | undefined
  /** The scopes that calls need. */
  readonly scopes: FollowedScopeRules
  /** Who may use what, where a configuration file can say so. */
  readonly rights: FollowedRights | undefined
  readonly audit: AuditLog | undefined
  readonly traced: Tracing | undefined
  /** Exchanges what is served when the configuration changes. */
  readonly reloader: Reloader
  /** What the modules of --tools-dir export. */
  readonly modules: ServedModules
}

/** The server alone. */
export const assemble = async (config: Config): Promise<Server> => (await assembly(config)).server

/** A fence is of use only to those who know of it. */
const explainedBy = ({ spotlight: isFenced }: Config): { instructions?: string } =>
  isFenced ? { instructions: SPOTLIGHT_INSTRUCTIONS } : {}

/** Mount the packs, add what the tool folders export, and stand the policies around it in their order. */
export async function assembly(config: Config, shared: SharedState = {}): Promise<Assembly> {
  const { preset } = config
  const feed = await consoleFeed(config, {
    schemaOf: name => server.inputSchemaOf(name),
    groups: () => [...packs.served.map(groupOf), groupOf({ name: 'tools folders', features: modules.features })],
    gateway: () => gateway,
    peers: shared.peers,
  })
  let gateway: ServedGateway | undefined
  const log = shownLog(config, feed)
  const identity = identityOf(config)
  const rights = rightsOf(config)
  const server = emptyServer(config, { ...shared, rights }, log)
  const processName = shared.store?.processId ?? config.worker
  const reloader = new Reloader(config, log)
  const modules = await modulesOf(() => reloader.config, log, shared.developer)
  const sources = await sourcesOf(config, log)
  const others = { features: () => modules.features, tools: sources.tools }
  const packs = await ServedPacks.make(config, { server: identity, processName, log, others })
  const helpers: Tool[] = []
  const running = runningCalls()
  const isTool = (name: string): boolean =>
    server.inputSchemaOf(name) !== undefined || gateway?.gateway.hasTool(name) === true
  const counters = metrics(isTool)
  const scopes = scopesOf(config)
  const audit = auditLogOf(config, () => server, log)
  const traced = await openTracing(config, log)
  const seen = [running, loopObserver(log), ...seenBy(audit, shared.developer)]
  server.use(
    observe([...(traced ? [traced.observer] : []), ...watchers(config, counters, feed), ...seen]),
    ...gates(config, scopes, server),
    ...(preset.use ?? []),
    ...policies(config, { server, helpers, ofTasks: observe(seen), onWaiting: counters.onWaiting, ...shared }),
    explaining(packs.explain, hasMoreThanListed(config) ? FIND_MORE : undefined),
    ...developing(shared.developer, modules),
  )
  packs.mount(server, config)
  server.mount(overview(config, () => [...(gateway?.gateway.servers.keys() ?? [])]))
  modules.mount(server)
  for (const tool of helpers) packs.mountHelper(server, config, tool)
  sources.mount(server)
  const skills = new ServedSkills(server, log)
  await skills.serve(config)
  gateway = await gatewayOf(server, reloader, { ...shared, onLogin: audit?.onLogin })
  const exchanged = { prepare: (next: Config) => () => exchangeRights(server, rights, next.rights) }
  for (const part of [packs, skills, modules, ...(gateway ? [gateway] : []), exchanged]) reloader.add(part)
  const observed = { metrics: counters, feed, audit, traced }
  return { server, explain: packs.explain, running, gateway, scopes, rights, modules, reloader, ...observed }
}

/** The file may restrict later what it does not restrict now. */
const rightsOf = ({ configFile, rights }: Config): FollowedRights | undefined =>
  configFile === undefined ? undefined : followedRights(rights)

const gates = ({ configFile }: Config, scopes: FollowedScopeRules, server: Server): Policy[] => [
  ...(scopes.restricts || configFile !== undefined ? [requireScopes(scopes, server)] : []),
  ...(configFile === undefined ? [] : [obeyRights(server)]),
]

/** A single pack is usually listed as a whole, and then there is nothing to search for. */
const hasMoreThanListed = ({ listing, packs, servers }: Config): boolean =>
  listing.search !== 'off' && (packs.length > 1 || servers.length > 0)

const identityOf = ({ preset }: Config): Implementation =>
  preset.identity ?? { name: 'causeway', version: VERSION, title: 'Causeway' }

const emptyServer = (
  config: Config,
  { rights, ...shared }: SharedState & { readonly rights: FollowedRights | undefined },
  log: Log,
): Server =>
  createServer({
    ...identityOf(config),
    ...config.preset.server,
    dialect: config.preset.dialect,
    listing: config.listing,
    repair: config.repair,
    ...explainedBy(config),
    ...(config.cacheTtl !== undefined && { cache: { ttlMs: config.cacheTtl, cacheScope: 'private' } }),
    log,
    declare: ['tools'],
    ...(rights && { rights }),
    ...sealedBy(shared),
  })

const sealedBy = ({ secret }: SharedState): { secret?: string } => (secret === undefined ? {} : { secret })

/** The log, shown in the console as well where there is one. */
const shownLog = (config: Config, feed: OperatorFeed | undefined): Log =>
  feed ? feed.tee(logOf(config)) : logOf(config)

/** On stdio there is no way to ask for counts or look at calls. */
const watchers = (config: Config, counters: Metrics, feed: OperatorFeed | undefined): CallObserver[] => [
  ...(config.transport === 'http' ? [counters] : []),
  ...(feed ? [feed.meter] : []),
]

async function gatewayOf(server: Server, reloader: Reloader, needs: GatewayNeeds): Promise<ServedGateway | undefined> {
  const { servers, virtual, configFile, notTaken } = reloader.config
  // A file that was named may name servers later.
  const mayHaveSome = configFile !== undefined && notTaken === undefined
  if (servers.length + virtual.length === 0 && !mayHaveSome) return undefined
  return (await import('./serve-gateway.ts')).serveGateway(server, () => reloader.config, needs)
}

/** The log as the preset writes it. */
export function logOf({ preset, logLevel, worker }: Config): Log {
  const log = (preset.log === 'plain' ? plainLog : jsonLog)(logLevel)
  return worker === undefined ? log : (level, message, fields) => log(level, message, { ...fields, worker })
}

interface PolicyNeeds extends Pick<SharedState, 'rates' | 'store'> {
  readonly server: Server
  /** Are mounted behind the packs. */
  readonly helpers: Tool[]
  /** Sees how the work of tasks ends. */
  readonly ofTasks: Policy
  readonly onWaiting: Metrics['onWaiting']
}

/** The limits stand before the clock; the size of a result is judged first, its length last. */
function policies(config: Config, { server, rates, store, helpers, ofTasks, onWaiting }: PolicyNeeds): Policy[] {
  const { preset, rateLimit: rate, maxInflight, timeout: ms, maxResponse } = config
  return [
    ...(preset.versionRequired ? [requireVersion] : []),
    ...(rate
      ? [rateLimit({ ...rate, ...(preset.countEverything && { methods: 'all' }), ...(rates && { store: rates }) })]
      : []),
    ...tasks(config, { server, ofTasks, ...(store && { store }) }),
    concurrency({ running: maxInflight, waiting: WAITING, waitMs: ms, onWaiting }),
    ...(ms === undefined ? [] : [timeout(ms, config.given.has('timeout') ? {} : { most: LONGEST_MS })]),
    ...ruled(config, server, { rates, store }),
    ...(config.spotlight ? [spotlight()] : []),
    ...budget(config, { server, helpers, ...(store && { store }) }),
    ...(config.mask === 'off' ? [] : [maskResults(config.mask === 'on' ? { writers: MASKED } : { strict: true })]),
    resultLimit(maxResponse),
  ]
}

/** What the rules of the configuration file ask for: limits of their own, a person's approval. */
const ruled = (
  config: Config,
  server: Server,
  { rates, store }: { readonly rates: Buckets | undefined; readonly store: Store | undefined },
): Policy[] => [
  ...(config.configFile === undefined ? [] : [ruleLimits(server, { store: rates, waiting: WAITING })]),
  ...approvals(config, server, store),
]

/** The rate counts the call that begins a task; while the task runs it has a place and a clock as any call. */
function tasks(
  config: Config,
  { server, ofTasks, store }: Pick<PolicyNeeds, 'server' | 'ofTasks' | 'store'>,
): Policy[] {
  const { taskTtl, worker } = config
  if (taskTtl === undefined) return []
  const idPrefix = !store && worker !== undefined ? `${worker}.` : ''
  const ttlMs = Math.min(taskTtl, TASK_TTL_MS)
  return [serveTasks(server, { ...(store && { store }), idPrefix, ttlMs, mostTtlMs: taskTtl, around: [ofTasks] })]
}

/** What is too long for a model becomes an excerpt, after all that makes a result what it is. */
function budget(
  config: Config,
  { server, store, helpers }: Pick<PolicyNeeds, 'server' | 'store' | 'helpers'>,
): Policy[] {
  const { resultBudget: tokens, worker } = config
  if (tokens === undefined) return []
  const { policy, source, tool } = resultBudget({
    tokens,
    // Without a shared store, the process that made a result has the whole of it.
    ...(store ? { store } : worker !== undefined && { worker }),
    definitionOf: (tool, { caller }) => server.definitionOf(tool, caller),
  })
  server.mount(source)
  helpers.push(tool)
  return [policy]
}
