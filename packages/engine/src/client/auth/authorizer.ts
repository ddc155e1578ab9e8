import type { Awaitable } from '../../call.ts'
import type { ResponseHeaders } from '../transports/http-client.ts'
import type { AuthChallenge } from './challenge.ts'

/** A request that is about to be sent to the server: an HTTP request, or the upgrade of a WebSocket (GET). */
export interface AuthorizedRequest {
  readonly method: string
  readonly url: URL
}

/** A server refused a request because it came without credentials, or with wrong or insufficient ones. */
export interface Refusal extends AuthorizedRequest {
  /** 401, or 403 with `error="insufficient_scope"`. Any other 403 is an ordinary error. */
  readonly status: 401 | 403
  /** The challenges of `WWW-Authenticate`, in their order. */
  readonly challenges: readonly AuthChallenge[]
  /** The headers of the response, by their lower-case names. */
  readonly headers: ResponseHeaders
  /** What `Authorizer.headers` returned for the refused request. */
  readonly sent: Readonly<Record<string, string>>
  /** How often this request was refused so far, this time included. */
  readonly attempt: number
  /** Aborts if the request is given up. */
  readonly signal: AbortSignal
}

/**
 * Gives the requests of a transport their credentials. One authorizer belongs to one server and one principal, and may be
 * shared by all connections that the two have. `oauthAuthorizer` makes one that logs in by OAuth.
 */
export interface Authorizer {
  /**
   * Headers for one request, added to those of the transport. It is asked for every request, so it should answer at once
   * if it has a token. A rejection fails the request with an `HttpError` of status 401, whose `cause` is the reason.
   */
  headers(request: AuthorizedRequest): Awaitable<Readonly<Record<string, string>>>
  /**
   * Get better credentials. If it resolves, the request is sent again with new `headers`; if it rejects, the request fails
   * with an `HttpError` of the refusal's status, whose `cause` is the reason. The time limit of the request does not run
   * meanwhile, so the authorizer has to bound it. After several refusals of one request it is no longer asked.
   */
  onRefused(refusal: Refusal): Promise<void>
  /** Sees the headers of every response, such as a new `DPoP-Nonce`. */
  onResponse?(headers: ResponseHeaders): void
}

/** Names of headers that an authorizer may set: they are never sent to another origin that a server redirects to. */
export const CREDENTIAL_HEADERS = ['authorization', 'dpop'] as const
