import type { PeerCertificate } from 'node:tls'
import type { Awaitable } from '../call.ts'
import type { Principal } from './principal.ts'

/** Why a client is asked for a (better) token. */
export type ChallengeReason = 'missing' | 'invalid' | 'scope'

/** The certificate a client showed, on a TLS connection that asks for one. */
export interface TlsPeer {
  readonly certificate: PeerCertificate
  /** Was it issued by an authority that the listener trusts? */
  readonly authorized: boolean
}

/** What an authenticator sees of a request: everything but its body. */
export interface AuthenticationRequest {
  readonly method: string
  /** Below the prefix that the server is mounted at, without the query. */
  readonly path: string
  /** Where the client is; `local` if it is not known. */
  readonly address: string
  /** The token of `Authorization: Bearer`; undefined where there is none. */
  readonly token: string | undefined
  readonly tlsPeer: TlsPeer | undefined
  /** A header by its lower-case name. */
  header(name: string): string | undefined
}

/** The answer of an authenticator that knows who it is, but wants more rights for this request. */
export interface WantedScopes {
  readonly wantedScopes: readonly string[]
}

/** Tells who sends a request. One that answers at once costs no promise. */
export interface Authenticator {
  /** The principal; undefined if there is none; or the scopes that the request needs and the token lacks. */
  authenticate(request: AuthenticationRequest): Awaitable<Principal | WantedScopes | undefined>
  /** The `WWW-Authenticate` header of a refusal. Default: `Bearer`, with the error and the scopes where there are some. */
  challenge?(why: ChallengeReason, scopes: readonly string[]): string
}

const ERRORS = { missing: '', invalid: ' error="invalid_token"', scope: ' error="insufficient_scope"' } as const
// The characters of a scope, as RFC 6749 has them: none of them ends the quoted text.
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** May it be the name of a scope? */
export const isScope = (name: string): boolean => SCOPE.test(name)

/** What a refusal asks the client for. */
export function challengeOf(
  authenticator: Authenticator | undefined,
  why: ChallengeReason,
  scopes: readonly string[] = [],
): string {
  const shown = scopes.filter(isScope)
  const scope = shown.length > 0 ? `, scope="${shown.join(' ')}"` : ''
  return authenticator?.challenge?.(why, shown) ?? `Bearer${ERRORS[why]}${scope}`
}
