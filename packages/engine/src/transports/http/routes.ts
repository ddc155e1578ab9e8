import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Principal } from '../../auth/principal.ts'
import type { Awaitable } from '../../call.ts'
import type { Exchange } from './exchange.ts'

/** A request to go on in another protocol, from someone who may. */
export interface UpgradeRequest {
  readonly request: IncomingMessage
  readonly socket: Duplex
  /** The first bytes of the other protocol, if some came along. */
  readonly head: Buffer
  readonly principal: Principal | undefined
  readonly address: string
}

/** What takes over connections that ask for WebSocket, where connections can be taken over. */
export interface SocketDoor {
  /** How many are open. */
  readonly size: number
  upgrade(upgrade: UpgradeRequest): Promise<void>
  /** Let what runs finish, or stop waiting once it is late, and close. */
  end(late: Promise<unknown>): Promise<void>
}

/** One entry of the table of routes: what is served at a path. */
export interface Route {
  /** Default: every method. */
  readonly method?: string
  /** The exact path, or a prefix that ends in `/*`. */
  readonly path: string
  /** Served without a token; the origin is checked all the same. */
  readonly public?: boolean
  /** Pages of any origin may read it; only for what is no secret and changes nothing. */
  readonly anyOrigin?: boolean
  /** What a token must allow; where no tokens are asked for, nothing. */
  readonly scopes?: readonly string[]
  handle(exchange: Exchange): Awaitable<void>
  /** Takes over the connection of a request that asks for WebSocket. */
  upgrade?(upgrade: UpgradeRequest): Awaitable<void>
}

/** What is served where. An exact path goes before a prefix, a longer prefix before a shorter one, an earlier entry before a later one. */
export class RouteTable {
  readonly #exact = new Map<string, Route[]>()
  readonly #prefixes: (readonly [string, Route[]])[]

  constructor(routes: readonly Route[]) {
    const prefixes = new Map<string, Route[]>()
    for (const route of routes) {
      const [table, path] = route.path.endsWith('/*') ? [prefixes, route.path.slice(0, -1)] : [this.#exact, route.path]
      table.set(path, [...(table.get(path) ?? []), route])
    }
    this.#prefixes = [...prefixes].sort(([a], [b]) => b.length - a.length)
  }

  /** Is something served at that path, whatever the method? */
  has(path: string): boolean {
    return this.#at(path) !== undefined
  }

  find(method: string, path: string): Route | undefined {
    return this.#at(path)?.find(route => route.method === undefined || route.method === method)
  }

  /** The methods of a path. */
  methods(path: string): readonly string[] {
    return (this.#at(path) ?? []).flatMap(({ method }) => method ?? [])
  }

  #at(path: string): readonly Route[] | undefined {
    return this.#exact.get(path) ?? this.#prefixes.find(([prefix]) => path.startsWith(prefix))?.[1]
  }
}
