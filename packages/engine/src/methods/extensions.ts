import { after, all } from '../awaitable.ts'
import type { Awaitable, Call, Caller, ClientNotification, Handle, Link, Method, Revision } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Notification, Params } from '../jsonrpc/message.ts'
import type { Log } from '../log/log.ts'
import { declaresExtension, isForRevision } from '../protocol/envelope.ts'
import { notifierOf } from '../protocol/open-call.ts'
import type { ExtensionMethods } from '../protocol/open-call.ts'
import { didYouMean } from '../schema/nearest.ts'
import type { SourceExtensions } from '../catalog/source.ts'
import type { ExtensionNotification } from '../catalog/changes.ts'

/** Methods and notifications beyond the protocol's own, for clients that declare the extension. */
export interface Extension {
  /** A name with its owner's prefix, such as `com.example/previews`. */
  readonly id: string
  /** The era whose clients it is for. Default: both. */
  readonly era?: Revision['era']
  /** Its methods are for clients that do not declare it, too. Default: false. */
  readonly open?: boolean
  /** Is there anything behind it at the moment? What is not offered is not declared. Default: always. */
  readonly offered?: () => boolean
  readonly methods?: readonly Omit<Method, 'extension'>[]
  /** Methods that only revisions have that have the capability themselves: clients of others do not get them by declaring the extension. */
  readonly coreMethods?: readonly Omit<Method, 'extension'>[]
  /** Notifications the server may send, by method. */
  readonly notifications?: readonly string[]
  /** Takes notifications of clients, by method. */
  readonly onNotification?: Readonly<Record<string, (notification: ClientNotification) => Awaitable<void>>>
  /**
   * Members of the filter of `subscriptions/listen`, by name: which of the wanted values are granted. A notification that
   * is sent with `{ filter, value }` reaches only the listeners that were granted it, and the sessions that hold
   * `topicOf(filter, value)` among their subscriptions.
   */
  readonly filters?: Readonly<Record<string, (wanted: unknown, call: Call) => Awaitable<readonly string[]>>>
  /** Declared only to clients that declare it themselves. */
  readonly quiet?: boolean
  /** Declared under `capabilities.extensions`; default: an empty object. */
  readonly capabilities?: Readonly<Record<string, unknown>>
  /** Declared beside `extensions`, in revisions that have such a capability themselves: `{ tasks: … }`. */
  readonly core?: Readonly<Record<string, unknown>>
}

/** Which clients a notification of an extension is for. */
export interface Topic {
  readonly filter: string
  readonly value: string
}

/** A topic as sessions keep it among their subscriptions. */
export const topicOf = ({ filter, value }: Topic): string => `${filter}:${value}`

const ID = /^[A-Za-z][\w.-]*\/[A-Za-z0-9][\w.-]*$/

/** The extensions of a server: its own, which are values, and those of its sources, which come and go. */
export class Extensions implements ExtensionMethods {
  readonly #own = new Map<string, Extension>()
  readonly #methods: Map<string, Method>
  readonly #sources: () => readonly SourceExtensions[]
  readonly #log: Log

  constructor(methods: Map<string, Method>, sources: () => readonly SourceExtensions[], log: Log) {
    this.#methods = methods
    this.#sources = sources
    this.#log = log
  }

