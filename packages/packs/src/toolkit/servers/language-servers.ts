import type { Context } from '@causeway/engine'
import type { Jail } from '../../support/files/jail.ts'
import { turns } from '../../support/threads/turns.ts'
import type { InTurn } from '../../support/threads/turns.ts'
import type { Language } from '../analysis/parse/grammar.ts'
import type { Pool } from '../analysis/pool.ts'
import { Documents } from './documents.ts'
import { KINDS } from './kinds.ts'
import type { ServerKind } from './kinds.ts'
import { locate } from './locate.ts'
import type { Ready } from './locate.ts'
import { ServerFailure, Session } from './session.ts'
import { Watch } from './watch.ts'
import type { Difference } from './watch.ts'

/** What may be chosen about language servers. */
export interface ServerOptions {
  /** Servers that may run what a project names. */
  readonly allow?: readonly string[] | undefined
  /** Where programs are looked for; default: PATH. */
  readonly path?: string | undefined
  /** After how long without a question one is ended. Default: five minutes. */
  readonly idleMs?: number | undefined
  /** Longest that a start and a question may take. Default: 30 and 45 seconds. */
  readonly startMs?: number | undefined
  readonly askMs?: number | undefined
  /** Memory that one may take with all it starts. Default: 4 GB. */
  readonly memoryBytes?: number | undefined
}

/** What servers work in. */
export interface Place {
  readonly jail: Jail
  readonly pool: Pool
  readonly sandbox?: boolean | undefined
}

/** A server at work for one call. */
export interface Desk {
  readonly session: Session
  readonly documents: Documents
  readonly kind: ServerKind
  /** Ask it something, within the time of the call. */
  ask(method: string, params: unknown): Promise<unknown>
  /** Wait until it has said what it thinks of these files. */
  settled(files: readonly { readonly uri: string; readonly version: number }[]): Promise<boolean>
}

/** What was found out with a server, or why there is none. */
export type Served<T> = { readonly made: T; readonly source: string } | { readonly why: string }

interface Running {
  readonly session: Session
  readonly documents: Documents
  readonly watch: Watch
  busy: number
  dropped: boolean
  usedAt: number
  idle: NodeJS.Timeout | undefined
}

const IDLE_MS = 5 * 60_000
const START_MS = 30_000
const ASK_MS = 45_000
const MEMORY_BYTES = 4 * 1024 ** 3
const MOST_RUNNING = 6
// More changes than this are read faster by one that begins anew.
const MOST_CHANGES = 100
// One that failed is not tried again at once: each try costs the caller time.
const REST_MS = 60_000

/** The language servers of a pack: one per root and kind, started when one is asked, ended when none is. */
export class LanguageServers {
  readonly #place: Place
  readonly #options: ServerOptions
  readonly #running = new Map<string, Promise<Running>>()
  readonly #live = new Set<Running>()
  readonly #resting = new Map<string, { readonly why: string; readonly until: number }>()
  readonly #inTurn: InTurn = turns()

  constructor(place: Place, options: ServerOptions) {
    this.#place = place
    this.#options = options
  }

  /** The kind of server for a language. */
  kindOf(language: Language | undefined): ServerKind | undefined {
    return KINDS.find(({ languages }) => language !== undefined && languages.includes(language))
  }

  /** Let a server do something that only reads; what goes wrong on its side is said, and no error. */
  async use<T>(kind: ServerKind, root: string, ctx: Context, work: (desk: Desk) => Promise<T>): Promise<Served<T>> {
    const key = `${kind.name} ${root}`
    const rest = this.#resting.get(key)
    if (rest && rest.until > performance.now()) return { why: rest.why }
    const { startMs = START_MS, askMs = ASK_MS } = this.#options
    ctx.allowTime(startMs + askMs * 2)
    try {
      return await this.#inTurn(key, async () => this.#served(kind, root, ctx, work))
    } catch (error) {
      ctx.signal.throwIfAborted()
      if (!(error instanceof ServerFailure) && !isBadAnswer(error)) throw error
      const why = error.message
      if (!(error instanceof ServerFailure && error.answered))
        this.#resting.set(key, { why, until: performance.now() + REST_MS })
      return { why }
    }
  }

