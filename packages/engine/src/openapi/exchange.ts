import type { HttpRequest, ResponseHandler, ResponseHeaders } from '../client/transports/http-client.ts'
import { UndiciClient } from '../client/transports/undici-client.ts'
import { guardFor } from '../outbound/ssrf-guard.ts'
import type { Guard } from '../outbound/ssrf-guard.ts'
import type { ServerAddress } from './server-address.ts'

/** The answer of an API. */
export interface ApiResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: Buffer
}

/** What one exchange may cost. */
export interface ExchangeLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** Sends requests to one API. */
export type Exchange = (request: HttpRequest, signal?: AbortSignal) => Promise<ApiResponse>

const MOST_REDIRECTS = 3
const MOVED = new Set([301, 302, 303, 307, 308])
const READING = new Set(['GET', 'HEAD'])

/** Requests to one server and no other: bounded in bytes and time, redirected within it only. */
export function exchangeWith(
  { url, isTrusted }: Pick<ServerAddress, 'url' | 'isTrusted'>,
  limits: ExchangeLimits,
): Exchange {
  const guard = guardFor(url, isTrusted)
  let client: UndiciClient | undefined
  return async (request, signal) => {
    client ??= new UndiciClient({ ownHeaders: () => [], lookup: guard.lookup, allow: refuseRedirect })
    await client.load()
    const late = AbortSignal.timeout(limits.timeoutMs)
    const ended = signal ? AbortSignal.any([signal, late]) : late
    return follow(client, request, { guard, limits, signal: ended })
  }
}

/** What the client itself would follow, which is where a request with a body goes elsewhere. */
function refuseRedirect(target: URL, { url, method }: HttpRequest): void {
  redirectTarget({ method, url, headers: {} }, target.href)
}

interface Following {
  readonly guard: Guard
  readonly limits: ExchangeLimits
  readonly signal: AbortSignal
}

async function follow(client: UndiciClient, first: HttpRequest, following: Following): Promise<ApiResponse> {
  const { guard } = following
  for (let request = first, redirects = 0; ; redirects++) {
    guard.allow(request.url)
    const response = await send(client, request, following)
    const { location } = response.headers
    if (!MOVED.has(response.status) || typeof location !== 'string') return response
    if (redirects === MOST_REDIRECTS) throw new Error(`The API redirects more than ${MOST_REDIRECTS} times.`)
    request = { ...request, url: redirectTarget(request, location) }
  }
}

function redirectTarget({ method, url }: HttpRequest, location: string): URL {
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined
  const shown = target ? `${target.origin}${target.pathname}`.slice(0, 200) : 'an address that is not a URL'
  if (!READING.has(method))
    throw new Error(`The API redirects this ${method} request to ${shown}, which is not followed.`)
  if (target?.origin === url.origin) return target
  throw new Error(`The API redirects to another host, ${shown}, which is not followed.`)
}

function send(client: UndiciClient, request: HttpRequest, { limits, signal }: Following): Promise<ApiResponse> {
  const { maxBytes, timeoutMs } = limits
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = []
    let [status, size] = [0, 0]
    let headers: ResponseHeaders = {}
    const done = (finish: () => void): void => {
      signal.removeEventListener('abort', abort)
      finish()
    }
    const fail = (error: Error): void => {
      running?.abort()
      done(() => reject(error))
    }
    const abort = (): void => fail(endedBy(signal, timeoutMs))
    const handler: ResponseHandler = {
      onStart: (code, received) => ([status, headers] = [code, received]),
      onText: () => {},
      onBytes: piece => {
        size += piece.length
        if (size > maxBytes) fail(tooLarge(maxBytes))
        else pieces.push(piece)
      },
      onEnd: () => done(() => resolve({ status, headers, body: Buffer.concat(pieces) })),
      onError: error => fail(unreachable(request.url, error)),
    }
    signal.addEventListener('abort', abort)
    const running = signal.aborted ? undefined : client.send(request, handler)
    if (signal.aborted) abort()
  })
}

const tooLarge = (maxBytes: number): Error =>
  new Error(`The answer of the API is larger than ${maxBytes} bytes. Ask for less: a page, a filter, fewer fields.`)

function endedBy({ reason }: AbortSignal, timeoutMs: number): Error {
  if (reason instanceof Error && reason.name !== 'TimeoutError') return reason
  return new Error(`The API did not answer within ${timeoutMs / 1000} s.`)
}

function unreachable({ origin }: URL, error: Error): Error {
  const isPrivate = (error as NodeJS.ErrnoException).code === 'EPRIVATE'
  const why = isPrivate
    ? `its name leads to a private address. If that is intended, name it with --openapi-base ${origin}`
    : error.message.slice(0, 300)
  return new Error(`${origin} cannot be reached: ${why}`, { cause: error })
}