  /** One more; one that cannot be added throws with what to change. */
  add(extension: Extension): void {
    check(extension, this.#methods, this.#own)
    for (const method of extension.methods ?? []) this.#methods.set(method.name, { ...method, extension: extension.id })
    for (const method of extension.coreMethods ?? []) this.#methods.set(method.name, method)
    this.#own.set(extension.id, extension)
  }

  /** What a server declares of them to clients of a revision. */
  capabilitiesFor(caller: Pick<Caller, 'revision' | 'view' | 'capabilities'>): Params {
    const { revision, view } = caller
    const isHidden = (id: string): boolean => this.#own.get(id)?.quiet === true && !declaresExtension(caller, id)
    const spoken = [...this.#own.values()].filter(
      one => isForRevision(one, revision) && one.offered?.() !== false && !isHidden(one.id),
    )
    const settings = new Map<string, Params>(spoken.map(({ id, capabilities = {} }) => [id, capabilities]))
    for (const { settings: others } of view ? [] : this.#sources()) {
      for (const [id, own] of Object.entries(others))
        if (!isHidden(id)) settings.set(id, { ...own, ...settings.get(id) })
    }
    const core = [...this.#own.values()].flatMap(({ core = {} }) => Object.entries(core))
    return {
      ...Object.fromEntries(core.filter(([name]) => revision.capabilities.has(name))),
      ...(settings.size > 0 && { extensions: Object.fromEntries(settings) }),
    }
  }

  isFor(extension: string, revision: Revision): boolean {
    return isForRevision(this.#own.get(extension), revision)
  }

  find(name: string, caller: Caller): Method | undefined {
    const known = this.#methods.get(name)
    if (!known) return this.#foreign(name, caller)
    return known.extension !== undefined && this.#isSpoken(known.extension, caller) ? known : undefined
  }

  /** The extension that declares a notification; one that none does throws with the nearest. */
  notification(method: string, params: Params, topic: Topic | undefined): ExtensionNotification {
    const all = [...this.#own.values()]
    const extension = all.find(({ notifications }) => notifications?.includes(method))
    if (extension) return { extensions: [extension.id], method, params, ...(topic && { topic: topicOf(topic) }) }
    const known = all.flatMap(({ notifications = [] }) => notifications)
    const hint = didYouMean(method, known) ?? `There is ${known.join(', ') || 'none'}.`
    throw new TypeError(`No extension declares the notification '${method}'. ${hint}`)
  }

  /** Hand a client's notification to whichever takes it. */
  receive(notification: Notification, link: Link): void {
    const { method, params } = notification
    const takers = [...this.#own.values()].flatMap(({ id, onNotification }) => {
      const take = onNotification && Object.hasOwn(onNotification, method) ? onNotification[method] : undefined
      return take ? [{ id, take }] : []
    })
    const sources = this.#sources()
    if (takers.length === 0 && sources.length === 0) return
    const caller = notifierOf(notification, link)
    if (!caller) return
    const received = { method, params: isObject(params) ? params : {}, caller, link }
    for (const { id, take } of takers) if (this.#takesFrom(id, caller)) this.#run(() => take(received), method)
    for (const { settings, onNotification } of caller.view ? [] : sources) {
      if (onNotification && declaresOne(caller, settings)) this.#run(() => onNotification(received), method)
    }
  }

  /** What of a filter's members extensions grant, by the member's name. */
  granted(wanted: Params, call: Call): Awaitable<Readonly<Record<string, readonly string[]>>> {
    const granted: Awaitable<readonly [string, readonly string[]]>[] = []
    for (const { id, filters = {} } of this.#own.values()) {
      for (const [name, grant] of Object.entries(filters)) {
        if (wanted[name] === undefined) continue
        if (!this.#isSpoken(id, call.caller)) {
          const why = `"${name}" belongs to the extension ${id}, which this request does not declare`
          throw fault('missing-capability', why, { requiredCapabilities: { extensions: { [id]: {} } } })
        }
        granted.push(after(grant(wanted[name], call), values => [name, values] as const))
      }
    }
    return after(all(granted), members => Object.fromEntries(members))
  }

  #isSpoken(id: string, caller: Caller): boolean {
    const isOpen = this.#own.get(id)?.open === true
    return this.isFor(id, caller.revision) && (isOpen || declaresExtension(caller, id))
  }

  /** Where the revision has the capability itself, nothing has to be declared. */
  #takesFrom(id: string, caller: Caller): boolean {
    const core = Object.keys(this.#own.get(id)?.core ?? {})
    return this.#isSpoken(id, caller) || core.some(name => caller.revision.capabilities.has(name))
  }

  /** A method that the server does not know is tried at the sources whose extensions the client declares, one after another. */
  #foreign(name: string, caller: Caller): Method | undefined {
    const sources = caller.view ? [] : this.#sources()
    const handles = sources.flatMap(({ settings, run }) => (run && declaresOne(caller, settings) ? [run] : []))
    return handles.length === 0 ? undefined : { name, run: firstThatKnows(handles), work: true, asks: true }
  }

  #run(take: () => Awaitable<void>, method: string): void {
    const onError = (error: unknown): void =>
      this.#log('error', 'a notification could not be handled', { method, error })
    try {
      const taken = take()
      if (taken instanceof Promise) taken.catch(onError)
    } catch (error) {
      onError(error)
    }
  }
}

const declaresOne = (caller: Caller, settings: SourceExtensions['settings']): boolean =>
  Object.keys(settings).some(id => declaresExtension(caller, id))

/** The result of the first that does not say that there is no such method. */
const firstThatKnows =
  (handles: readonly Handle[]): Handle =>
  async call => {
    let last: unknown
    for (const handle of handles) {
      try {
        return await handle(call)
      } catch (error) {
        if (!isObject(error) || error.kind !== 'method-not-found') throw error
        last = error
      }
    }
    throw last
  }

function check(
  { id, methods = [], coreMethods = [], notifications = [], onNotification = {} }: Extension,
  known: ReadonlyMap<string, Method>,
  extensions: ReadonlyMap<string, Extension>,
): void {
  if (!ID.test(id)) {
    throw new TypeError(
      `Extension '${id.slice(0, 100)}' needs an owner's prefix in its id, such as 'com.example/${id.slice(0, 100) || 'name'}'`,
    )
  }
  if (extensions.has(id)) throw new TypeError(`Extension '${id}' was added already`)
  for (const { name } of [...methods, ...coreMethods]) {
    if (known.has(name)) throw new TypeError(`Extension '${id}': there is a method '${name}' already`)
  }
  for (const name of [...notifications, ...Object.keys(onNotification)]) {
    if (!name.startsWith('notifications/')) {
      throw new TypeError(`Extension '${id}': a notification's name begins with 'notifications/', unlike '${name}'`)
    }
  }
}
