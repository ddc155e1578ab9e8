import { after, nextTurn } from './awaitable.ts'
import type { Awaitable, Call, Caller, Handle, Implementation, Link, Method, Policy, Session } from './call.ts'
import { appsExtension } from './methods/apps.ts'
import { cacheable } from './methods/cacheable.ts'
import { Catalog } from './catalog/catalog.ts'
import type { Mount } from './catalog/catalog.ts'
import type { ListKind } from './catalog/changes.ts'
import { coreMethods, dispatch } from './methods/dispatch.ts'
import { Extensions } from './methods/extensions.ts'
import type { Extension, Topic } from './methods/extensions.ts'
import { infoFor } from './catalog/plain-lists.ts'
import type { Info } from './catalog/shelf.ts'
import { isMountable } from './catalog/source.ts'
import type { MountOptions, Source } from './catalog/source.ts'
import { ChangeFeed } from './catalog/change-feed.ts'
import { follow, missedBy } from './methods/subscriptions.ts'
import type { ChangeOptions, SharedChanges } from './methods/subscriptions.ts'
import type { Feature, Pack } from './define/define.ts'
import { SPEC_DIALECT } from './errors/dialect.ts'
import type { Dialect } from './errors/dialect.ts'
import { unlessCancelled } from './jsonrpc/cancellation.ts'
import { fault } from './jsonrpc/errors.ts'
import { failure, isObject, isRequest, isResponse, success } from './jsonrpc/message.ts'
import type { Message, Notification, Params, Request, Response, Result } from './jsonrpc/message.ts'
import { installListing } from './listing/install-listing.ts'
import { guardedLog } from './log/log.ts'
import type { Log } from './log/log.ts'
import { compose } from './policies/policy.ts'
import { openCall } from './protocol/open-call.ts'
import type { CallEnvironment } from './protocol/open-call.ts'
import { LOCAL_CALLER, SEES_ALL } from './methods/own-callers.ts'
import { offered } from './protocol/revisions.ts'
import { createSeal } from './protocol/request-state.ts'
import { SharedKeys } from './protocol/seal-keys.ts'
import type { Seal } from './protocol/request-state.ts'
import { completeHandshake } from './protocol/session.ts'
import { bareValue, failed } from './errors/error-response.ts'
import { identityOf } from './server-options.ts'
import type { ServerOptions } from './server-options.ts'
import { skillsExtension } from './skills/skills-extension.ts'
import type { Rights } from './rights/grant.ts'
import { withRights } from './rights/with-rights.ts'
import type { Logs, Presence, Values } from './stores/store.ts'

const TOO_LONG_A_LIST = 'search takes over: the list would cost more tokens than the threshold'

/** A registry and one verb: every transport ends in `handle`, everything that does work starts from it. */
export class Server {
  readonly identity: Implementation
  readonly log: Log
  readonly dialect: Dialect
  /** Are batches understood in every revision that has a handshake? */
  readonly batches: boolean
  readonly #catalog: Catalog
  readonly #policies: Policy[] = []
  readonly #methods = new Map<string, Method>()
  readonly #extensions: Extensions
  readonly #changeOptions: ChangeOptions
  /** Offered from the first source of skills on. */
  readonly #skills: Extension
  readonly #seal: Seal
  readonly #environment: CallEnvironment
  readonly #rights: Rights | undefined
  readonly #encoded = new WeakMap<Result, Map<string, Result>>()
  #run: Handle | undefined
  #feed: ChangeFeed | undefined

