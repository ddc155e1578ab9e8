import { join } from 'node:path'
import { dataFrom } from '@causeway/engine/policies'
import type { Call, Handle, Mount, Policy, Result, Server } from '@causeway/engine'
import { canonicalJson } from '@causeway/engine/internal'
import type { UpstreamCounts } from '@causeway/engine/metrics'
import { lateAnswers } from './calls/late-answers.ts'
import { missingCapability } from './calls/missing-capability.ts'
import { privateResults } from './calls/private-results.ts'
import { wellFormed } from './calls/well-formed.ts'
import { ViewCalls } from './calls/view-calls.ts'
import { ParkedRelay } from './calls/parked-relay.ts'
import { ClientSubscriptions } from './changes/client-subscriptions.ts'
import { CoalescedUpdates } from './changes/coalesced-updates.ts'
import type { UpstreamConfig } from './config/upstream-config.ts'
import { Guardian } from '@causeway/engine/process'
import { askForLogins } from './logins/ask-login.ts'
import { GatewayLogins } from './logins/gateway-logins.ts'
import { SharedSessions } from './sessions/shared-sessions.ts'
import { stderrFile } from './process/stderr-log.ts'
import { GatewaySkills } from './skills/gateway-skills.ts'
import { ListCache } from './source/list-cache.ts'
import { ownFeatures } from './source/own-features.ts'
import { NameClashes } from './source/name-clashes.ts'
import { callBare } from './source/unprefixed-names.ts'
import { UriOwnership } from './source/uri-ownership.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { Trust } from './trust/judgement.ts'
import type { Lock } from './trust/lock/lock-file.ts'
import { NameIndex } from './trust/name-index.ts'
import { Upstream } from './upstream/upstream.ts'
import type { UpstreamServices } from './upstream/upstream-services.ts'

const PARKED_MS = 600_000
const COMPARE_MS = 50
// Characters of instructions of all servers together, and what each may have at least.
const ROOM = 20_000
const LEAST_ROOM = 400
const MOST_FINDINGS = 50
const LONGEST_NAME = 200

/** Other servers, mounted on one of ours. */
export class Gateway {
  /** Logins of people to the servers. */
  readonly logins: GatewayLogins
  readonly #server: Server
  readonly #guardian = new Guardian()
  readonly #upstreams = new Map<string, Upstream>()
  readonly #mounts = new Map<string, Mount>()
  readonly #names = new NameIndex()
  readonly #uris = new UriOwnership<Upstream>(() => this.#upstreams.values())
  readonly #services: UpstreamServices
  readonly #subscriptions: ClientSubscriptions
  /** Servers whose names have no prefix. */
  #bare: readonly Upstream[] = []
  #trust: Trust
  #hasNamedOwn = false
  readonly #clashes = new NameClashes(this.#upstreams)
  readonly #skills = new GatewaySkills(() => this.#upstreams.values())
  #comparing: NodeJS.Timeout | undefined
  #closed: Promise<void> | undefined

