import { join } from 'node:path'
import { dataFrom } from '@causeway/engine'
import type { Call, Handle, Log, Mount, Params, Policy, Result, Server } from '@causeway/engine'
import type { ServerChange, Target } from '@causeway/engine/client'
import { callBare } from './source/unprefixed-names.ts'
import type { UpstreamConfig } from './config/upstream-config.ts'
import type { ForwardedCall } from './calls/forwarded-call.ts'
import { ListCache } from './source/list-cache.ts'
import type { Lists } from './source/fetch-lists.ts'
import { canonicalJson } from '@causeway/engine/internal'
import { Managed } from './upstream/upstream.ts'
import type { Managing, Trust } from './upstream/upstream.ts'
import { Parked } from './calls/parked-calls.ts'
import { ParkedRelay } from './calls/parked-relay.ts'
import type { Peers } from './calls/parked-relay.ts'
import { Guardian } from './process/guardian.ts'
import { NameIndex } from './trust/scan-definitions.ts'
import { SharedSessions } from './sessions/shared-sessions.ts'
import type { SessionStore } from './sessions/shared-sessions.ts'
import type { Upstream } from './upstream/upstream-calls.ts'
import { Watchers } from './changes/client-subscriptions.ts'

/** How a gateway is set up. */
export interface GatewayOptions {
  readonly trust?: Partial<Trust>
  /** Where lists and logs are kept; without one, only in memory. */
  readonly folder?: string | undefined
  readonly log?: Log
  /** Shared with other processes that serve the same: sessions with servers are kept there, and answers brought to the process that asked. */
  readonly store?: (SessionStore & Peers) | undefined
  /** How long a call that asked waits for its client to come back. Default: 10 minutes. */
  readonly parkedMs?: number
  /** How a server is reached, if not as its entry says: one in this process, or over a transport of your own. */
  readonly reach?: (config: UpstreamConfig) => Target | undefined
  /** Why a tool is not offered, by the name clients would use and its definition; undefined for one that is. */
  readonly leftOut?: (name: string, definition: Params) => string | undefined
}

/** Other servers, mounted on one of ours. */
export class Gateway {
  readonly #server: Server
  readonly #guardian = new Guardian()
  readonly #parked: Parked<ForwardedCall>
  readonly #sessions: SharedSessions | undefined
  readonly #relay: ParkedRelay | undefined
  readonly #managed = new Map<string, Managed>()
  readonly #mounts = new Map<string, Mount>()
  readonly #names = new NameIndex()
  readonly #managing: Managing
  readonly #watchers: Watchers
  /** Servers whose names have no prefix. */
  #bare: readonly Managed[] = []
  #hasNamedOwn = false
  #comparing: NodeJS.Timeout | undefined
  #closed: Promise<void> | undefined

  constructor(server: Server, options: GatewayOptions = {}) {
    const { trust = {}, folder, log = server.log, leftOut, store } = options
    this.#server = server
    this.#parked = new Parked(options.parkedMs, store?.node)
    if (store && store.node !== '') {
      this.#sessions = new SharedSessions(store, log)
      this.#relay = new ParkedRelay(store, this.#parked)
    }
    this.#watchers = new Watchers(uri => this.#ownersOf(uri))
    this.#managing = {
      guardian: this.#guardian,
      parked: this.#parked,
      sessions: this.#sessions,
      relay: this.#relay,
      trust: { mode: 'hold', scan: 'warn', ...trust },
      cache: new ListCache(folder === undefined ? undefined : join(folder, 'lists')),
      names: this.#names,
      log,
      leftOut,
      reach: options.reach,
      logFile: name =>
        folder === undefined ? undefined : join(folder, 'logs', `${name.replaceAll(/[^\w-]+/g, '_')}.log`),
      started: upstream => this.#managedOf(upstream)?.started(),
      changed: (upstream, change) => this.#changed(upstream, change),
      clash: (name, tool) => this.#clash(name, tool),
      loaded: managed => this.#watchers.loaded(managed),
      renamed: managed => this.#compareSoon(managed),
    }
    server.use(this.#policy)
  }

