import type { Exchange } from '../http/exchange.ts'
import { isLoopback } from '../http/origin-check.ts'

type Asked = Pick<Exchange, 'path' | 'header'>

/** Where the metadata of an endpoint begins (RFC 9728). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource'

const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/

/** The path of the endpoint that a path belongs to; what belongs to none counts as the main one. */
export function endpointOf(path: string): string {
  if (path === '/sse' || path === '/messages') return '/sse'
  return path === '/ws' || path === '/rpc' || path.startsWith('/mcp/') ? path : '/mcp'
}

/** The URLs of endpoints, exactly as clients write them: tokens are for these. */
export class EndpointUrls {
  #base = ''
  #port = ''
  #isLocal = false
  // Nearly every request names the same host and path.
  #lastHost: string | undefined
  #lastBase = ''
  #lastPath: string | undefined
  #lastResourceBase = ''
  #lastResource = ''

  /** `publicUrl` is what clients write before `/mcp`. */
  constructor(publicUrl: string | undefined) {
    if (publicUrl !== undefined) this.#set(publicUrl)
  }

  /** Is it known how clients reach the server? */
  get areKnown(): boolean {
    return this.#base !== ''
  }

  /** The path of the public URL, if it has one. */
  get path(): string {
    return this.#base === '' ? '' : new URL(this.#base).pathname.replace(/\/$/, '')
  }

  /** Where the server listens, which is what clients write if nothing else was named. */
  bound(url: string): void {
    if (!this.areKnown) this.#set(url)
  }

  /** The URL that a request is for. */
  urlOf(asked: Asked): string {
    return this.#baseFor(asked) + asked.path
  }

  /** The URL of the endpoint that a request is for. */
  resourceOf(asked: Asked): string {
    const base = this.#baseFor(asked)
    const { path } = asked
    if (path !== this.#lastPath || base !== this.#lastResourceBase) {
      this.#lastPath = path
      this.#lastResourceBase = base
      this.#lastResource = base + endpointOf(path)
    }
    return this.#lastResource
  }

  /** The URL of the endpoint's metadata. */
  metadataOf(asked: Asked): string {
    return this.#baseFor(asked) + METADATA_PATH + endpointOf(asked.path)
  }

  #set(url: string): void {
    const { hostname, port } = new URL(url)
    this.#base = url.replace(/\/$/, '')
    this.#port = port
    this.#isLocal = isLoopback(hostname)
  }

  /** This machine has several names, but a port is one program's: another port is another server. */
  #baseFor(asked: Asked): string {
    if (!this.#isLocal) return this.#base
    const host = asked.header('host')
    if (host === undefined) return this.#base
    if (host === this.#lastHost) return this.#lastBase
    const named = host.toLowerCase()
    const found = LOCAL_HOST.exec(named)
    const isOurs = found !== null && (found[1] ?? '') === this.#port
    this.#lastHost = host
    this.#lastBase = isOurs
      ? this.#base.replace(/^(https?:\/\/)[^/]+/, (_, scheme: string) => scheme + named)
      : this.#base
    return this.#lastBase
  }
}
