import { after } from '../awaitable.ts'
import type { Awaitable, Call, Caller, Handle, Session } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject, notification } from '../jsonrpc/message.ts'
import type { Notification, Params, Result } from '../jsonrpc/message.ts'
import { declaresExtension } from '../protocol/envelope.ts'
import { META } from '../protocol/keys.ts'
import { MOST_SUBSCRIPTIONS, checkUri, tooMany } from '../protocol/subscriptions.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ChangeFeed } from '../catalog/change-feed.ts'
import type { Change, ExtensionNotification, ListKind } from '../catalog/changes.ts'
import { topicOf } from './extensions.ts'
import type { Extensions } from './extensions.ts'
import type { Rights } from '../rights/grant.ts'
import { isKnown, notFound, uriOf } from './resources.ts'

/** Which changes a server reports to its clients. */
export interface ChangeOptions {
  readonly listChanged: boolean
  readonly subscribe: boolean
  readonly kinds: ReadonlySet<ListKind>
  /** Who may hear of a resource, if that is restricted. */
  readonly rights?: Rights | undefined
}

/** Tell a session of the stateful era, from its handshake to its end, what changes. */
export function follow({ changes }: Catalog, session: Session, options: ChangeOptions): void {
  // What was not declared in the handshake is not told of.
  const declared = new Set(options.listChanged ? options.kinds : [])
  const stop = changes.listen((change, number) => {
    const message = notificationFor(change, session, { declared, rights: options.rights })
    if (message) session.send(message, number)
  })
  session.signal.addEventListener('abort', stop, { once: true })
}

/** What a session may hear of. */
interface Heard {
  readonly declared: ReadonlySet<ListKind>
  readonly rights: Rights | undefined
}

/** The notification of a change for a session, if any. */
export function notificationFor(
  change: Change,
  session: Session,
  { declared, rights }: Heard,
): Notification | undefined {
  if ('extensions' in change)
    return isForSession(change, session) ? notification(change.method, change.params) : undefined
  if ('uri' in change)
    return session.subscriptions.has(change.uri) && mayHear(rights, session.caller, change.uri)
      ? updated(change.uri)
      : undefined
  return declared.has(change.list) ? notification(`notifications/${change.list}/list_changed`) : undefined
}

/** One about a topic is for the sessions that hold it, whatever they declared: that was decided when it was put there. */
const isForSession = (
  { extensions, topic, session }: ExtensionNotification,
  { id: own, caller, subscriptions }: Session,
): boolean =>
  topic === undefined
    ? (session ?? own) === own && caller !== undefined && extensions.some(id => declaresExtension(caller, id))
    : subscriptions.has(topic)

/** A message, as JSON, and the number of the change it tells of. */
export interface NumberedMessage {
  readonly number: number
  readonly text: string
}

/** The changes of all processes, as notifications for sessions. */
export interface SharedChanges {
  /** The number of the last change heard of in this process. */
  position(): number
  /** The notifications for a session of the changes after a number. */
  since(number: number, session: Session): Awaitable<readonly NumberedMessage[]>
}

/** The notifications for a session of what changed after a number: each thing once. */
export function missedBy(
  session: Session,
  number: number,
  feed: ChangeFeed,
  { listChanged, kinds, rights }: ChangeOptions,
): Awaitable<readonly NumberedMessage[]> {
  if (number >= feed.position) return []
  const declared = new Set(listChanged ? kinds : [])
  return after(feed.since(number), changes => {
    const found = new Map<string, NumberedMessage>()
    for (const { number: of, change } of changes) {
      const message = notificationFor(change, session, { declared, rights })
      if (!message) continue
      const text = JSON.stringify(message)
      found.delete(text)
      found.set(text, { number: of, text })
    }
    return [...found.values()]
  })
}

const updated = (uri: string, _meta?: Params): Notification =>
  notification('notifications/resources/updated', { uri, ...(_meta && { _meta }) })

/** The method `resources/subscribe`. */
export const subscribe =
  (catalog: Catalog): Handle =>
  call => {
    const uri = uriOf(call)
    return after(isKnown(catalog, uri, call.caller), known => {
      if (!known) throw notFound(uri)
      sessionOf(call).subscriptions.add(uri)
      return {}
    })
  }

/** The method `resources/unsubscribe`. */
export const unsubscribe = (): Handle => call => {
  sessionOf(call).subscriptions.delete(uriOf(call))
  return {}
}

function sessionOf({ link }: Call): Session {
  if (link.session) return link.session
  throw fault('invalid-request', 'Subscriptions need a session, and this connection has none')
}

interface Filter {
  readonly lists: ReadonlySet<ListKind>
  readonly uris: ReadonlySet<string>
  /** What extensions granted, by the name of the filter's member. */
  readonly granted: Readonly<Record<string, readonly string[]>>
  readonly topics: ReadonlySet<string>
  readonly caller: Caller
}

