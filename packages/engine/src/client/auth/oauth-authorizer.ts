import { OAuthError } from '../../oauth/fetch-json.ts'
import { within } from '../../support/deadline.ts'
import type { ResponseHeaders } from '../transports/http-client.ts'
import type { AuthorizedRequest, Authorizer, Refusal } from './authorizer.ts'
import type { StoredTokens } from './credential-store.ts'
import { discover, issuerMetadata } from './discovery.ts'
import type { TokenSource } from './discovery.ts'
import { DPOP_ALG, dpopProver } from './dpop.ts'
import type { DpopProver } from './dpop.ts'
import { grantTokens, refreshTokens } from './grants.ts'
import { beginLogin, finishLogin } from './login.ts'
import type { PendingLogin } from './login.ts'
import type { OAuthOptions } from './oauth-options.ts'
import { oauthSession } from './oauth-session.ts'
import type { OAuthSession } from './oauth-session.ts'
import { chosenScopes, factsOf } from './scopes.ts'
import type { ChallengeFacts } from './scopes.ts'

type Headers = Readonly<Record<string, string>>

/** A person has to log in before the request can be made, and there is no way to ask here. */
export class LoginRequired extends Error {
  override readonly name = 'LoginRequired'
  /** The server that needs it. */
  readonly server: string

  constructor(server: string) {
    super(`Log in to ${server} first`)
    this.server = server
  }
}

/** Who is logged in, without any secret. */
export interface LoginStatus {
  readonly issuer: string
  readonly scopes: readonly string[]
  /** When the access token ends, in milliseconds since 1970; undefined if it is not known. */
  readonly expiresAt: number | undefined
  /** Is there a refresh token, so that it goes on after that? */
  readonly canRefresh: boolean
  readonly isBound: boolean
}

const MOST_ATTEMPTS = 5
const LOGIN_WITHIN_MS = 5 * 60_000
const EARLY_MS = 60_000
/** A token that is refused so soon after it was issued will be refused again. */
const FRESH_MS = 10_000
const LOGINS_WITHIN_MS = 60_000
const MOST_LOGINS = 3
const NO_FACTS: ChallengeFacts = { scopes: [], resourceMetadata: undefined, wantsDpop: false, error: undefined }

/** Logs in to one server by OAuth 2.1, for one principal; make it with `oauthAuthorizer`. */
export class OAuthAuthorizer implements Authorizer {
  readonly #session: OAuthSession
  #loading: Promise<void> | undefined
  #isLoaded = false
  #tokens: StoredTokens | undefined
  #prover: DpopProver | undefined
  #renewing: Promise<void> | undefined
  /** Of the last refusal: what a login asks for. */
  #facts = NO_FACTS
  /** The scopes of the last login or grant, and the token it gave. */
  #lastGrant: { readonly scopes: readonly string[]; readonly at: number } | undefined
  #lastRefresh: string | undefined
  #logins: number[] = []

  constructor(options: OAuthOptions) {
    this.#session = oauthSession(options)
  }

  headers(request: AuthorizedRequest): Headers | Promise<Headers> {
    if (!this.#isLoaded) return this.#load().then(() => this.headers(request))
    const tokens = this.#tokens
    if (!tokens) return {}
    if (!isStale(tokens)) return this.#headersWith(tokens, request)
    return this.#refreshEarly(tokens).then(() => (this.#tokens ? this.#headersWith(this.#tokens, request) : {}))
  }

  onResponse(headers: ResponseHeaders): void {
    this.#prover?.learnNonce(this.#session.server, headers)
  }

  async onRefused(refusal: Refusal): Promise<void> {
    const facts = factsOf(refusal)
    const { sent, attempt, headers, status } = refusal
    if (facts.error === 'use_dpop_nonce' && sent['dpop'] !== undefined && headers['dpop-nonce'] !== undefined) return
    if (attempt > MOST_ATTEMPTS) throw new OAuthError('refused', 'The server refused every token it was given')
    const used = sent['authorization']?.replace(/^\S+ /, '')
    // Another request was refused first, and has renewed it.
    if (this.#tokens && this.#tokens.accessToken !== used) return
    this.#facts = facts
    await this.#once(() => this.#renew(status, facts))
  }

  /** Begin a login whose browser comes back elsewhere: keep the result, and call `finishLogin` with it. */
  async beginLogin(redirectUri: string = this.#session.redirectUri): Promise<PendingLogin> {
    await this.#load()
    const source = await this.#discover(this.#facts)
    return this.#begin(source, this.#scopesFor(source, this.#facts), redirectUri)
  }

  /** Finish a login with the whole URL that the browser was sent back to. */
  async finishLogin(pending: PendingLogin, redirectedUrl: string): Promise<void> {
    const tokens = await finishLogin(this.#session, pending, redirectedUrl)
    this.#lastGrant = { scopes: pending.scopes, at: Date.now() }
    await this.#keep(tokens)
  }

  /** Who is logged in; undefined if nobody is. */
  async status(): Promise<LoginStatus | undefined> {
    const { store, key } = this.#session
    const tokens = await store.get(key)
    if (!tokens) return undefined
    const { issuer, scopes, expiresAt, refreshToken, dpopKey } = tokens
    return { issuer, scopes, expiresAt, canRefresh: refreshToken !== undefined, isBound: dpopKey !== undefined }
  }

  /** Forget the tokens, here and in the store. */
  async logout(): Promise<void> {
    const { store, key } = this.#session
    this.#tokens = undefined
    await store.delete(key)
  }

  /** Read the tokens from the store before the next request: another process logged in or out. */
  reload(): void {
    this.#isLoaded = false
    this.#loading = undefined
  }

  #load(): Promise<void> {
    return (this.#loading ??= this.#readStore().catch((error: unknown) => {
      this.#loading = undefined
      throw error
    }))
  }

