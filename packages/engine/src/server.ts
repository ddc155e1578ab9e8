import type { Awaitable, Call, Handle, Implementation, Link, Policy, Session } from './call.ts'
import { Catalog } from './core/catalog.ts'
import type { Naming } from './core/catalog.ts'
import type { ListKind } from './core/changes.ts'
import { dispatch } from './core/dispatch.ts'
import { follow } from './core/subscriptions.ts'
import type { Telling } from './core/subscriptions.ts'
import type { Feature, Pack } from './define.ts'
import { SPEC_DIALECT } from './dialect.ts'
import type { Dialect } from './dialect.ts'
import { hasSpoken } from './context.ts'
import { Cancelled } from './jsonrpc/cancellation.ts'
import type { Cancellation } from './jsonrpc/cancellation.ts'
import { fault } from './jsonrpc/errors.ts'
import { failure, isObject, isRequest, isResponse, success } from './jsonrpc/message.ts'
import type { Message, Notification, Request, Response, Result } from './jsonrpc/message.ts'
import { lasting } from './lasting.ts'
import type { Log } from './log.ts'
import { compose } from './policies/policy.ts'
import type { ParamHeader } from './protocol/headers.ts'
import { openCall } from './protocol/open-call.ts'
import type { Opening } from './protocol/open-call.ts'
import { offered } from './protocol/revisions.ts'
import { createSeal } from './protocol/request-state.ts'
import type { Seal } from './protocol/request-state.ts'
import { complete } from './protocol/session.ts'
import { bareValue, failed } from './reply.ts'

/** What a server is, and the little that can be chosen about it. */
export interface ServerOptions extends Implementation {
  /** What a model should know before it uses the features. */
  readonly instructions?: string
  readonly dialect?: Dialect
  readonly log?: Log
  /** Which letters tool names may have. */
  readonly names?: Naming
  /** The newest revision offered in a handshake. */
  readonly newest?: string
  /** Kinds to declare although there is nothing of them yet. */
  readonly declare?: readonly ListKind[]
  /** Tell clients when lists change. Default: true. */
  readonly listChanged?: boolean
  /** Let clients subscribe to resources. Default: true. */
  readonly subscribe?: boolean
  /** Offer log messages to clients. Default: true. */
  readonly logging?: boolean
  readonly pageSize?: number
  /** How long clients of the newest revision may keep lists, and whether they may share them. */
  readonly cache?: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' }
  /** Seals what clients carry between rounds; servers that share it can open each other's. Default: random. */
  readonly secret?: string
}

/** A registry and one verb: every transport ends in `handle`, everything that does work starts from it. */
export class Server {
  readonly identity: Implementation
  readonly log: Log
  readonly dialect: Dialect
  /** The newest revision offered in a handshake, where that was chosen. */
  readonly newest: string | undefined
  readonly #catalog: Catalog
  readonly #policies: Policy[] = []
  readonly #packs: Pack[] = []
  readonly #telling: Telling
  readonly #seal: Seal
  readonly #opening: Opening
  readonly #dispatch: Handle
  readonly #encoded = new WeakMap<Result, Map<string, Result>>()
  #run: Handle | undefined