/** The method `subscriptions/listen`: runs until the client cancels it or the connection ends. */
export const listen =
  (catalog: Catalog, options: ChangeOptions, extensions: Extensions): Handle =>
  call =>
    after(filterOf(call, options, extensions), filter => serve(call, filter, { catalog, rights: options.rights }))

/** Tell a listener what its filter has, from now to the end of its connection. */
function serve(
  call: Call,
  filter: Filter,
  { catalog, rights }: { readonly catalog: Catalog; readonly rights: Rights | undefined },
): Awaitable<Result> {
  const _meta = { [META.subscriptionId]: call.id }
  const { link, cancellation } = call
  const ends = [link.signal, cancellation.signal]
  const leave = link.calls.listen()
  const begin = (): (() => void) => {
    link.send(notification('notifications/subscriptions/acknowledged', { notifications: honoured(filter), _meta }))
    return catalog.changes.listen(change => {
      if (matches(filter, change, rights)) link.send(toNotification(change, _meta))
    })
  }
  // Not before nothing is missed any more, whichever process it happens in.
  return after(catalog.changes.isFollowed, () => {
    const stop = begin()
    return new Promise<Result>(resolve => {
      const end = (): void => {
        for (const signal of ends) signal.removeEventListener('abort', end)
        stop()
        leave()
        resolve({ _meta })
      }
      for (const signal of ends) signal.addEventListener('abort', end)
      if (ends.some(({ aborted }) => aborted)) end()
    })
  })
}

const LISTS: readonly (readonly [string, ListKind])[] = [
  ['toolsListChanged', 'tools'],
  ['promptsListChanged', 'prompts'],
  ['resourcesListChanged', 'resources'],
]

function filterOf(
  call: Call,
  { kinds, listChanged, subscribe }: ChangeOptions,
  extensions: Extensions,
): Awaitable<Filter> {
  const { params, caller } = call
  const wanted = params.notifications
  if (!isObject(wanted)) throw fault('invalid-params', 'Invalid params: "notifications" must say what to listen for')
  const { resourceSubscriptions: uris } = wanted
  if (uris !== undefined && !(Array.isArray(uris) && uris.every(uri => typeof uri === 'string'))) {
    throw fault('invalid-params', 'Invalid params: "resourceSubscriptions" must be an array of URIs')
  }
  for (const uri of uris ?? []) checkUri(uri)
  if (uris && uris.length > MOST_SUBSCRIPTIONS) throw tooMany()
  const lists = LISTS.filter(([key, kind]) => wanted[key] === true && listChanged && kinds.has(kind))
  const own = {
    caller,
    lists: new Set(lists.map(([, kind]) => kind)),
    uris: new Set<string>(subscribe && kinds.has('resources') ? uris?.filter(uri => isPart(uri, caller)) : []),
  }
  return after(extensions.granted(wanted, call), granted => {
    const topics = Object.entries(granted).flatMap(([filter, values]) =>
      values.map(value => topicOf({ filter, value })),
    )
    return { ...own, granted, topics: new Set(topics) }
  })
}

/** Clients of a view are notified only of its parts. */
const isPart = (uri: string, { view, rights }: Caller): boolean =>
  (!view || view.offers('resources', uri)) && (!rights || rights.offers('resources', uri))

/** Asked for every change, since rights may have changed after the subscription. */
const mayHear = (rights: Rights | undefined, caller: Caller | undefined, uri: string): boolean =>
  rights?.of(caller?.principal)?.offers('resources', uri) ?? true

function honoured({ lists, uris, granted }: Filter): Params {
  const shown = LISTS.filter(([, kind]) => lists.has(kind)).map(([key]) => [key, true] as const)
  return { ...Object.fromEntries(shown), ...(uris.size > 0 && { resourceSubscriptions: [...uris] }), ...granted }
}

function matches({ lists, uris, topics, caller }: Filter, change: Change, rights: Rights | undefined): boolean {
  if ('extensions' in change) {
    if (change.session !== undefined || (change.topic !== undefined && !topics.has(change.topic))) return false
    return change.extensions.some(id => declaresExtension(caller, id))
  }
  if ('uri' in change) return uris.has(change.uri) && mayHear(rights, caller, change.uri)
  return lists.has(change.list)
}

function toNotification(change: Change, _meta: Params): Notification {
  if ('extensions' in change) {
    const { method, params } = change
    return notification(method, { ...params, _meta: { ...(isObject(params._meta) && params._meta), ..._meta } })
  }
  if ('uri' in change) return updated(change.uri, _meta)
  return notification(`notifications/${change.list}/list_changed`, { _meta })
}
