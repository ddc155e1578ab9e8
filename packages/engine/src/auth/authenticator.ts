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
  /** The URL that was asked for, as clients write it, without the query. */
  readonly url: string
  /** The URL of the endpoint that it belongs to, which is what a token must be for (RFC 8707). */
  readonly resource: string
  /** Where the client is; `local` if it is not known. */
  readonly address: string
  /** The token of `Authorization: Bearer`; undefined where there is none. */
  readonly token: string | undefined
  /** The token of `Authorization: DPoP` (RFC 9449); undefined where there is none. */
  readonly dpopToken: string | undefined
  readonly tlsPeer: TlsPeer | undefined
  /** Stands for the connection, if it is known: what was found out may be remembered for as long as it lasts. */
  readonly connection?: object | undefined
  /** A header by its lower-case name. */
  header(name: string): string | undefined
}

/** The answer of an authenticator that knows who it is, but wants more rights for this request. */
export interface WantedScopes {
  readonly wantedScopes: readonly string[]
}

/** The answer of an authenticator that does not take a token, and says why. */
export interface RefusedToken {
  /** What helps the client and betrays nothing; plain ASCII without quotes. */
  readonly refused: string
  /** The error of the challenge. Default: `invalid_token`. */
  readonly error?: string
  /** Headers of the answer, such as `DPoP-Nonce`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Tells who sends a request. One that answers at once costs no promise. */
export interface Authenticator {
  /** The principal; undefined if there is none; why the token is not taken; or the scopes that the request needs and the token lacks. */
  authenticate(request: AuthenticationRequest): Awaitable<Principal | WantedScopes | RefusedToken | undefined>
  /** The `WWW-Authenticate` header of a refusal. Default: `Bearer`, with the error and the scopes where there are some. */
  challenge?(why: ChallengeReason, scopes: readonly string[]): string
  /** The authorization servers that issue its tokens. Where there are some, each endpoint has metadata that names them (RFC 9728). */
  readonly authorizationServers?: readonly string[]
  /** Does it take tokens that are bound to a key (RFC 9449), or no others? Default: neither. */
  readonly dpop?: DpopMode | undefined
}

/** Are tokens that are bound to a key (DPoP) allowed, or required? */
export type DpopMode = 'allow' | 'require'

/** What a challenge says in addition to its reason and scopes. */
export interface ChallengeDetails {
  /** Where the metadata of the endpoint is. */
  readonly resourceMetadata?: string | undefined
  readonly error?: string | undefined
  readonly description?: string | undefined
}

const ERRORS = { missing: undefined, invalid: 'invalid_token', scope: 'insufficient_scope' } as const
// The characters of a scope, as RFC 6749 has them: none of them ends the quoted text.
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/
// It is a wish of the client, not a right at a resource.
const NEVER_ASKED = 'offline_access'

/** The algorithms in which a proof or a token may be signed: all that have a public key. */
export const SIGNING_ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** May it be the name of a scope? */
export const isScope = (name: string): boolean => SCOPE.test(name)

/** The scopes that clients are told of. */
export const shownScopes = (scopes: readonly string[]): readonly string[] => [
  ...new Set(scopes.filter(scope => isScope(scope) && scope !== NEVER_ASKED)),
]

/** What a refusal asks the client for. */
export function challengeOf(
  authenticator: Authenticator | undefined,
  why: ChallengeReason,
  scopes: readonly string[] = [],
  details: ChallengeDetails = {},
): string {
  const shown = shownScopes(scopes)
  const own = authenticator?.challenge?.(why, shown)
  if (own !== undefined) return own
  const { resourceMetadata, error = ERRORS[why], description } = details
  const parts = [
    quoted('error', error),
    quoted('error_description', description),
    quoted('resource_metadata', resourceMetadata),
    quoted('scope', shown.join(' ')),
  ].flat()
  return schemesOf(authenticator, error)
    .map(([scheme, ...own]) => `${scheme} ${[...parts, ...own].join(', ')}`.trim())
    .join(', ')
}

const DPOP_ERRORS = new Set(['use_dpop_nonce', 'invalid_dpop_proof'])

/** Bearer comes first, since clients that know only that look no further. */
function schemesOf(authenticator: Authenticator | undefined, error: string | undefined): readonly string[][] {
  const { dpop } = authenticator ?? {}
  const bound = ['DPoP', ...quoted('algs', SIGNING_ALGORITHMS.join(' '))]
  if (dpop === undefined) return [['Bearer']]
  return dpop === 'require' || DPOP_ERRORS.has(error ?? '') ? [bound] : [['Bearer'], bound]
}

const quoted = (name: string, value: string | undefined): string[] =>
  value === undefined || value === '' ? [] : [`${name}="${value.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, ' ')}"`]
