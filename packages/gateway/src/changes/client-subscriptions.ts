import type { Call, Session } from '@causeway/engine'
import type { Upstream } from '../upstream/upstream.ts'

/** How many want to hear of a resource, and the server that was asked to tell of it. */
interface Watched {
  count: number
  owner: Upstream | undefined
}

/** Which clients subscribed to which resource: each server is subscribed to once, as long as one client is. */
export class ClientSubscriptions {
  readonly #ownersOf: (uri: string) => readonly Upstream[]
  readonly #watched = new Map<string, Watched>()
  readonly #sessions = new WeakMap<Session, Set<string>>()

  constructor(ownersOf: (uri: string) => readonly Upstream[]) {
    this.#ownersOf = ownersOf
  }

  /** A session subscribed, or does not want to any more. */
  subscription({ method, params, link }: Call): void {
    const { session } = link
    const uri = String(params.uri)
    // One that ended meanwhile would never be heard of again.
    if (!session || session.signal.aborted) return
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

  /** Is this server subscribed to for changes of a resource? */
  isWatchedAt(uri: string, server: string): boolean {
    return this.#watched.get(uri)?.owner?.name === server
  }

  /** A server was seen: what is wanted may be its own now. */
  loaded(upstream: Upstream): void {
    for (const [uri, watched] of this.#watched) {
      const owner = this.#ownersOf(uri)[0]
      if (owner === upstream || watched.owner === upstream) this.#give(uri, watched, owner)
    }
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
    const watched = this.#watched.get(uri) ?? { count: 0, owner: undefined }
    watched.count += by
    if (watched.count > 0) {
      this.#watched.set(uri, watched)
      if (watched.count === 1) this.#give(uri, watched, this.#ownersOf(uri)[0])
    } else {
      this.#watched.delete(uri)
      this.#give(uri, watched, undefined)
    }
  }

  /** From now on this server tells of it, and no other. */
  #give(uri: string, watched: Watched, owner: Upstream | undefined): void {
    if (watched.owner !== owner) watched.owner?.subscriptions.want(uri, false)
    watched.owner = owner
    owner?.subscriptions.want(uri, true)
  }
}
