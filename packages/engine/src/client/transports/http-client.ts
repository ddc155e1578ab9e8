/** One HTTP request. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH' | 'HEAD' | 'OPTIONS'
  readonly url: URL
  readonly headers: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** Headers of a response, by their lower-case names. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Gets the response to one request. */
export interface ResponseHandler {
  onStart(status: number, headers: ResponseHeaders): void
  /** A piece of the body, and its size in bytes. */
  onText(text: string, bytes: number): void
  /** Gets the pieces in the place of `onText`, as they are. */
  onBytes?(bytes: Uint8Array): void
  onEnd(): void
  /** The request waits for credentials, or no longer: meanwhile the server's time does not run. */
  onHold?(isHeld: boolean): void
  /** `sent` is false where the request certainly never reached the server. */
  onError(error: Error, sent: boolean): void
}

/** A request that can be given up; its handler gets nothing more. */
export interface HttpExchange {
  abort(): void
}

/** Sends requests: with undici in Node, with `fetch` in a browser. */
export interface HttpClient {
  /** Load what it takes; nothing can be sent before. */
  load(): Promise<void>
  send(request: HttpRequest, handler: ResponseHandler): HttpExchange
  close(): Promise<void>
}

const MOST_REDIRECTS = 3

/** Decides which redirects are followed. */
export interface RedirectGuard {
  /** Names of headers that are meant for one origin only, such as that of a token. */
  ownHeaders(): readonly string[]
  /** Is asked before anything is sent to another address; throws to refuse. Gets the request that was redirected. */
  readonly allow?: ((url: URL, request: HttpRequest) => void) | undefined
}

/** The request to send instead where a response redirects; undefined where it does not. Throws for one that is not followed. */
export function redirected(
  request: HttpRequest,
  { status, location, redirects }: { status: number; location: unknown; redirects: number },
  { ownHeaders, allow }: RedirectGuard,
): HttpRequest | undefined {
  if ((status !== 307 && status !== 308) || typeof location !== 'string' || redirects >= MOST_REDIRECTS)
    return undefined
  const url = new URL(location, request.url)
  allow?.(url, request)
  if (url.origin === request.url.origin) return { ...request, url }
  const own = new Set(['mcp-session-id', ...ownHeaders().map(name => name.toLowerCase())])
  const headers = Object.entries(request.headers).filter(([name]) => !own.has(name.toLowerCase()))
  return { ...request, url, headers: Object.fromEntries(headers) }
}
