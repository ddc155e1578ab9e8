import { OAuthError, fetchJsonFor } from '../../oauth/fetch-json.ts'
import type { FetchJson } from '../../oauth/fetch-json.ts'
import type { ServerMetadata } from '../../oauth/server-metadata.ts'
import { memoryCredentials } from './credential-store.ts'
import type { CredentialStore, StoredTokens, TokensKey } from './credential-store.ts'
import type { DpopProver } from './dpop.ts'
import type { OAuthOptions } from './oauth-options.ts'
import type { TokenAnswer } from './token-request.ts'

/** What all ways to get a token for one server share. */
export interface OAuthSession {
  readonly options: OAuthOptions
  readonly server: URL
  readonly store: CredentialStore
  readonly key: TokensKey
  readonly fetchJson: FetchJson
  /** Where browsers come back to; empty for grants without one. */
  readonly redirectUri: string
}

/** The session that these options describe. */
export function oauthSession(options: OAuthOptions): OAuthSession {
  const { url, grant, store = memoryCredentials(), principal = 'default', isTrusted = true, limits } = options
  const server = new URL(url.replace(/^ws/, 'http'))
  return {
    options,
    server,
    store,
    key: { kind: 'tokens', principal, server: url },
    fetchJson: fetchJsonFor(server, isTrusted, limits),
    redirectUri: grant.type === 'authorization_code' ? grant.redirectUri : '',
  }
}

/** The token endpoint, without which nothing can be had. */
export function tokenEndpointOf({ token_endpoint, issuer }: ServerMetadata): string {
  if (token_endpoint !== undefined) return token_endpoint
  throw new OAuthError('no_endpoint', `The metadata of ${issuer.slice(0, 200)} has no token endpoint`)
}

/** What tokens were asked for, and by whom. */
export interface Asked {
  readonly issuer: string
  readonly clientId: string
  readonly resource: string | undefined
  readonly scopes: readonly string[]
  readonly dpop: DpopProver | undefined
  /** May the server answer with a token that is not bound to the key? */
  readonly mayBeUnbound: boolean
}

/** Tokens as they are kept; throws if they are of another type than was asked for. */
export function toStored(answer: TokenAnswer, asked: Asked): StoredTokens {
  const { accessToken, refreshToken, expiresAt, scopes = asked.scopes } = answer
  const { issuer, clientId, resource } = asked
  const dpopKey = keyOfTokens(answer, asked)
  return {
    issuer,
    clientId,
    accessToken,
    scopes,
    obtainedAt: Date.now(),
    ...(resource !== undefined && { resource }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(dpopKey !== undefined && { dpopKey }),
  }
}

/** The key that tokens are bound to; undefined for bearer tokens. */
function keyOfTokens({ tokenType }: TokenAnswer, { issuer, dpop, mayBeUnbound }: Asked): string | undefined {
  if (dpop && tokenType === 'dpop') return dpop.key
  if (tokenType !== 'bearer')
    throw new OAuthError('invalid_response', `${issuer} gave a token of a type that was not asked for`)
  if (dpop && !mayBeUnbound)
    throw new OAuthError('dpop_refused', `${issuer} gave a token that is not bound to our key, and DPoP is required`)
  return undefined
}