  constructor(options: ServerOptions) {
    const { name, version, title, description, websiteUrl, icons } = options
    const shown = { title, description, websiteUrl, icons }
    this.identity = { name, version, ...Object.fromEntries(Object.entries(shown).filter(([, v]) => v !== undefined)) }
    this.log = guarded(options.log)
    this.newest = options.newest
    this.dialect = options.dialect ?? SPEC_DIALECT
    this.#catalog = new Catalog(options.names ?? 'standard', options.declare ?? [])
    this.#seal = createSeal(options.secret)
    const { tools, kinds } = this.#catalog
    const logging = options.logging ?? true
    this.#opening = { seal: this.#seal, newest: options.newest, logging, isTool: name => tools.has(name) }
    this.#telling = { listChanged: options.listChanged ?? true, subscribe: options.subscribe ?? true, kinds }
    this.#dispatch = dispatch(this.#catalog, {
      identity: this.identity,
      instructions: () => this.#instructions(options.instructions),
      versions: offered(options.newest).map(revision => revision.version),
      logging,
      telling: this.#telling,
      pageSize: options.pageSize ?? 1000,
      cache: options.cache ?? { ttlMs: 0, cacheScope: 'private' },
    })
  }

  /** Stand policies around every call, in the order written, the first outermost. */
  use(...policies: readonly Policy[]): this {
    this.#policies.push(...policies)
    this.#run = undefined
    return this
  }

  /** Offer features, now or while serving. */
  add(...features: readonly Feature[]): this {
    for (const feature of features) this.#catalog.add(feature)
    return this
  }

  /** Stop offering a feature; false if there was none. */
  remove(kind: Feature['kind'], key: string): boolean {
    return this.#catalog.remove(kind, key)
  }

  /** Offer a pack's features, its tools and prompts under a prefix if one is given. */
  mount(pack: Pack, { prefix = '', use = [] }: { prefix?: string; use?: readonly Policy[] } = {}): this {
    this.#packs.push(pack)
    this.use(...(pack.use ?? []))
    return this.add(...pack.features.map(feature => placed(feature, prefix, use)))
  }

  /** The features of one kind, as lists show them. */
  listed(kind: Feature['kind']): readonly Readonly<Record<string, unknown>>[] {
    const { tools, resources, templates, prompts } = this.#catalog
    const shelf = { tool: tools, resource: resources, template: templates, prompt: prompts }[kind]
    return shelf.list().map(({ info }) => info)
  }

  /** The arguments of a tool that are repeated in headers. */
  headersOf(tool: string): readonly ParamHeader[] {
    return this.#catalog.tools.find(tool)?.headers ?? []
  }

  /** Tell whoever subscribed that a resource is not what it was. */
  updated(uri: string): void {
    this.#catalog.changes.resource(uri)
  }

  /** Tell a session what changes, from now to its end: one that made its handshake elsewhere. */
  follow(session: Session): void {
    follow(this.#catalog, session, this.#telling)
  }

  /** Serve one message; the answer, if it has one, is the value returned: at once where nothing has to be waited for. */
  handle(message: Message, link: Link): Awaitable<Response | undefined> {
    if (isRequest(message)) return this.#answer(message, link)
    if (isResponse(message)) link.session?.peer.settle(message)
    else this.#hear(message, link)
    return undefined
  }

  #answer(request: Request, link: Link): Awaitable<Response | undefined> {
    let call: Call | undefined
    try {
      call = openCall(request, link, this.#opening)
      const served = call.caller.revision.serve(call, (this.#run ??= compose(this.#policies, this.#dispatch)))
      if (served instanceof Promise) return this.#wait(served, request, call)
      call.cancellation.finish()
      return this.#told(served, call)
    } catch (error) {
      call?.cancellation.finish()
      return this.#failed(error, request, link, call)
    }
  }

  /** While others are served a call can be cancelled, by the id it came with. */
  async #wait(work: Promise<Result>, request: Request, call: Call): Promise<Response | undefined> {
    const { link, cancellation } = call
    link.calls.add(request.id, cancellation)
    try {
      return await this.#told(await unlessCancelled(work, cancellation), call)
    } catch (error) {
      if (cancellation.reason instanceof Cancelled) return undefined
      return this.#failed(error, request, link, call)
    } finally {
      cancellation.finish()
      link.calls.delete(cancellation)
    }
  }

  #told(result: Result, call: Call): Awaitable<Response> {
    const answer = success(call.id, call.direct ? bareValue(result) : this.#encode(this.#sealed(result, call), call))
    return hasSpoken(call) ? nextTurn(answer) : answer
  }

  /** Whatever was thrown, there is an answer. */
  #failed(error: unknown, request: Request, link: Link, call: Call | undefined): Response {
    try {
      return failed(error, { request, call, link, server: this })
    } catch {
      return failure(request.id, fault('internal', 'Internal error'))
    }
  }

  /** Notifications are never answered, not even with an error. */
  #hear({ method, params }: Notification, link: Link): void {
    const { session } = link
    if (method === 'notifications/initialized') {
      if (session && complete(session)) follow(this.#catalog, session, this.#telling)
    } else if (method === 'notifications/cancelled' && isObject(params)) {
      const { requestId, reason } = params
      const why = typeof reason === 'string' ? reason : 'The client cancelled the request'
      link.calls.cancel(requestId, why)
    }
  }

  /** Questions that go back as the result carry earlier answers with them, sealed. */
  #sealed(result: Result, { answers, method, params, link }: Call): Result {
    if (result.resultType !== 'input_required') return result
    return { ...result, requestState: this.#seal.close(answers, { method, params, principal: link.principal?.name }) }
  }

  /** What a revision makes of a lasting result is kept. */
  #encode(result: Result, call: Call): Result {
    const { revision } = call.caller
    if (!lasting.has(result)) return revision.encode(result, call, this.identity)
    const kept = this.#encoded.get(result) ?? new Map<string, Result>()
    this.#encoded.set(result, kept)
    const encoded = kept.get(revision.version) ?? revision.encode(result, call, this.identity)
    kept.set(revision.version, encoded)
    lasting.add(encoded)
    return encoded
  }

  #instructions(own: string | undefined): string | undefined {
    const all = [own, ...this.#packs.map(pack => pack.instructions)].filter(words => words !== undefined)
    return all.length === 0 ? undefined : all.join('\n\n')
  }
}

/** A log that cannot be written is no reason to fail a request. */
function guarded(log: Log = () => {}): Log {
  return (...line) => {
    try {
      log(...line)
    } catch {
      // There is nowhere left to say so.
    }
  }
}

/** A server, to which features and policies are added. */
export const createServer = (options: ServerOptions): Server => new Server(options)

function placed(feature: Feature, prefix: string, use: readonly Policy[]): Feature {
  if (feature.kind === 'prompt') return { ...feature, name: prefix + feature.name }
  if (feature.kind !== 'tool') return feature
  return { ...feature, name: prefix + feature.name, use: [...use, ...(feature.use ?? [])] }
}

/** Clients deal with messages that arrive together in no certain order, so an answer waits until what precedes it has left. */
const nextTurn = <T>(answer: T): Promise<T> => new Promise(resolve => void setImmediate(resolve, answer))

/** A handler may ignore its signal; whoever waits for it does not have to. */
function unlessCancelled<T>(work: Promise<T>, cancellation: Cancellation): Promise<T> {
  return new Promise((resolve, reject) => {
    cancellation.watch(reason => {
      if (reason instanceof Cancelled) reject(reason)
    })
    work.then(resolve, reject)
  })
}