  constructor(options: ServerOptions) {
    const { logging = true, newest, listChanged = true, subscribe = true } = options
    this.identity = identityOf(options)
    this.log = guardedLog(options.log)
    this.dialect = options.dialect ?? SPEC_DIALECT
    this.batches = options.batches === true
    this.#catalog = new Catalog({
      naming: options.names ?? 'standard',
      repair: options.repair !== false,
      declared: options.declare ?? [],
      onFailure: (source, error) => this.log('error', 'a source could not be listed', { source, error }),
    })
    const { choose } = installListing(options.listing, {
      catalog: this.#catalog,
      policies: this.#policies,
      listChanged,
      repair: options.repair !== false,
      onTakeOver: (tools, threshold) => this.log('info', TOO_LONG_A_LIST, { tools, threshold }),
    })
    this.#seal = createSeal(options.secret)
    this.#extensions = new Extensions(this.#methods, () => this.#catalog.extensions, this.log)
    this.#extensions.add(appsExtension(() => this.#catalog.hasApps))
    this.#environment = { seal: this.#seal, newest, logging, methods: this.#methods, extensions: this.#extensions }
    this.#rights = options.rights
    const { pageSize = 1000, cache = { ttlMs: 0, cacheScope: 'private' } } = options
    this.#skills = skillsExtension(this.#catalog, { size: pageSize, cache })
    this.#changeOptions = { rights: options.rights, listChanged, subscribe, kinds: this.#catalog.kinds }
    const methods = coreMethods(this.#catalog, {
      identity: this.identity,
      instructions: ({ view }) => (view ? view.instructions : this.#instructions(options.instructions)),
      versions: offered(newest).map(revision => revision.version),
      logging,
      completions: options.completions !== false,
      brief: options.brief === true,
      changes: this.#changeOptions,
      extensions: this.#extensions,
      pageSize,
      chooseTools: choose,
      cache,
    })
    for (const method of methods) this.#methods.set(method.name, method)
  }

  /** Put policies around every call, in the order written, the first outermost. */
  use(...policies: readonly Policy[]): this {
    this.#policies.push(...policies)
    this.#run = undefined
    return this
  }

  /** Put a policy around all others, search included, so that they see the call as this one passes it on. */
  useOutermost(policy: Policy): this {
    this.#policies.unshift(policy)
    this.#run = undefined
    return this
  }

  /** Offer features, packs of them or live sources, now or while serving, under their own names. */
  add(...added: readonly (Feature | Pack | Source)[]): this {
    for (const one of added)
      if (isMountable(one)) this.mount(one)
      else this.#catalog.add(one)
    return this
  }

  /** Stop offering a feature that was added or came with a pack; false if there was none. */
  remove(kind: Feature['kind'], key: string): boolean {
    return this.#catalog.remove(kind, key)
  }

  /**
   * Offer what a pack or a live source has until it is unmounted, with policies or a prefix if wanted. The prefix stands
   * before names of tools and prompts, not before URIs: where two mounts have the same URI, the first one answers.
   */
  mount(mounted: Pack | Source, options: MountOptions = {}): Mount {
    if ('skills' in mounted && mounted.skills && !this.#methods.has('skills/list')) this.extend(this.#skills)
    return this.#catalog.mount(mounted, options)
  }

  /** Offer the methods and notifications of an extension, to clients that declare it. */
  extend(extension: Extension): this {
    this.#extensions.add(extension)
    return this
  }

  /** The features of one kind, as lists show them: to a caller, or to this program itself. */
  listed(kind: Feature['kind'], caller: Caller = LOCAL_CALLER): Promise<readonly Info[]> {
    return this.#catalog.listed(kind, caller)
  }

  /** The input schema of a tool that was added or came with a pack, by any of its names. */
  inputSchemaOf(tool: string): Info | undefined {
    const entry = this.#catalog.ownTool(tool)
    return entry?.schema ?? (entry?.info.inputSchema as Info | undefined)
  }

  /** A tool as it is listed, of whatever source, by any of its names. */
  definitionOf(tool: string, caller: Caller = LOCAL_CALLER): Awaitable<Info | undefined> {
    return after(this.#catalog.tools.find(tool, caller), entry => entry && infoFor(entry, caller))
  }

  /** Is it a tool of that name, added or of a pack, that streams bytes? */
  streams(tool: string): boolean {
    return this.#catalog.ownTool(tool)?.stream !== undefined
  }

  /** Notify listeners that a list changed although no feature was added or removed: a view changed. */
  changed(kind: ListKind): void {
    this.#catalog.changes.list(kind)
  }

  /** Notify subscribers that a resource changed. */
  updated(uri: string): void {
    this.#catalog.changes.resource(uri)
  }

  /** Send a notification of an extension to every client that declared it and listens, or has a session; of a topic, to those who asked for it. */
  notify(method: string, params: Params = {}, topic?: Topic): void {
    this.#catalog.changes.notify(this.#extensions.notification(method, params, topic))
  }

  /** Share changes, and the keys that seal what clients carry, with every server on that store, if others use it too. */
  share(store: Logs & Presence & Values): void {
    if (this.#feed || store.processId === '') return
    this.#feed = new ChangeFeed(this.#catalog.changes, store, kind => this.#catalog.contentOf(kind, SEES_ALL))
    this.#seal.share(new SharedKeys(store, this.log))
  }

  /** The changes of all processes, as notifications for sessions: the last number, and what came after one. */
  readonly sharedChanges: SharedChanges = {
    position: () => this.#feed?.position ?? 0,
    since: (number, session) => (this.#feed ? missedBy(session, number, this.#feed, this.#changeOptions) : []),
  }

  /** Tell a session what changes, from now to its end: one that made its handshake elsewhere. */
  follow(session: Session): void {
    follow(this.#catalog, session, this.#changeOptions)
  }

  /** Serve one message; the answer, if it has one, is the value returned: at once where nothing has to be waited for. */
  handle(message: Message, link: Link): Awaitable<Response | undefined> {
    if (isRequest(message)) {
      // Another process may have sealed it, under a key that is not known here yet.
      const waiting = message.params?.requestState === undefined ? undefined : this.#seal.prepare(message.params)
      return waiting ? waiting.then(() => this.#serve(message, link)) : this.#serve(message, link)
    }
    if (isResponse(message)) link.session?.peer.settle(message)
    else this.#onNotification(message, link)
    return undefined
  }

  #serve(request: Request, link: Link): Awaitable<Response | undefined> {
    let call: Call | undefined
    try {
      call = openCall(request, link, this.#environment)
      if (this.#rights) call = withRights(call, this.#rights)
      const served = call.caller.revision.serve(call, (this.#run ??= compose(this.#policies, dispatch)))
      if (served instanceof Promise) return this.#wait(served, request, call)
      call.cancellation.finish()
      return this.#toResponse(served, call)
    } catch (error) {
      call?.cancellation.finish()
      return this.#failed(error, request, link, call)
    }
  }

  /** While others are served a call can be cancelled, by the id it came with: then there is no answer. */
  #wait(work: Promise<Result>, request: Request, call: Call): Promise<Response | undefined> {
    const { link, cancellation } = call
    link.calls.add(request.id, cancellation)
    return unlessCancelled(work, cancellation, {
      onResult: result => this.#toResponse(result, call),
      onError: error => this.#failed(error, request, link, call),
      onEnd: () => link.calls.delete(cancellation),
    })
  }

  #toResponse(result: Result, call: Call): Awaitable<Response> {
    const answer = success(call.id, call.direct ? bareValue(result) : this.#encode(this.#sealed(result, call), call))
    return call.cancellation.hasSent ? nextTurn(answer) : answer
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
  #onNotification(notification: Notification, link: Link): void {
    const { method, params } = notification
    const { session } = link
    if (method === 'notifications/initialized') {
      if (session && completeHandshake(session)) follow(this.#catalog, session, this.#changeOptions)
    } else if (method === 'notifications/cancelled' && isObject(params)) {
      link.calls.cancelNamed(params)
    } else {
      this.#extensions.receive(notification, link)
    }
  }

  /** Questions that go back as the result carry, sealed, what the call needs to be run again. */
  #sealed(result: Result, { answers, descriptor, method, params, link }: Call): Result {
    if (!descriptor.asks || result.resultType !== 'input_required') return result
    const { requestState: carried } = result
    // A result with a state of its own keeps earlier answers there.
    const state = carried === undefined ? { answers } : { answers: {}, carried }
    return { ...result, requestState: this.#seal.close(state, { method, params, principal: link.principal?.name }) }
  }

  /** What a revision makes of a cacheable result is kept. */
  #encode(result: Result, call: Call): Result {
    const { revision } = call.caller
    if (!cacheable.has(result)) return revision.encode(result, call, this.identity)
    const kept = this.#encoded.get(result) ?? new Map<string, Result>()
    this.#encoded.set(result, kept)
    const encoded = kept.get(revision.version) ?? revision.encode(result, call, this.identity)
    kept.set(revision.version, encoded)
    cacheable.add(encoded)
    return encoded
  }

  #instructions(own: string | undefined): string | undefined {
    const all = [...(own === undefined ? [] : [own]), ...this.#catalog.instructions]
    return all.length === 0 ? undefined : all.join('\n\n')
  }
}

/** A server, to which features and policies are added. */
export const createServer = (options: ServerOptions): Server => new Server(options)
