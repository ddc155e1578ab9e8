import { fault } from '@causeway/engine'
import type { Awaitable, Call, Log, Params, Result } from '@causeway/engine'
import { UpstreamSource } from '../source/upstream-source.ts'
import type { Keeper } from '../source/upstream-source.ts'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import type { ListCache } from '../source/list-cache.ts'
import type { Lists } from '../source/fetch-lists.ts'
import { judge } from '../trust/lock/lock-file.ts'
import type { Held, Lock } from '../trust/lock/lock-file.ts'
import { scan, scanBeside } from '../trust/scan-definitions.ts'
import type { Finding, NameIndex } from '../trust/scan-definitions.ts'
import { unavailable } from './backoff.ts'
import { Upstream } from './upstream-calls.ts'
import type { UpstreamShared } from './upstream-calls.ts'
import type { Passing } from './outgoing-request.ts'

/** What is done about changed and suspicious definitions. */
export interface Trust {
  /** What was approved; without one, what a server says first is believed. */
  readonly lock?: Lock | undefined
  /** `hold` what changed, hold all of its server (`strict`), or only say so (`warn`). */
  readonly mode: 'hold' | 'strict' | 'warn'
  readonly scan: 'refuse' | 'warn' | 'off'
}

/** What managed servers share. */
export interface Managing extends UpstreamShared {
  readonly trust: Trust
  readonly cache: ListCache
  /** The tools of all servers. */
  readonly names: NameIndex
  readonly log: Log
  /** Why the operator does not offer a tool, by the name clients would use, if so. */
  leftOut?: ((name: string, definition: Params) => string | undefined) | undefined
  /** Another server's bare name that a tool's would clash with. */
  clash(server: string, tool: string): string | undefined
  loaded(managed: Managed): void
  /** It has other tools than before. */
  renamed(managed: Managed): void
}

// A list waits so long for a server that was never seen before; what comes later is told as a change.
const LIST_WITHIN_MS = 800
const CALL_WITHIN_MS = 5000
const JUDGE_WITHIN_MS = 2000
const STARTING_MS = 1000
// At most so often lists are asked for because their server says that they changed.
const RELIST_MS = 100

/** A server, what it lists, and what is thought of that. */
export class Managed {
  readonly upstream: Upstream
  readonly source: UpstreamSource
  readonly #managing: Managing
  #lists: Lists | undefined
  /** Are the lists of this run, and judged? */
  #fresh = false
  #refreshing: Promise<void> | undefined
  /** Did something change while the lists were asked for, so that they may be old? */
  #isStale = false
  #listedAt = -Infinity
  #askedAt = 0
  #held = new Map<string, Held>()
  /** What is wrong with each tool by itself. */
  #alone = new Map<string, Finding[]>()
  #findings = new Map<string, Finding[]>()

  constructor(config: UpstreamConfig, managing: Managing) {
    this.#managing = managing
    this.upstream = new Upstream(config, managing)
    const keeper: Keeper = {
      forward: (call, passing) => this.#forward(call, passing),
      heldBack: (kind, name) => this.#heldBack(kind, name),
      leftOut: (name, definition) => managing.leftOut?.(name, definition),
      unknown: () => this.unknown(),
      loading: () => this.#loading(LIST_WITHIN_MS),
    }
    this.source = new UpstreamSource(config, keeper)
    const kept = managing.cache.read(config, 'last')
    if (kept) this.#take(kept)
  }

  get config(): UpstreamConfig {
    return this.upstream.config
  }

  get lists(): Lists | undefined {
    return this.#lists
  }