  /** The servers, by name. */
  get servers(): ReadonlyMap<string, Managed> {
    return this.#managed
  }

  /** Serve these servers, and no others: new ones are added, those gone or changed are ended. */
  async apply(configs: readonly UpstreamConfig[]): Promise<void> {
    await this.#nameOwn()
    const wanted = new Map(configs.filter(({ disabled }) => !disabled).map(config => [config.name, config]))
    const gone = [...this.#managed.values()].filter(({ config }) => {
      const now = wanted.get(config.name)
      return !now || canonicalJson(now) !== canonicalJson(config)
    })
    for (const { config } of gone) {
      this.#names.delete(config.name)
      // One that changed is replaced by #add, and keeps its position.
      if (wanted.has(config.name)) continue
      this.#managed.delete(config.name)
      this.#mounts.get(config.name)?.unmount()
      this.#mounts.delete(config.name)
    }
    this.#names.arrange([this.#server.identity.name, ...wanted.keys()])
    const isGone = new Set(gone.map(({ config }) => config.name))
    const added = [...wanted.values()].filter(({ name }) => isGone.has(name) || !this.#managed.has(name))
    for (const config of added) this.#add(config)
    // Names without a prefix may clash with others now, or no longer.
    this.#bare = [...this.#managed.values()].filter(({ config }) => config.prefix === false)
    for (const managed of this.#bare) managed.again()
    await Promise.all(gone.map(managed => managed.close()))
  }

  /** Ask for the lists of servers that were never seen before, and start those that are to be. */
  start(): void {
    for (const managed of this.#managed.values()) {
      if (managed.lists === undefined || managed.config.start === 'eager') managed.refresh().catch(() => {})
    }
  }

  /** What there is to know of each server. */
  get status(): readonly Readonly<Record<string, unknown>>[] {
    return [...this.#managed.values()].map(({ upstream, lists, held, findings }) =>
      Object.assign(
        {},
        upstream.status,
        lists && { tools: lists.tools.length },
        held.length > 0 && { held: held.length },
        findings.size > 0 && { findings: shown(findings) },
      ),
    )
  }

  /** Keep definitions as they were approved, to say later what changed about them. */
  keep(config: UpstreamConfig, lists: Lists): void {
    this.#managing.cache.write(config, 'locked', lists)
  }

  /** Definitions as they were approved, if they were kept. */
  kept(config: UpstreamConfig): Lists | undefined {
    return this.#managing.cache.read(config, 'locked')
  }

  /** End every server, and whatever it started. */
  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#parked.close()
      this.#sessions?.close()
      this.#relay?.close()
      await Promise.all([...this.#managed.values()].map(managed => managed.close()))
      await this.#guardian.close()
    })()
    return this.#closed
  }

