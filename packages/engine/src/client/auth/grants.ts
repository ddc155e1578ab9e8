import { OAuthError, fetchJsonFor } from '../../oauth/fetch-json.ts'
import type { FetchJsonLimits } from '../../oauth/fetch-json.ts'
import { serverMetadata } from '../../oauth/server-metadata.ts'
import { clientIdentity, clientProof, knownIdentity } from './client-identity.ts'
import type { ClientIdentity } from './client-identity.ts'
import type { StoredTokens } from './credential-store.ts'
import type { TokenSource } from './discovery.ts'
import { dpopProver } from './dpop.ts'
import type { AuthorizationCodeGrant, EnterpriseGrant, OAuthGrant } from './oauth-options.ts'
import { toStored, tokenEndpointOf } from './oauth-session.ts'
import type { OAuthSession } from './oauth-session.ts'
import { requestToken } from './token-request.ts'
import type { ClientProof } from './token-request.ts'

/** A grant that needs no person at a browser. */
export type SilentGrant = Exclude<OAuthGrant, AuthorizationCodeGrant>

/** What a token is asked for. */
export interface GrantRequest {
  readonly source: TokenSource
  readonly scopes: readonly string[]
  readonly useDpop: boolean
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:'

/** Get tokens without a browser. */
export async function grantTokens(
  session: OAuthSession,
  grant: SilentGrant,
  { source, scopes, useDpop }: GrantRequest,
): Promise<StoredTokens> {
  const { metadata, resource } = source
  const identity = await identityFor(session, grant, source)
  const dpop = useDpop ? await dpopProver() : undefined
  const answer = await requestToken({
    endpoint: tokenEndpointOf(metadata),
    params: { ...(await grantParams(session, grant, source, scopes)), scope: scopes.join(' '), resource },
    proof: identity ? await clientProof(identity, metadata) : NOBODY,
    dpop,
    fetchJson: session.fetchJson,
  })
  const clientId = identity?.clientId ?? ''
  const mayBeUnbound = session.options.dpop !== true
  return toStored(answer, { issuer: metadata.issuer, clientId, resource, scopes, dpop, mayBeUnbound })
}

/** Exchange a refresh token for new tokens; a server that gives no new one goes on with the old one. */
export async function refreshTokens(
  session: OAuthSession,
  tokens: StoredTokens & { readonly refreshToken: string },
  metadata: TokenSource['metadata'],
): Promise<StoredTokens> {
  const { refreshToken, resource, clientId, scopes, dpopKey, issuer, redirectUri = session.redirectUri } = tokens
  if (metadata.issuer !== issuer)
    throw new OAuthError('issuer_mismatch', 'A token is refreshed where it came from only')
  const identity = clientId === '' ? undefined : await knownIdentity({ ...session, metadata, redirectUri }, clientId)
  if (!identity && clientId !== '')
    throw new OAuthError('invalid_grant', 'The client that the tokens were given to is no longer known')
  const dpop = dpopKey === undefined ? undefined : await dpopProver(dpopKey)
  const answer = await requestToken({
    endpoint: tokenEndpointOf(metadata),
    params: { grant_type: 'refresh_token', refresh_token: refreshToken, resource },
    proof: identity ? await clientProof(identity, metadata) : NOBODY,
    dpop,
    fetchJson: session.fetchJson,
  })
  const refreshed = toStored(answer, { issuer, clientId, resource, scopes, dpop, mayBeUnbound: false })
  return { refreshToken, ...refreshed, redirectUri }
}

/** Tell the issuer that tokens are no longer used (RFC 7009). Whether it hears that is up to it. */
export async function revokeTokens(
  session: OAuthSession,
  { refreshToken, accessToken, clientId, redirectUri = session.redirectUri }: StoredTokens,
  metadata: TokenSource['metadata'],
): Promise<void> {
  const endpoint = metadata.revocation_endpoint
  const identity = await knownIdentity({ ...session, metadata, redirectUri }, clientId)
  if (endpoint === undefined || !identity) return
  const { headers, params } = await clientProof(identity, metadata)
  const body = new URLSearchParams({
    token: refreshToken ?? accessToken,
    token_type_hint: refreshToken === undefined ? 'access_token' : 'refresh_token',
    ...params,
  })
  await session.fetchJson({ url: endpoint, body, headers })
}

const NOBODY: ClientProof = { headers: {}, params: {} }

/** A workload may be known by its assertion alone; any other grant needs a client. */
async function identityFor(
  session: OAuthSession,
  grant: SilentGrant,
  { metadata }: TokenSource,
): Promise<ClientIdentity | undefined> {
  if (grant.type === 'jwt_bearer' && session.options.clientId === undefined) return undefined
  const identity = await clientIdentity({ ...session, metadata })
  if (grant.type !== 'client_credentials' || identity.clientSecret !== undefined || identity.privateKey) return identity
  throw new OAuthError('no_client', 'The client credentials grant needs a clientSecret or a privateKey')
}

async function grantParams(
  session: OAuthSession,
  grant: SilentGrant,
  { metadata, resource }: TokenSource,
  scopes: readonly string[],
): Promise<Record<string, string>> {
  if (grant.type === 'client_credentials') return { grant_type: 'client_credentials' }
  const audience = { issuer: metadata.issuer, tokenEndpoint: tokenEndpointOf(metadata), resource }
  const assertion =
    grant.type === 'jwt_bearer'
      ? await grant.assertion(audience)
      : await identityAssertion(grant, {
          audience: metadata.issuer,
          resource: resource ?? session.server.href,
          scope: scopes.join(' '),
          limits: session.options.limits,
        })
  return { grant_type: JWT_BEARER, assertion }
}

interface AssertionRequest {
  readonly audience: string
  readonly resource: string
  readonly scope: string
  readonly limits: FetchJsonLimits | undefined
}

/** Exchange the ID token of an organisation's provider for a grant at that authorization server (ID-JAG, RFC 8693). */
async function identityAssertion(
  { provider, idToken }: EnterpriseGrant,
  { audience, resource, scope, limits }: AssertionRequest,
): Promise<string> {
  const { clientId, clientSecret } = provider
  // The provider is part of the configuration: what the server names has no influence on where the ID token goes.
  const fetchJson = fetchJsonFor(new URL(provider.issuer), true, limits)
  const metadata = provider.tokenEndpoint === undefined ? await serverMetadata(provider.issuer, fetchJson) : undefined
  const found = metadata ?? { issuer: provider.issuer }
  const answer = await requestToken({
    endpoint: provider.tokenEndpoint ?? tokenEndpointOf(found),
    params: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: `${TOKEN_TYPE}id-jag`,
      subject_token: await idToken(),
      subject_token_type: `${TOKEN_TYPE}id_token`,
      audience,
      resource,
      scope,
    },
    proof: await clientProof({ clientId, clientSecret }, found),
    fetchJson,
  })
  if (answer.issuedTokenType === `${TOKEN_TYPE}id-jag`) return answer.accessToken
  throw new OAuthError('invalid_response', 'The identity provider did not issue an identity assertion (ID-JAG)')
}
