import { createHash, randomBytes } from 'node:crypto'
import { OAuthError, shownUrl } from '../../oauth/fetch-json.ts'
import { clientIdentity, clientProof, forgetRegistration, knownIdentity } from './client-identity.ts'
import type { StoredTokens } from './credential-store.ts'
import type { TokenSource } from './discovery.ts'
import { dpopProver } from './dpop.ts'
import { toStored, tokenEndpointOf } from './oauth-session.ts'
import type { OAuthSession } from './oauth-session.ts'
import { withOffline } from './scopes.ts'
import { printable, requestToken } from './token-request.ts'

/** A person has to log in before the request can be made, and there is no way to ask here. */
export class LoginRequired extends Error {
  override readonly name = 'LoginRequired'
  /** The URL of the server that needs it. */
  readonly server: string

  constructor(server: string) {
    super(`Log in to ${shownUrl(server)} first`)
    this.server = server
  }
}

/** A login that was begun: plain JSON, to be kept until the browser comes back. It is secret, but for `url`. */
export interface PendingLogin {
  /** What the person opens in a browser. */
  readonly url: string
  /** Comes back with the browser: finds the login again. */
  readonly state: string
  readonly redirectUri: string
  /** The login is given up after that, in milliseconds since 1970. */
  readonly expiresAt: number
  readonly verifier: string
  readonly source: TokenSource
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly dpopKey?: string
  readonly mayBeUnbound: boolean
}

/** What a login asks for. */
export interface LoginRequest {
  readonly source: TokenSource
  readonly scopes: readonly string[]
  readonly redirectUri: string
  readonly useDpop: boolean
  readonly timeoutMs: number
}

const LONGEST_ANSWER = 16_384

/** Begin a login by authorization code, with PKCE (S256) or not at all. */
export async function beginLogin(session: OAuthSession, request: LoginRequest): Promise<PendingLogin> {
  const { source, redirectUri, useDpop, timeoutMs } = request
  const { metadata, resource } = source
  const { authorization_endpoint: endpoint } = metadata
  if (endpoint === undefined) throw new OAuthError('no_endpoint', `${metadata.issuer} has no authorization endpoint`)
  checkPkce(session, source)
  tokenEndpointOf(metadata)
  const { clientId } = await clientIdentity({ ...session, metadata, redirectUri })
  const scopes = withOffline(request.scopes, metadata)
  const [state, verifier] = [randomText(), randomText()]
  const params = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(resource !== undefined && { resource }),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    // OpenID gives no refresh token without it.
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
  }
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  return {
    url: url.href,
    state,
    redirectUri,
    expiresAt: Date.now() + timeoutMs,
    verifier,
    source,
    clientId,
    scopes,
    mayBeUnbound: session.options.dpop !== true,
    ...(useDpop && { dpopKey: (await dpopProver()).key }),
  }
}

/** What the metadata does not say, the options may say of the issuer that they name; what it denies, nothing can. */
function checkPkce({ options }: OAuthSession, { metadata }: TokenSource): void {
  const { issuer, code_challenge_methods_supported: methods } = metadata
  const isAssumed = methods === undefined && options.assumePkce === true && options.issuer === issuer
  if (methods?.includes('S256') === true || isAssumed) return
  throw new OAuthError('no_pkce', `${issuer} does not say that it supports PKCE with S256, which is required`)
}

/** Finish a login with the URL that the browser was sent back to. */
export async function finishLogin(
  session: OAuthSession,
  pending: PendingLogin,
  redirected: string,
): Promise<StoredTokens> {
  if (pending.expiresAt < Date.now()) throw new OAuthError('timeout', 'The login took too long; start it again')
  const code = codeIn(pending, redirected)
  const { source, redirectUri, clientId, verifier, scopes, mayBeUnbound } = pending
  const { metadata, resource } = source
  const known = { ...session, metadata, redirectUri }
  const identity = await knownIdentity(known, clientId)
  if (!identity) throw new OAuthError('no_client', 'The client of this login is no longer known; start it again')
  const dpop = pending.dpopKey === undefined ? undefined : await dpopProver(pending.dpopKey)
  const answer = await requestToken({
    endpoint: tokenEndpointOf(metadata),
    params: { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier, resource },
    proof: await clientProof(identity, metadata),
    dpop,
    fetchJson: session.fetchJson,
  }).catch(async (error: unknown) => {
    // A client that was registered by itself can be registered again.
    if (error instanceof OAuthError && error.code === 'invalid_client') await forgetRegistration(known)
    throw error
  })
  const tokens = toStored(answer, { issuer: metadata.issuer, clientId, resource, scopes, dpop, mayBeUnbound })
  return { ...tokens, redirectUri }
}

/** The code in a response that is certainly the one to this login: same address, same state, same issuer. */
function codeIn({ redirectUri, state, source }: PendingLogin, redirected: string): string {
  const { metadata } = source
  if (redirected.length > LONGEST_ANSWER || !URL.canParse(redirected))
    throw new OAuthError('invalid_response', 'The address that the browser was sent back to is not a URL')
  const url = new URL(redirected)
  const [expected, got] = [new URL(redirectUri), url].map(({ protocol, host, pathname }) => protocol + host + pathname)
  if (expected !== got)
    throw new OAuthError('invalid_response', 'The browser was sent back to another address than ours')
  const param = (name: string): string | undefined => single(url.searchParams, name)
  if (param('state') !== state)
    throw new OAuthError('state_mismatch', 'The answer belongs to another login, or its state was lost; start it again')
  const iss = param('iss')
  if (iss === undefined ? metadata.authorization_response_iss_parameter_supported === true : iss !== metadata.issuer)
    throw new OAuthError(
      'issuer_mismatch',
      `The answer ${iss === undefined ? 'does not name its issuer' : 'comes from another issuer'}; it has to be ${metadata.issuer}`,
    )
  const error = param('error')
  if (error !== undefined) {
    const why = printable([error, param('error_description')].filter(part => part !== undefined).join(': '))
    throw new OAuthError(/^[\w.-]{1,64}$/.test(error) ? error : 'login_failed', `The login failed: ${why}`)
  }
  const code = param('code')
  if (code === undefined || code === '')
    throw new OAuthError('invalid_response', 'The answer has no authorization code')
  return code
}

function single(params: URLSearchParams, name: string): string | undefined {
  const values = params.getAll(name)
  if (values.length > 1) throw new OAuthError('invalid_response', `The answer has the parameter ${name} twice`)
  return values[0]
}

const randomText = (): string => randomBytes(32).toString('base64url')
