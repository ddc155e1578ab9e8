import type { Entry, Handle, Implementation, Params, Source, TemplateEntry, ToolEntry } from '@causeway/engine'
import { ParkedCalls } from '@causeway/engine/client'
import type { ServerChange, SessionSharing, Target } from '@causeway/engine/client'
import { UpstreamSubscriptions } from '../changes/upstream-subscriptions.ts'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import { upstreamLogin } from '../logins/upstream-login.ts'
import type { UpstreamLogin } from '../logins/upstream-login.ts'
import { StderrLog } from '../process/stderr-log.ts'
import { withoutMeta } from '../source/entries.ts'
import type { EntryOwner, Named } from '../source/entries.ts'
import { CleanDefinitions } from '../source/clean-definitions.ts'
import type { Lists } from '../source/fetch-lists.ts'
import type { LiveShelf } from '../source/live-shelf.ts'
import { ServerLists, atMost } from '../source/server-lists.ts'
import { UpstreamShelves } from '../source/upstream-shelves.ts'
import type { UriRules } from '../source/uri-ownership.ts'
import { UpstreamSkills } from '../skills/upstream-skills.ts'
import { Judgement } from '../trust/judgement.ts'
import type { Held } from '../trust/lock/judge.ts'
import type { NamedKind } from '../source/qualified-names.ts'
import { CallForwarder } from './call-forwarder.ts'
import { tellingLine } from './causes.ts'
import { Pool } from './pool.ts'
import type { PoolOwner, PooledRemote } from './pooled-remote.ts'
import { kindOf } from './target-kinds.ts'
import { UpstreamExtensions } from './upstream-extensions.ts'
import { statusOf } from './upstream-status.ts'
import { UpstreamHealth } from './upstream-health.ts'
import type { UpstreamServices } from './upstream-services.ts'

const SWEEP_MS = 15_000
const JUDGE_WITHIN_MS = 2000
const LOCKED_CALL_WITHIN_MS = 30_000
const LIST_AFTER_LOGIN_MS = 10_000

/** One server behind the gateway: what it offers, and the way there. */
export class Upstream implements Source, EntryOwner, PoolOwner {
  readonly config: UpstreamConfig
  readonly client: Implementation
  readonly log: StderrLog
  readonly parked: ParkedCalls
  readonly pool: Pool
  readonly health: UpstreamHealth
  readonly subscriptions: UpstreamSubscriptions
  readonly tools: LiveShelf<ToolEntry>
  readonly prompts: LiveShelf<Entry>
  readonly resources: LiveShelf<Entry>
  readonly templates: LiveShelf<TemplateEntry>
  readonly skills: UpstreamSkills
  readonly extensions: UpstreamExtensions
  /** What is thought of its definitions. */
  readonly judgement: Judgement
  readonly definitions: CleanDefinitions = new CleanDefinitions()
  readonly uris: UriRules
  readonly sharing: ((key: string) => SessionSharing) | undefined
  /** The logins to the server, where it may ask for one. */
  readonly login: UpstreamLogin | undefined
  readonly #services: UpstreamServices
  /** The way there, if it is not that of the entry. */
  readonly oneUser: boolean
  readonly #fixed: Target | undefined
  readonly #lists: ServerLists
  readonly #shelves: UpstreamShelves
  readonly forwarder: CallForwarder
  readonly #sweep: NodeJS.Timeout | undefined