  /** Tools of our own come first: no server's may be taken for one of them. */
  async #nameOwn(): Promise<void> {
    if (this.#hasNamedOwn || this.#managed.size > 0) return
    this.#hasNamedOwn = true
    const own = await this.#server.listed('tool')
    this.#names.set(
      this.#server.identity.name,
      own.map(({ name }) => String(name)),
    )
  }

  /** Names are looked at beside those of others when these are known; one server a turn, since there may be many tools. */
  #compareSoon(changed: Managed): void {
    clearTimeout(this.#comparing)
    const next = (left: Managed[]): void => {
      const [managed, ...others] = left
      if (managed && managed !== changed && !this.#closed) managed.compareAgain()
      if (others.length > 0) setImmediate(next, others)
    }
    this.#comparing = setTimeout(() => next([...this.#managed.values()]), COMPARE_MS).unref()
  }

  #add(config: UpstreamConfig): void {
    const managed = new Managed(config, this.#managing)
    this.#managed.set(config.name, managed)
    const { source } = managed
    // What a server of others says is data.
    const use = [dataFrom(`server ${config.name}`)]
    const mounted = { ...pick(source), resources: this.#withOwners(managed) }
    const earlier = this.#mounts.get(config.name)
    if (earlier) earlier.replace(mounted)
    else this.#mounts.set(config.name, this.#server.mount(mounted, { use }))
  }

  /** A URI that nobody lists, and no template covers, belongs to the one server that has others of its scheme. */
  #withOwners({ source }: Managed): typeof source.resources {
    const { resources } = source
    const find = resources.find.bind(resources)
    return Object.assign(Object.create(resources) as typeof resources, {
      shared: true,
      list: () => resources.list(),
      listen: (changed: () => void) => resources.listen(changed),
      find: (uri: string) => {
        const found = find(uri)
        if (found !== undefined) return found
        const [owner, ...others] = this.#ownersOf(uri)
        return owner?.source === source && others.length === 0 && !this.#isCovered(uri)
          ? source.unlisted(uri)
          : undefined
      },
    })
  }

  #isCovered(uri: string): boolean {
    const all = [...this.#managed.values()]
    return all.some(
      ({ source }) =>
        source.resources.entries.some(({ key }) => key === uri) ||
        source.templates.entries.some(one => one.matches(uri)),
    )
  }

  #ownersOf(uri: string): Managed[] {
    const all = [...this.#managed.values()]
    const exact = all.find(({ source }) => source.resources.entries.some(({ key }) => key === uri))
    if (exact) return [exact]
    const family = all.find(({ source }) => source.templates.entries.some(one => one.matches(uri)))
    if (family) return [family]
    const scheme = /^[a-z][\w+.-]*:/i.exec(uri)?.[0].toLowerCase()
    if (scheme === undefined || scheme === 'file:' || scheme === 'http:' || scheme === 'https:') return []
    return all.filter(({ source }) => source.resources.entries.some(({ key }) => key.toLowerCase().startsWith(scheme)))
  }

  #changed(upstream: Upstream, change: ServerChange): void {
    if ('uri' in change) return this.#server.updated(change.uri)
    this.#managedOf(upstream)?.changed()
  }

  #managedOf(upstream: Upstream): Managed | undefined {
    const managed = this.#managed.get(upstream.name)
    return managed?.upstream === upstream ? managed : undefined
  }

  #clash(name: string, tool: string): string | undefined {
    const config = this.#managed.get(name)?.config
    if (config?.prefix !== false) return undefined
    for (const [other, { config: others, lists }] of this.#managed) {
      if (other === name) return undefined
      if (others.prefix === false && lists?.tools.some(one => one.name === tool)) return other
    }
    return undefined
  }

  /** Whoever subscribes to a resource of a server is subscribed there, once for all. */
  readonly #policy: Policy = (call: Call, next: Handle) => {
    const isNamed = call.method === 'tools/call' || call.method === 'prompts/get'
    if (isNamed && this.#bare.length > 0) return callBare(call, next, this.#bare)
    const result = next(call)
    if (call.method === 'resources/subscribe' || call.method === 'resources/unsubscribe') {
      return result instanceof Promise ? result.then(done => this.#watch(call, done)) : this.#watch(call, result)
    }
    if (call.method === 'subscriptions/listen' && result instanceof Promise) this.#watchers.listen(call, result)
    return result
  }

  #watch(call: Call, result: Result): Result {
    this.#watchers.subscription(call)
    return result
  }
}

const MOST_FINDINGS = 50
const COMPARE_MS = 50

/** What was found, a line each. */
const shown = (findings: Managed['findings']): string[] =>
  [...findings]
    .flatMap(([tool, list]) => list.map(({ where, why }) => `${tool}: its ${where} ${why}`))
    .slice(0, MOST_FINDINGS)

/** A source's members, which are its own and its prototype's. */
const pick = (
  source: Managed['source'],
): {
  name: string
  tools: typeof source.tools
  prompts: typeof source.prompts
  templates: typeof source.templates
  complete: Handle
  readonly instructions: string | undefined
} => ({
  name: source.name,
  tools: source.tools,
  prompts: source.prompts,
  templates: source.templates,
  complete: source.complete,
  get instructions() {
    return source.instructions
  },
})