  get held(): readonly Held[] {
    return [...this.#held.values()]
  }

  get findings(): ReadonlyMap<string, readonly Finding[]> {
    return this.#findings
  }

  /** Ask the server for its lists again, and judge them. */
  refresh(): Promise<void> {
    return this.#refresh(() => this.upstream.lists())
  }

  #refresh(fetch: () => Promise<Lists>): Promise<void> {
    if (!this.#refreshing) this.#askedAt = Date.now()
    this.#refreshing ??= fetch()
      .then(lists => {
        this.#managing.cache.write(this.config, 'last', lists)
        this.#fresh = true
        this.#take(lists)
      })
      .finally(() => {
        this.#refreshing = undefined
        this.#listedAt = performance.now()
        if (this.#isStale) this.changed()
      })
    return this.#refreshing
  }

  /** The server says that a list changed, or may have said so unheard. */
  changed(): void {
    this.#isStale = this.#refreshing !== undefined
    if (this.#isStale) return
    // A server that never stops saying so is asked now and then, and costs the others nothing.
    const wait = this.#listedAt + RELIST_MS - performance.now()
    const fetch = (): Promise<Lists> => this.upstream.lists()
    this.#refresh(wait > 0 ? () => pause(wait).then(fetch) : fetch).catch(() => {})
  }

  /** The server runs: what it lists now may be something else than it did when it ran last. */
  started(): void {
    if (!this.#refreshing && this.upstream.pool.any) this.refresh().catch(() => {})
  }

  /** Judge again what is known, since others changed. */
  again(): void {
    if (this.#lists) this.#take(this.#lists)
  }

  close(): Promise<void> {
    return this.upstream.close()
  }

  /** A server that failed before, or has kept others waiting, is waited for by nobody; its lists are told as a change. */
  #loading(withinMs: number): Promise<void> | undefined {
    if (this.#lists) return undefined
    const { backoff } = this.upstream.pool
    if (!this.#refreshing && backoff.retryAfterMs > 0) return undefined
    const work = this.refresh()
    const left = this.#askedAt + withinMs - Date.now()
    if (backoff.failures === 0 && left > 0) return within(work, left)
    work.catch(() => {})
    return undefined
  }

  /** Of a server that never listed anything nobody can say whether it has a tool, only why that is so. */
  unknown(besides?: string): Error | undefined {
    if (this.#lists) return undefined
    const { backoff } = this.upstream.pool
    const name = this.config.name
    if (backoff.why) return unavailable(name, backoff.why.message, backoff.retryAfterMs || STARTING_MS, besides)
    const seconds = Math.round((Date.now() - this.#askedAt) / 1000)
    return unavailable(name, `it has been starting for ${seconds} s`, STARTING_MS, besides)
  }

  #take(lists: Lists): void {
    const { trust, cache, log } = this.#managing
    this.#lists = lists
    this.#held = new Map()
    const name = this.config.name
    if (trust.lock) {
      const before = cache.read(this.config, 'locked')?.tools
      const held = judge(trust.lock[name], lists, before).filter(({ change }) => change !== 'same')
      for (const one of held) this.#held.set(`${one.kind} ${one.name}`, one)
      if (held.length > 0) log('warn', 'a server is not what was approved', { server: name, changes: held })
    }
    this.#scan(lists)
    this.source.show(lists)
    this.#managing.loaded(this)
  }

  /** Look again at what it lists beside what others do, since these changed. */
  compareAgain(): void {
    if (this.#lists && this.#compare(this.#lists)) this.source.show(this.#lists)
  }

  #scan(lists: Lists): void {
    const { trust, names } = this.#managing
    if (trust.scan === 'off') return
    this.#alone = new Map(lists.tools.map(tool => [String(tool.name), scan(tool)]))
    const hasChanged = names.set(this.config.name, [...this.#alone.keys()])
    this.#compare(lists)
    if (hasChanged) this.#managing.renamed(this)
  }

  /** True if something else is found than before. */
  #compare({ tools }: Lists): boolean {
    const { log, names } = this.#managing
    const server = this.config.name
    const found = tools.flatMap(({ name, description }) => {
      const owned = { server, name: String(name), ...(typeof description === 'string' && { description }) }
      const findings = [...(this.#alone.get(owned.name) ?? []), ...scanBeside(owned, names)]
      return findings.length > 0 ? [[owned.name, findings] as const] : []
    })
    const before = this.#findings
    this.#findings = new Map(found)
    const isNew = ([tool, findings]: (typeof found)[number]): boolean =>
      JSON.stringify(before.get(tool)) !== JSON.stringify(findings)
    const fresh = found.filter(isNew)
    for (const [tool, findings] of fresh) log('warn', 'a definition looks wrong', { server, tool, findings })
    return fresh.length > 0 || before.size !== found.length
  }

  #heldBack(kind: Held['kind'], name: string): Error | undefined {
    const { trust } = this.#managing
    const server = this.config.name
    const other = kind === 'tool' ? this.#managing.clash(server, name) : undefined
    if (other !== undefined) {
      return fault(
        'tool-failed',
        `Both '${other}' and '${server}' have '${name}', and neither has a prefix`,
        undefined,
        {
          hint: `Give one of them a "prefix", or rename the tool with "rename".`,
        },
      )
    }
    const [finding] = kind === 'tool' && trust.scan === 'refuse' ? (this.#findings.get(name) ?? []) : []
    if (finding) {
      return fault('tool-failed', `'${name}' of '${server}' is refused: its ${finding.where} ${finding.why}`)
    }
    return trust.mode === 'warn' ? undefined : this.#unapproved(kind, name)
  }

  #unapproved(kind: Held['kind'], name: string): Error | undefined {
    const whole = this.#held.get('server ')
    const strict = this.#managing.trust.mode === 'strict' && this.#held.size > 0 ? this.held[0] : undefined
    const held = this.#held.get(`${kind} ${name}`) ?? (whole?.change === 'new' ? whole : undefined) ?? strict
    if (!held || held.change === 'gone') return undefined
    const words = `'${name}' of '${this.config.name}' is held back, since it is not what was approved (${held.change}: ${held.details.join(', ')})`
    return fault(
      'tool-failed',
      words,
      { change: held.change, details: held.details },
      {
        hint: `Look at it with: causeway lock diff. Then: causeway lock approve ${this.config.name} ${kind === 'tool' ? name : ''}`.trimEnd(),
      },
    )
  }

  /** With a lock nothing is passed on before what the server lists now was judged. */
  #forward(call: Call, passing: Passing): Awaitable<Result> {
    const { trust } = this.#managing
    if (!trust.lock || (this.#fresh && !this.#refreshing)) return this.upstream.forward(call, passing)
    const judged = this.#fresh ? within(this.#refreshing ?? Promise.resolve(), JUDGE_WITHIN_MS) : this.refresh()
    return within(judged, this.#fresh ? JUDGE_WITHIN_MS : CALL_WITHIN_MS * 6).then(() => {
      const tool = call.method === 'tools/call' ? String(passing.params.name) : undefined
      const held = tool === undefined ? undefined : this.#heldBack('tool', tool)
      if (held) throw held
      return this.upstream.forward(call, passing)
    })
  }
}

const pause = (ms: number): Promise<void> => new Promise(resolve => void setTimeout(resolve, ms).unref())

/** Resolves with it, or when it takes too long; how it failed is told elsewhere. */
function within(work: Promise<void>, ms: number): Promise<void> {
  return new Promise(resolve => {
    const late = setTimeout(resolve, ms)
    const done = (): void => (clearTimeout(late), resolve())
    work.then(done, done)
  })
}
