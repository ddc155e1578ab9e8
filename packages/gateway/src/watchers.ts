import type { Call, Session } from '@causeway/engine'
import type { Managed } from './managed.ts'

/** Who wants to hear of which resource: each server is subscribed to once, as long as anybody does. */
export class Watchers {
  readonly #ownersOf: (uri: string) => readonly Managed[]
  readonly #counts = new Map<string, number>()
  readonly #sessions = new WeakMap<Session, Set<string>>()

  constructor(ownersOf: (uri: string) => readonly Managed[]) {
    this.#ownersOf = ownersOf
  }

  /** A session subscribed, or does not want to any more. */
  subscription({ method, params, link }: Call): void {
    const { session } = link
    const uri = String(params.uri)
    if (!session) return
    const own = this.#sessions.get(session) ?? this.#follow(session)
    const wants = method === 'resources/subscribe'
    if (wants === own.has(uri)) return
    if (wants) own.add(uri)
    else own.delete(uri)
    this.#count(uri, wants ? 1 : -1)
  }

  /** A request that listens does so until it ends. */
  listen({ params }: Call, ended: Promise<unknown>): void {
    const wanted = params.notifications as { resourceSubscriptions?: unknown } | undefined
    const uris = Array.isArray(wanted?.resourceSubscriptions) ? wanted.resourceSubscriptions.map(String) : []
    for (const uri of new Set(uris)) this.#count(uri, 1)
    const over = (): void => {
      for (const uri of new Set(uris)) this.#count(uri, -1)
    }
    if (uris.length > 0) ended.then(over, over)
  }

  /** A server was seen: what is wanted of it may not have been asked for. */
  loaded(managed: Managed): void {
    for (const uri of this.#counts.keys()) if (this.#ownersOf(uri).includes(managed)) this.#tell(managed, uri, true)
  }

  #follow(session: Session): Set<string> {
    const own = new Set<string>()
    this.#sessions.set(session, own)
    session.signal.addEventListener('abort', () => {
      for (const uri of own) this.#count(uri, -1)
      own.clear()
    })
    return own
  }

  #count(uri: string, by: 1 | -1): void {
    const count = (this.#counts.get(uri) ?? 0) + by
    if (count > 0) this.#counts.set(uri, count)
    else this.#counts.delete(uri)
    const isFirst = by === 1 && count === 1
    if (!isFirst && count > 0) return
    for (const owner of this.#ownersOf(uri).slice(0, 1)) this.#tell(owner, uri, isFirst)
  }

  /** What a server refuses to tell of cannot be told of. */
  #tell({ upstream }: Managed, uri: string, wants: boolean): void {
    const change = async (): Promise<void> => {
      const { subscriptions } = await upstream.pool.acquire(undefined)
      await (wants ? subscriptions.subscribe(uri) : subscriptions.unsubscribe(uri))
    }
    change().catch((error: unknown) =>
      upstream.log.line(`[causeway] ${uri.slice(0, 200)}: ${(error as Error).message}`),
    )
  }
}
