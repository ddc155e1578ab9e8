import type { HttpRequest, ResponseHandler, ResponseHeaders } from '../client/transports/http-client.ts'
import { UndiciClient } from '../client/transports/undici-client.ts'
import { parseJson } from '../jsonrpc/message.ts'
import { checkUrl, guardFor, guardForRelated, isPrivateHost } from '../outbound/ssrf-guard.ts'
import type { Guard } from '../outbound/ssrf-guard.ts'

/** One request whose answer is JSON. */
export interface JsonRequest {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** A form (`URLSearchParams`) or a value to send as JSON; the request is a POST then. */
  readonly body?: URLSearchParams | Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal | undefined
}

/** The answer to such a request. */
export interface JsonResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  /** The parsed body; undefined where it is not JSON. */
  readonly body: unknown
}

/** Sends a request and reads its JSON answer, whatever its status. Rejects with an OAuthError if there is none. */
export type FetchJson = (request: JsonRequest) => Promise<JsonResponse>

/** How much an answer may cost. */
export interface FetchJsonLimits {
  /** The largest body. Default: 256 kB. */
  readonly maxBytes?: number | undefined
  /** How long an exchange may take, redirects and body included. Default: 10 s. */
  readonly timeoutMs?: number | undefined
  /** Only the server itself may be in a private network, not what it names or redirects to. Default: false. */
  readonly ownHostOnly?: boolean | undefined
}

/** What went wrong with an authorization server, without any token, code or secret. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  /** The error code of the server (RFC 6749, such as `invalid_grant`), or one of ours, such as `unreachable`. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

const MOST_BYTES = 256 * 1024
const WITHIN_MS = 10_000
const MOST_REDIRECTS = 3
const FORM = 'application/x-www-form-urlencoded'
const LOOPBACK = /^(?:localhost|(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** The text of a URL without what may be secret. */
export const shownUrl = (url: string | URL): string => {
  const { origin, pathname } = new URL(url)
  return (origin + pathname).slice(0, 200)
}

/** The URL, if tokens and codes may be sent there: https, or http on this machine. Throws for any other. */
export function secureUrl(value: unknown, what: string): URL {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (!url) throw new OAuthError('invalid_url', `${what} is not a URL`)
  if (url.username !== '' || url.password !== '') throw new OAuthError('invalid_url', `${what} contains a password`)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname))) return url
  throw new OAuthError('insecure_url', `${what} has to begin with https:// (http:// is allowed on this machine only)`)
}

/**
 * Requests on behalf of a server: bounded in bytes and time, to https or this machine only. They reach private networks
 * only if `server` is in one, and `isTrusted` says that its operator named it. A GET may be redirected under the same
 * rules; a POST, which carries codes and secrets, never is.
 */
export function fetchJsonFor(server: URL, isTrusted: boolean, limits: FetchJsonLimits = {}): FetchJson {
  let guarded: Promise<Guarded> | undefined
  return async request => {
    const { client, guard } = await (guarded ??= guardedClient(server, isTrusted, limits))
    const url = secureUrl(request.url, 'The address')
    guard.allow(url)
    return exchange(client, { ...outgoing(request), url }, { ...limits, signal: request.signal, guard })
  }
}

interface Guarded {
  readonly client: UndiciClient
  readonly guard: Guard
}

async function guardedClient(server: URL, isTrusted: boolean, { ownHostOnly }: FetchJsonLimits): Promise<Guarded> {
  const guard = ownHostOnly ? guardFor(server, isTrusted) : await guardForRelated(server, isTrusted)
  const allow = (url: URL, from: HttpRequest): void => allowRedirect(url, from, guard)
  const client = new UndiciClient({ ownHeaders: () => ['authorization', 'dpop'], lookup: guard.lookup, allow })
  await client.load()
  return { client, guard }
}

function allowRedirect(url: URL, from: HttpRequest, guard: Guard): void {
  if (from.method !== 'GET')
    throw new OAuthError('redirected', 'The server redirects a POST request, which is not followed')
  secureUrl(url.href, 'The address that the server redirects to')
  // A public host has no business in a private network, even if this server is in one.
  if (!isPrivateHost(from.url.hostname)) checkUrl(url)
  guard.allow(url)
}

function outgoing({ headers = {}, body }: JsonRequest): Omit<HttpRequest, 'url'> {
  const accept = { accept: 'application/json', ...headers }
  if (body === undefined) return { method: 'GET', headers: accept }
  const isForm = body instanceof URLSearchParams
  return {
    method: 'POST',
    headers: { ...accept, 'content-type': isForm ? FORM : 'application/json' },
    body: isForm ? body.toString() : JSON.stringify(body),
  }
}

interface Exchanging extends FetchJsonLimits {
  readonly signal: AbortSignal | undefined
  readonly guard: Guard
}

/** Redirects that the client itself does not follow, since they may change a request, are harmless for a GET. */
const MOVED = new Set([301, 302, 303])

async function exchange(client: UndiciClient, request: HttpRequest, options: Exchanging): Promise<JsonResponse> {
  const { timeoutMs = WITHIN_MS, signal, guard } = options
  const late = AbortSignal.timeout(timeoutMs)
  const ended = signal ? AbortSignal.any([signal, late]) : late
  for (let next = request, redirects = 0; ; redirects++) {
    const response = await send(client, next, { ...options, signal: ended })
    const { location } = response.headers
    if (!MOVED.has(response.status) || typeof location !== 'string') return response
    if (redirects === MOST_REDIRECTS) throw new OAuthError('redirected', `${shownUrl(request.url)} redirects too often`)
    if (!URL.canParse(location, next.url.href)) return response
    const url = new URL(location, next.url)
    allowRedirect(url, next, guard)
    next = { method: 'GET', url, headers: { accept: 'application/json' } }
  }
}

function send(client: UndiciClient, request: HttpRequest, options: Exchanging & { signal: AbortSignal }) {
  const { maxBytes = MOST_BYTES, signal } = options
  const where = shownUrl(request.url)
  return new Promise<JsonResponse>((resolve, reject) => {
    let [status, size, text] = [0, 0, '']
    let headers: ResponseHeaders = {}
    const fail = (code: string, why: string, cause?: unknown): void => {
      signal.removeEventListener('abort', abort)
      running?.abort()
      reject(new OAuthError(code, why, { cause }))
    }
    const abort = (): void => fail('timeout', `${where} did not answer in time`, signal.reason)
    const handler: ResponseHandler = {
      onStart: (code, received) => ([status, headers] = [code, received]),
      onText: (piece, bytes) => {
        size += bytes
        if (size > maxBytes) fail('too_large', `The answer of ${where} is larger than ${maxBytes} bytes`)
        else text += piece
      },
      onEnd: () => {
        signal.removeEventListener('abort', abort)
        resolve({ status, headers, body: parsed(text) })
      },
      onError: error => fail(codeOf(error), `${where} cannot be reached: ${error.message.slice(0, 300)}`, error),
    }
    signal.addEventListener('abort', abort)
    const running = signal.aborted ? undefined : client.send(request, handler)
    if (signal.aborted) abort()
  })
}

const codeOf = (error: Error): string => (error instanceof OAuthError ? error.code : 'unreachable')

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