  constructor(server: Server, options: GatewayOptions = {}) {
    const { trust = {}, folder, log = server.log, leftOut, store, reach } = options
    const { parkedMs = PARKED_MS, instructions = true, credentials: kept, secret } = options
    this.#server = server
    this.#trust = { mode: 'hold', scan: 'warn', ...trust }
    const shared = store && store.processId !== '' ? store : undefined
    this.#subscriptions = new ClientSubscriptions(uri => this.#uris.ownersOf(uri))
    const updates = new CoalescedUpdates(uri => server.updated(uri))
    const find = (name: string): Upstream | undefined => this.#upstreams.get(name)
    this.logins = new GatewayLogins({ kept, secret, shared, log, find })
    this.#services = {
      logins: this.logins,
      client: { name: 'causeway-gateway', version: server.identity.version },
      guardian: this.#guardian,
      parkedMs,
      processId: shared?.processId,
      sessions: shared && new SharedSessions(shared, log),
      relay: shared && new ParkedRelay(shared, ticket => this.#parkedCall(ticket)),
      trust: () => this.#trust,
      runsTasks: options.runsTasks === true,
      oneUser: options.oneUser === true,
      instructionsRoom: () => (instructions ? Math.max(LEAST_ROOM, Math.floor(ROOM / this.#upstreams.size)) : 0),
      cache: new ListCache(folder === undefined ? undefined : join(folder, 'lists')),
      names: this.#names,
      log,
      leftOut,
      reach,
      logFile: name => (folder === undefined ? undefined : stderrFile(folder, name)),
      clash: (server, kind, name) => this.#clashes.find(server, kind, name),
      uris: this.#uris,
      skillNames: this.#skills.names,
      othersWithSkill: (uri, server) => this.#skills.others(uri, server),
      onSkillsRenamed: name => this.#skills.showAgain(name),
      onUpdated: (uri, name) => {
        if (this.#subscriptions.isWatchedAt(uri, name)) updates.changed(uri)
      },
      onLoaded: name => this.#withUpstream(name, upstream => this.#onLoaded(upstream)),
      onRenamed: name => this.#compareSoon(name),
    }
    server.use(askForLogins(this.logins), this.#policy)
    server.useOutermost(new ViewCalls(server, () => this.#upstreams.values()).policy)
  }

  /** The servers, by name. */
  get servers(): ReadonlyMap<string, Upstream> {
    return this.#upstreams
  }

  /** Serve these servers, and no others: new ones are added, those gone or changed are ended. */
  async apply(configs: readonly UpstreamConfig[]): Promise<void> {
    await this.#nameOwn()
    const wanted = new Map(configs.filter(({ disabled }) => !disabled).map(config => [config.name, config]))
    const gone = [...this.#upstreams.values()].filter(({ config }) => {
      const now = wanted.get(config.name)
      return !now || canonicalJson(now) !== canonicalJson(config)
    })
    for (const { config } of gone) {
      this.#names.delete(config.name)
      this.#skills.gone(config.name)
      // One that changed is replaced by #add, and keeps its position.
      if (wanted.has(config.name)) continue
      this.#upstreams.delete(config.name)
      this.#mounts.get(config.name)?.unmount()
      this.#mounts.delete(config.name)
    }
    this.#names.arrange([this.#server.identity.name, ...wanted.keys()])
    const isGone = new Set(gone.map(({ config }) => config.name))
    const added = [...wanted.values()].filter(({ name }) => isGone.has(name) || !this.#upstreams.has(name))
    for (const config of added) this.#add(config)
    // Names without a prefix may clash with others now, or no longer.
    this.#bare = [...this.#upstreams.values()].filter(({ config }) => config.prefix === false)
    for (const upstream of this.#bare) upstream.judgeAgain()
    await Promise.all(gone.map(upstream => upstream.close()))
  }

  /** Ask for the lists of servers that were never seen before, and start those that are to be. */
  start(): void {
    for (const upstream of this.#upstreams.values()) {
      if (upstream.lists === undefined || upstream.config.start === 'eager') upstream.refresh().catch(() => {})
    }
  }

  /** What there is to know of each server. */
  get status(): readonly Readonly<Record<string, unknown>>[] {
    return [...this.#upstreams.values()].map(upstream => {
      const { status, lists, judgement } = upstream
      const { held, findings } = judgement
      const clashes = this.#clashes.of(upstream)
      return Object.assign(
        {},
        status,
        lists && { tools: lists.tools.length },
        held.length > 0 && { held: held.length },
        findings.size > 0 && { findings: shown(findings) },
        clashes.length > 0 && { clashes: clashes.slice(0, MOST_FINDINGS) },
      )
    })
  }

  /** Something else was approved: what is known of every server is judged again, at once. */
  approve(lock: Lock | undefined): void {
    this.#trust = { ...this.#trust, lock }
    for (const upstream of this.#upstreams.values()) upstream.judgeAgain()
  }

  /** Is it the name of a tool of a server, as far as is known? */
  hasTool(name: string): boolean {
    for (const { tools } of this.#upstreams.values()) if (tools.has(name)) return true
    return false
  }

  /** What was counted of each server. */
  get counts(): readonly UpstreamCounts[] {
    return [...this.#upstreams.values()].map(({ name, status, health }) => ({
      server: name,
      failing: status.state === 'failed' ? 1 : 0,
      states: { [status.breaker === undefined ? String(status.state) : 'open']: 1 },
      pauses: health.pauses,
      calls: health.calls,
      failures: health.failures,
      restarts: health.restarts,
    }))
  }

  /** End every server, and whatever it started. */
  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#services.sessions?.close()
      this.#services.relay?.close()
      await Promise.all([...this.#upstreams.values()].map(upstream => upstream.close()))
      await Promise.all([this.#services.cache.settled(), this.#guardian.close()])
    })()
    return this.#closed
  }

  /** What the server has itself is something else now: it comes before what servers have of that name. */
  async ownChanged(): Promise<void> {
    await this.#nameOwnNow()
    for (const upstream of this.#upstreams.values()) upstream.judgeAgain()
  }

  /** What is our own comes first: no server's tool may be taken for one of ours, and no server answers for our URIs. */
  async #nameOwn(): Promise<void> {
    if (this.#hasNamedOwn || this.#upstreams.size > 0) return
    this.#hasNamedOwn = true
    await this.#nameOwnNow()
  }

  async #nameOwnNow(): Promise<void> {
    const { tool, prompt, resource, template } = await ownFeatures(this.#server, [...this.#upstreams.values()])
    this.#uris.reserve([...resource, ...template])
    this.#skills.reserve(resource)
    const names = tool.map(({ name }) => String(name))
    const { name: own } = this.#server.identity
    this.#clashes.reserve(own, { tool: names, prompt: prompt.map(({ name }) => String(name)) })
    this.#names.set(own, names)
  }

  /** Names are compared with those of others when these are known; one server a turn, since there may be many tools. */
  #compareSoon(changed: string): void {
    clearTimeout(this.#comparing)
    const next = ([upstream, ...others]: Upstream[]): void => {
      if (upstream && upstream.name !== changed && !this.#closed) upstream.compareAgain()
      if (others.length > 0) setImmediate(next, others)
    }
    this.#comparing = setTimeout(() => next([...this.#upstreams.values()]), COMPARE_MS).unref()
  }

  #add(config: UpstreamConfig): void {
    const upstream = new Upstream(config, this.#services)
    this.#upstreams.set(config.name, upstream)
    this.#subscriptions.loaded(upstream)
    const earlier = this.#mounts.get(config.name)
    // What a server of others says is data.
    const use = [
      dataFrom(`server ${config.name}`, { asks: true }),
      missingCapability,
      lateAnswers(config.name),
      wellFormed(config.name),
      privateResults(() => this.#upstreams.get(config.name)?.login?.isPrivate === true),
    ]
    if (earlier) earlier.replace(upstream)
    else this.#mounts.set(config.name, this.#server.mount(upstream, { use }))
  }

  #withUpstream(name: string, act: (upstream: Upstream) => void): void {
    const upstream = this.#upstreams.get(name)
    if (upstream) act(upstream)
  }

  #parkedCall(ticket: string): ReturnType<Upstream['parked']['find']> {
    for (const { parked } of this.#upstreams.values()) {
      const found = parked.find(ticket)
      if (found) return found
    }
    return undefined
  }

  /** Names without a prefix may clash with others now, or no longer. */
  #onLoaded(upstream: Upstream): void {
    this.#subscriptions.loaded(upstream)
    for (const other of this.#bare) {
      if (other !== upstream) other.showAgain()
      this.#clashes.report(other, this.#services.log)
    }
  }

  /** A subscription to a resource of a server is made there, once for all clients. */
  readonly #policy: Policy = (call: Call, next: Handle) => {
    const isNamed = call.method === 'tools/call' || call.method === 'prompts/get'
    if (isNamed && this.#bare.length > 0) return callBare(call, next, this.#bare)
    const result = next(call)
    if (call.method === 'resources/subscribe' || call.method === 'resources/unsubscribe') {
      return result instanceof Promise ? result.then(done => this.#watch(call, done)) : this.#watch(call, result)
    }
    if (call.method === 'subscriptions/listen' && result instanceof Promise) this.#subscriptions.listen(call, result)
    return result
  }

  #watch(call: Call, result: Result): Result {
    this.#subscriptions.subscription(call)
    return result
  }
}

/** What was found, a line each. */
const shown = (findings: Upstream['judgement']['findings']): string[] =>
  [...findings]
    .flatMap(([definition, list]) =>
      list.map(({ where, why }) => `${definition.slice(0, LONGEST_NAME)}: its ${where} ${why}`),
    )
    .slice(0, MOST_FINDINGS)
