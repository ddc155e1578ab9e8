import type { Principal } from './principal.ts'

/** What a token says, as it was signed or as its issuer answered. */
export type Claims = Readonly<Record<string, unknown>>

/** What a token is bound to, so that a thief cannot use it (RFC 7800). */
export interface Confirmation {
  /** The thumbprint of the client's key (RFC 9449). */
  readonly jkt?: string
  /** The thumbprint of the client's certificate (RFC 8705). */
  readonly x5t?: string
}

/** A token that was verified; whether it is for this resource is asked with every request. */
export interface VerifiedToken {
  readonly issuer: string
  readonly principal: Principal
  readonly audiences: readonly string[]
  readonly confirmation: Confirmation | undefined
  /** When it has to be verified again, in milliseconds since 1970. */
  readonly until: number
}

/** A token that is not taken; the message is for the client. */
export class TokenProblem extends Error {
  override readonly name = 'TokenProblem'
}

// A clock that is a little behind the issuer's is no reason to refuse a new token.
const CLOCK_SKEW_S = 30
const LONGEST_SUBJECT = 255
// What Keycloak writes into the claim `typ`, and other issuers into `token_type` or `token_use`.
const OTHER_KINDS: ReadonlySet<unknown> = new Set(['id', 'refresh', 'refresh_token', 'offline', 'logout'])
const ACCESS_TYPES = new Set(['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt'])

/** A claim that is a text or a list of texts, as a list. */
export const textsIn = (value: unknown): readonly string[] =>
  [value].flat().filter((one): one is string => typeof one === 'string')

/** The scopes of a token, in any of the spellings that issuers use. */
export const scopesIn = ({ scope, scp, scopes }: Claims): readonly string[] => [
  ...new Set([scope, scp, scopes].flatMap(textsIn).flatMap(text => text.split(' ').filter(name => name !== ''))),
]

/** Refuse what is no access token: one that is declared as something else, or has what only ID tokens have. */
export function checkKind(claims: Claims, header: { readonly typ?: unknown } = {}): void {
  const declared = typeof header.typ === 'string' ? header.typ.toLowerCase() : undefined
  const kind = typeof claims.typ === 'string' ? claims.typ.toLowerCase() : undefined
  const uses = [kind, claims.token_type, claims.token_use]
  const isOther =
    (declared !== undefined && !ACCESS_TYPES.has(declared)) ||
    uses.some(use => OTHER_KINDS.has(use)) ||
    claims.events !== undefined
  // Issuers that say that it is an access token may repeat the nonce of the login in it.
  const isDeclared = declared?.endsWith('at+jwt') === true || kind === 'bearer'
  const isIdToken = [claims.nonce, claims.at_hash, claims.c_hash].some(claim => claim !== undefined)
  if (isOther || (isIdToken && !isDeclared))
    throw new TokenProblem('This is not an access token: send the access token, not an ID or refresh token')
}

/** Refuse a token that has ended, or that is not valid yet. */
export function checkTimes({ exp, nbf }: Claims, now: number = Date.now()): void {
  if (exp !== undefined && typeof exp !== 'number') throw new TokenProblem('The expiry of the token is malformed')
  if (exp !== undefined && exp * 1000 <= now) throw new TokenProblem('The token has expired')
  if (nbf !== undefined && typeof nbf !== 'number') throw new TokenProblem('The start of the token is malformed')
  if (nbf !== undefined && (nbf - CLOCK_SKEW_S) * 1000 > now) throw new TokenProblem('The token is not valid yet')
}

/** Who a token is about: issuer and subject together, since two issuers may use the same subject. */
export function principalName(issuer: string, { sub, client_id: client, azp }: Claims): string {
  if (sub !== undefined) {
    if (typeof sub !== 'string' || sub === '' || sub.length > LONGEST_SUBJECT)
      throw new TokenProblem('The subject of the token is malformed')
    return `${issuer}#${sub}`
  }
  const [id] = textsIn(client ?? azp)
  if (id === undefined || id === '' || id.length > LONGEST_SUBJECT) throw new TokenProblem('The token has no subject')
  // Neither an issuer nor `#` can stand there, so that no subject is taken for a client.
  return `${issuer} client ${id}`
}

/** What `cnf` binds a token to. A way that is not known here is refused, since it could not be checked. */
export function confirmationIn({ cnf }: Claims): Confirmation | undefined {
  if (cnf === undefined) return undefined
  const { jkt, 'x5t#S256': x5t, ...others } = typeof cnf === 'object' && cnf !== null ? (cnf as Claims) : { cnf }
  const isKnown = Object.keys(others).length === 0 && [jkt, x5t].some(one => one !== undefined)
  const areTexts = [jkt, x5t].every(one => one === undefined || typeof one === 'string')
  if (!isKnown || !areTexts) throw new TokenProblem('The token is bound to its client in a way that is not supported')
  return { ...(typeof jkt === 'string' && { jkt }), ...(typeof x5t === 'string' && { x5t }) }
}