  constructor(config: UpstreamConfig, services: UpstreamServices) {
    this.config = config
    this.client = services.client
    this.#services = services
    this.uris = services.uris
    this.oneUser = services.oneUser
    this.log = new StderrLog(services.logFile(config.name))
    const kind = kindOf(config.target)
    const { sessions, parkedMs, processId } = services
    this.sharing = kind.bound && sessions ? key => sessions.of(config, key) : undefined
    this.parked = new ParkedCalls({ ttlMs: parkedMs, processId, most: Math.floor(config.limits.inFlight / 2) })
    this.#fixed = services.reach?.(config)
    this.login = this.#fixed ? undefined : upstreamLogin(config, services.logins)
    this.health = new UpstreamHealth(config.name, services.log)
    this.pool = new Pool(config, this)
    this.forwarder = new CallForwarder(this, services.relay)
    this.extensions = new UpstreamExtensions(this)
    this.subscriptions = new UpstreamSubscriptions(
      this.pool,
      line => this.log.line(line),
      () => !this.login?.isPrivate,
    )
    this.#shelves = new UpstreamShelves(this, {
      load: caller => this.#lists.load(caller),
      wake: () => this.#lists.wake(),
      onlyFor: () => this.#lists.onlyFor,
      ownsUnlisted: uri => services.uris.isUnlistedOf(uri, config.name),
    })
    this.tools = this.#shelves.tools
    this.prompts = this.#shelves.prompts
    this.resources = this.#shelves.resources
    this.templates = this.#shelves.templates
    this.judgement = new Judgement(config, services)
    this.skills = new UpstreamSkills(this, services, {
      load: caller => this.#lists.load(caller),
      onlyFor: () => this.#lists.onlyFor,
      changed: () => this.#lists.changed(),
    })
    this.#lists = new ServerLists(this, services.cache, {
      prepare: lists => Promise.all([this.definitions.prepare(lists), this.judgement.prepare(lists)]),
      take: lists => this.#take(lists),
    })
    if (this.#lists.current) this.#take(this.#lists.current)
    if (config.idleMs > 0) {
      const every = Math.min(SWEEP_MS, Math.max(100, config.idleMs / 2))
      this.#sweep = setInterval(() => void this.pool.stopIdle(config.idleMs), every).unref()
    }
  }

  get name(): string {
    return this.config.name
  }

  get runsTasks(): boolean {
    return this.#services.runsTasks
  }

  get instructions(): string | undefined {
    return this.#shelves.instructions(this.#services.instructionsRoom())
  }

  get hasApps(): boolean {
    return this.#shelves.hasApps
  }

  get lists(): Lists | undefined {
    return this.#lists.current
  }

  /** What there is to know of its health. */
  get status(): Readonly<Record<string, unknown>> {
    return statusOf(this)
  }

  /** Ask the server for its lists again, and judge them. */
  refresh(): Promise<void> {
    return this.#lists.refresh()
  }

  /** Judge what is known again, since the other servers changed. */
  judgeAgain(): void {
    if (this.lists) this.#take(this.lists)
  }

  /** Show what is known again, since the names of other servers changed. */
  showAgain(): void {
    if (this.lists) this.#show(this.lists)
  }

  /** Compare names again with those of the other servers, since these changed. */
  compareAgain(): void {
    if (this.lists && this.judgement.compare(this.lists)) this.#show(this.lists)
  }

  /** Why nothing is known of the server, where that is so; `detail` is added to the message. */
  unknown(detail?: string): Error | undefined {
    return this.#lists.unknown(detail)
  }

  heldBack(kind: Held['kind'], name: string): Error | undefined {
    return this.judgement.heldBack(kind, name)
  }

  isTaken(kind: NamedKind, name: string): boolean {
    return this.#services.clash(this.name, kind, name) !== undefined
  }

  leftOut(name: string, definition: Params): string | undefined {
    return this.#services.leftOut?.(name, definition)
  }

  /** Completes arguments of prompts and templates; undefined where the server completes none. */
  get complete(): Handle | undefined {
    return this.lists?.completes === false ? undefined : this.#complete
  }

  /** With a lock nothing is forwarded before what the server lists now was judged. */
  judging(): Promise<void> | undefined {
    if (!this.#services.trust().lock || this.#lists.isSettled) return undefined
    const { settling } = this.#lists
    return settling ? atMost(settling, JUDGE_WITHIN_MS) : atMost(this.refresh(), LOCKED_CALL_WITHIN_MS)
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    this.subscriptions.close()
    this.parked.close()
    await this.pool.close()
  }

  reach(principal: string | undefined): Target {
    const { config, log } = this
    const starting = { guardian: this.#services.guardian, log, authorizer: this.login?.authorizerFor(principal) }
    return this.#fixed ?? kindOf(config.target).reach(config.target, config, starting)
  }

  /** A principal logged in: what the server lists for it is asked for, if nothing is known of that yet. */
  async loggedIn(principal: string): Promise<void> {
    this.login?.loggedIn(principal)
    this.pool.backoff.reset()
    if (!this.lists || !this.#lists.isSettled) await atMost(this.refresh(), LIST_AFTER_LOGIN_MS)
  }

  onOpened(one: PooledRemote): void {
    if (!one.remote.sharesSession) this.subscriptions.opened(one)
    // What belongs to no call comes to the process that began the session: changes need a connection of our own.
    if (this.#services.sessions?.isElsewhere(this.config, one.key)) void this.#openUnshared()
    if (this.pool.size !== 1) return
    this.health.onStarted(one.remote.version)
    // The call that had it started goes first.
    setImmediate(() => this.#lists.started())
  }

  onEnded(one: PooledRemote): void {
    this.subscriptions.ended(one)
  }

  onChange(change: ServerChange): void {
    if ('uri' in change) this.#services.onUpdated(change.uri, this.name)
    else this.#lists.changed()
  }

  /** Earlier changes were not announced. */
  onListening(one: PooledRemote): void {
    const { tools, prompts, resources } = one.remote.capabilities
    const announces = [tools, prompts, resources].some(list => (list as Params | undefined)?.listChanged === true)
    if (announces && this.subscriptions.isListener(one)) this.#lists.changed()
  }

  onNotification(method: string, params: Params, one: PooledRemote): void {
    this.extensions.received(method, params, one)
  }

  onInvalid(what: string): void {
    this.log.ignored(what)
  }

  onSettled(): void {
    this.forwarder.settled()
  }

  reason(): string | undefined {
    return tellingLine(this.log.sinceStart)
  }

  readonly #complete: Handle = call => {
    const { ref } = call.params as { ref?: Params }
    const prompt = this.prompts.entries.find(({ key }) => key === ref?.name) as (Entry & Named) | undefined
    const own = prompt ? { ...ref, name: prompt.original } : ref
    return this.forwarder.forward(call, { params: { ...withoutMeta(call.params), ref: own }, repeatable: true })
  }

  #take(lists: Lists): void {
    if (lists.isCut)
      this.#services.log('warn', 'a server lists more than is taken; the rest is left out', { server: this.name })
    const hasOtherNames = this.judgement.judge(lists)
    for (const problem of lists.skillProblems ?? [])
      this.#services.log('warn', 'a skill of a server cannot be used', { server: this.name, problem })
    this.#show(lists)
    if (hasOtherNames) this.#services.onRenamed(this.name)
    this.#services.onLoaded(this.name)
  }

  #show(lists: Lists): void {
    const hasOtherSkills = this.skills.show(lists)
    this.#shelves.show(lists)
    if (hasOtherSkills) this.#services.onSkillsRenamed(this.name)
  }

  async #openUnshared(): Promise<void> {
    try {
      this.pool.release(await this.pool.acquire(undefined))
    } catch {
      // The next connection tries again.
    }
  }
}