  /** End all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.#live].map(running => this.#drop(running)))
  }

  async #served<T>(kind: ServerKind, root: string, ctx: Context, work: (desk: Desk) => Promise<T>): Promise<Served<T>> {
    const running = await this.#current(kind, root, ctx)
    if (typeof running === 'string') return { why: running }
    const { session, documents } = running
    const ms = this.#options.askMs ?? ASK_MS
    const { signal } = ctx
    try {
      const desk: Desk = {
        session,
        documents,
        kind,
        ask: (method, params) => session.ask(method, params, { signal, ms }),
        settled: files => session.heard.settled(files, { quietMs: kind.settleMs, ms, signal }),
      }
      return { made: await work(desk), source: session.title }
    } finally {
      this.#release(running)
    }
  }

  /** Nobody may end it while it is at work. */
  #release(running: Running): void {
    running.busy -= 1
    running.usedAt = performance.now()
    clearTimeout(running.idle)
    running.idle = setTimeout(() => void this.#drop(running), this.#options.idleMs ?? IDLE_MS).unref()
  }

  /** The server of a root, which knows all files as they are now. */
  async #current(kind: ServerKind, root: string, ctx: Context): Promise<Running | string> {
    const first = await this.#runningFor(kind, root, ctx)
    if (typeof first === 'string') return first
    try {
      const difference = await first.watch.look({ signal: ctx.signal, client: ctx.clientKey })
      if (isSmall(difference)) {
        await inform(first, difference)
        return first
      }
    } catch (error) {
      this.#release(first)
      throw error
    }
    await this.#drop(first)
    return this.#runningFor(kind, root, ctx)
  }

  /** One that runs, or is started; at work from now on. */
  async #runningFor(kind: ServerKind, root: string, ctx: Context): Promise<Running | string> {
    const key = `${kind.name} ${root}`
    const known = await this.#running.get(key)?.catch(() => undefined)
    if (known && !known.dropped && known.session.ended === undefined) return atWork(known)
    const { jail, sandbox } = this.#place
    const { path, allow = [] } = this.#options
    const ready = await locate(kind, root, { jail, path, allowed: allow, sandbox })
    if (typeof ready === 'string') return ready
    if (!(await this.#makeRoom())) return `${MOST_RUNNING} language servers are at work already`
    const starting = this.#start(kind, { root, ready }, ctx)
    this.#running.set(key, starting)
    try {
      const running = await starting
      this.#live.add(running)
      return atWork(running)
    } catch (error) {
      this.#running.delete(key)
      throw error
    }
  }

  async #start(
    kind: ServerKind,
    { root, ready }: { readonly root: string; readonly ready: Ready },
    ctx: Context,
  ): Promise<Running> {
    const { jail, pool } = this.#place
    const { startMs = START_MS, memoryBytes = MEMORY_BYTES } = this.#options
    const watch = new Watch(root, pool)
    await watch.look({ signal: ctx.signal, client: ctx.clientKey })
    const session = await Session.open({ ready, root, startMs, memoryBytes })
    const documents = new Documents({ jail, session, languages: kind.languages })
    return { session, documents, watch, busy: 0, dropped: false, usedAt: performance.now(), idle: undefined }
  }

  async #makeRoom(): Promise<boolean> {
    for (const one of this.#live) if (one.session.ended !== undefined) this.#live.delete(one)
    if (this.#live.size < MOST_RUNNING) return true
    const [oldest] = [...this.#live].filter(({ busy }) => busy === 0).sort((a, b) => a.usedAt - b.usedAt)
    if (oldest) await this.#drop(oldest)
    return oldest !== undefined
  }

  async #drop(running: Running): Promise<void> {
    clearTimeout(running.idle)
    running.dropped = true
    this.#live.delete(running)
    await running.session.close()
  }
}

function atWork(running: Running): Running {
  clearTimeout(running.idle)
  running.busy += 1
  return running
}

const isBadAnswer = (error: unknown): error is Error => error instanceof Error && error.name === 'BadAnswer'

const isSmall = ({ created, changed, deleted, settings }: Difference): boolean =>
  !settings && created.length + changed.length + deleted.length <= MOST_CHANGES

/** Tell a server what changed; it is shown the new texts, so that it need not look itself. */
async function inform({ session, documents }: Running, { created, changed, deleted }: Difference): Promise<void> {
  const { pathToFileURL } = await import('node:url')
  const of = (paths: readonly string[], type: number): object[] =>
    paths.map(path => ({ uri: pathToFileURL(path).href, type }))
  const changes = [...of(created, 1), ...of(changed, 2), ...of(deleted, 3)]
  if (changes.length > 0) session.tell('workspace/didChangeWatchedFiles', { changes })
  for (const path of deleted) documents.close(path)
  await documents.show(new Set([...documents.paths, ...created, ...changed]))
}