  async #readStore(): Promise<void> {
    const { store, key } = this.#session
    await this.#adopt(await store.get(key))
    this.#isLoaded = true
  }

  async #adopt(tokens: StoredTokens | undefined): Promise<void> {
    if (tokens?.dpopKey !== undefined && tokens.dpopKey !== this.#prover?.key)
      this.#prover = await dpopProver(tokens.dpopKey)
    this.#tokens = tokens
  }

  async #keep(tokens: StoredTokens): Promise<void> {
    await this.#session.store.set(this.#session.key, tokens)
    await this.#adopt(tokens)
    this.#isLoaded = true
  }

  #headersWith({ accessToken, dpopKey }: StoredTokens, { method, url }: AuthorizedRequest): Headers | Promise<Headers> {
    const prover = this.#prover
    if (dpopKey === undefined || !prover) return { authorization: `Bearer ${accessToken}` }
    return prover.proof(method, url, accessToken).then(dpop => ({ authorization: `DPoP ${accessToken}`, dpop }))
  }

  /** All requests wait for the same renewal. */
  #once(renew: () => Promise<void>): Promise<void> {
    return (this.#renewing ??= renew().finally(() => (this.#renewing = undefined)))
  }

  /** Before a token ends. If that fails and it is still valid, it is used; if not, the server will ask. */
  async #refreshEarly(tokens: StoredTokens): Promise<void> {
    const isOver = (): boolean => (tokens.expiresAt ?? Infinity) <= Date.now()
    if (tokens.refreshToken === undefined && !isOver()) return
    try {
      if (tokens.refreshToken !== undefined) await this.#once(() => this.#refresh(tokens))
    } catch (error) {
      if (isOver() && !isRejected(error)) throw error
    }
    if (this.#tokens === tokens && isOver()) this.#tokens = undefined
  }

  /** Once in all processes: whoever comes second finds the tokens of the first. */
  async #refresh(old: StoredTokens): Promise<void> {
    const { store, key, server, fetchJson } = this.#session
    const metadata = await issuerMetadata(old.issuer, server, fetchJson)
    await store.exclusive(key, async () => {
      const current = await store.get(key)
      if (current?.accessToken !== old.accessToken) return this.#adopt(current)
      const { refreshToken } = current
      if (refreshToken === undefined) return
      try {
        await this.#keep(await refreshTokens(this.#session, { ...current, refreshToken }, metadata))
      } catch (error) {
        if (isRejected(error)) await this.#dropRefreshToken(current)
        throw error
      }
    })
  }

  /** A refresh token that was rejected is never shown again. */
  #dropRefreshToken({ refreshToken: _, ...tokens }: StoredTokens): Promise<void> {
    return this.#keep(tokens)
  }

  /** Better credentials than those that were refused, or an error. */
  async #renew(status: 401 | 403, facts: ChallengeFacts): Promise<void> {
    const refused = this.#tokens
    const source = await this.#discover(facts)
    const isSame = refused?.issuer === source.metadata.issuer
    if (status === 401 && refused && isSame && (await this.#isRefreshed(refused))) return
    if (status === 401 && isSame && this.#isFresh(refused))
      throw new OAuthError('refused', 'The server refuses the token that its authorization server has just issued')
    const scopes = this.#scopesFor(source, facts)
    if (status === 403) this.#checkStepUp(facts)
    const { grant } = this.#session.options
    if (grant.type === 'authorization_code') return this.#login(source, scopes)
    const tokens = await grantTokens(this.#session, grant, { source, scopes, useDpop: this.#usesDpop(source, facts) })
    this.#lastGrant = { scopes, at: Date.now() }
    await this.#keep(tokens)
  }

  async #discover({ resourceMetadata }: ChallengeFacts): Promise<TokenSource> {
    const { server, options, fetchJson } = this.#session
    const { issuer, clientSecret } = options
    const source = await discover(server, { resourceMetadata, issuer }, fetchJson)
    const before = this.#tokens?.issuer
    if (clientSecret !== undefined && issuer === undefined && before !== undefined && before !== source.metadata.issuer)
      throw new OAuthError(
        'issuer_mismatch',
        `The server moved from the authorization server ${before} to ${source.metadata.issuer}. The client secret is not sent ` +
          'there: if the move is intended, configure the new issuer and its client.',
      )
    return source
  }

  /** Try the refresh token, unless that is how the refused token was got. */
  async #isRefreshed(refused: StoredTokens): Promise<boolean> {
    if (refused.refreshToken === undefined || this.#lastRefresh === refused.accessToken) return false
    try {
      await this.#refresh(refused)
    } catch (error) {
      if (!isRejected(error)) throw error
    }
    const renewed = this.#tokens?.accessToken
    this.#lastRefresh = renewed
    return renewed !== undefined && renewed !== refused.accessToken
  }

  #isFresh(tokens: StoredTokens | undefined): boolean {
    return tokens !== undefined && Date.now() - tokens.obtainedAt < FRESH_MS
  }

  #scopesFor({ metadata, scopesSupported }: TokenSource, { scopes }: ChallengeFacts): readonly string[] {
    const held = this.#tokens?.issuer === metadata.issuer ? this.#tokens.scopes : []
    const { scopes: configured = [] } = this.#session.options
    return chosenScopes({ challenged: scopes, held, configured, supported: scopesSupported })
  }

  /** Asking again for what was asked for a moment ago changes nothing. */
  #checkStepUp({ scopes }: ChallengeFacts): void {
    const { scopes: before = [], at = 0 } = this.#lastGrant ?? {}
    const isFutile = scopes.every(scope => before.includes(scope)) && Date.now() - at < LOGINS_WITHIN_MS
    if (isFutile || scopes.length === 0)
      throw new OAuthError(
        'insufficient_scope',
        `The server wants more rights (${scopes.join(' ')}) than it was granted`,
      )
  }

  #usesDpop({ metadata }: TokenSource, { wantsDpop }: ChallengeFacts): boolean {
    const { dpop } = this.#session.options
    const algorithms = metadata.dpop_signing_alg_values_supported
    if (dpop === true && algorithms && !algorithms.includes(DPOP_ALG))
      throw new OAuthError('dpop_refused', `${metadata.issuer} does not support DPoP with ${DPOP_ALG}`)
    return dpop ?? (wantsDpop && algorithms?.includes(DPOP_ALG) === true)
  }

  #begin(source: TokenSource, scopes: readonly string[], redirectUri: string): Promise<PendingLogin> {
    const { loginTimeoutMs: timeoutMs = LOGIN_WITHIN_MS } = this.#session.options
    const useDpop = this.#usesDpop(source, this.#facts)
    return beginLogin(this.#session, { source, scopes, redirectUri, useDpop, timeoutMs })
  }

  async #login(source: TokenSource, scopes: readonly string[]): Promise<void> {
    const { options, redirectUri } = this.#session
    const { grant, url: server, loginTimeoutMs = LOGIN_WITHIN_MS } = options
    if (grant.type !== 'authorization_code' || !grant.open) throw new LoginRequired(server)
    this.#countLogin()
    const pending = await this.#begin(source, scopes, redirectUri)
    const ending = new AbortController()
    const redirected = await within(grant.open(pending.url, ending.signal), loginTimeoutMs, () => {
      ending.abort()
      throw new OAuthError('timeout', `Nobody logged in to ${server} in time`)
    })
    await this.finishLogin(pending, redirected)
  }

  /** A server that refuses every token must not open one browser window after another. */
  #countLogin(): void {
    const now = Date.now()
    this.#logins = this.#logins.filter(at => now - at < LOGINS_WITHIN_MS)
    if (this.#logins.length >= MOST_LOGINS)
      throw new OAuthError('too_many_logins', 'The server asked for too many logins within a minute')
    this.#logins.push(now)
  }
}

/** An authorizer that logs in to a server by OAuth: pass it to the transports of that server. */
export const oauthAuthorizer = (options: OAuthOptions): OAuthAuthorizer => new OAuthAuthorizer(options)

/** Has most of its life passed? */
function isStale({ expiresAt, obtainedAt }: StoredTokens): boolean {
  if (expiresAt === undefined) return false
  return Date.now() > expiresAt - Math.min(EARLY_MS, (expiresAt - obtainedAt) / 5)
}

const REJECTIONS = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_request',
  'invalid_scope',
])

/** Did the authorization server say no, rather than not answer? */
const isRejected = (error: unknown): boolean => error instanceof OAuthError && REJECTIONS.has(error.code)
