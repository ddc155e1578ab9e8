import { OAuthError } from '../../oauth/fetch-json.ts'
import { within } from '../../support/deadline.ts'
import type { ResponseHeaders } from '../transports/http-client.ts'
import type { AuthorizedRequest, Authorizer, Refusal } from './authorizer.ts'
import { challengesIn } from './challenge.ts'
import type { StoredTokens } from './credential-store.ts'
import { discover } from './discovery.ts'
import type { TokenSource } from './discovery.ts'
import { DPOP_ALG } from './dpop.ts'
import { grantTokens } from './grants.ts'
import { LoginRequired, beginLogin, finishLogin } from './login.ts'
import type { PendingLogin } from './login.ts'
import type { OAuthOptions } from './oauth-options.ts'
import { oauthSession } from './oauth-session.ts'
import type { OAuthSession } from './oauth-session.ts'
import { chosenScopes, factsOf } from './scopes.ts'
import type { ChallengeFacts } from './scopes.ts'
import { TokenKeeper, isOver, isRejected, isStale } from './token-keeper.ts'

type Headers = Readonly<Record<string, string>>

/** Who is logged in, without any secret. */
export interface LoginStatus {
  readonly issuer: string
  readonly scopes: readonly string[]
  /** When the access token ends, in milliseconds since 1970; undefined if it is not known. */
  readonly expiresAt: number | undefined
  /** Is there a refresh token, so that it goes on after that? */
  readonly canRefresh: boolean
  /** Are the tokens bound to a key (DPoP)? */
  readonly isBound: boolean
}

const MOST_ATTEMPTS = 5
const LOGIN_WITHIN_MS = 5 * 60_000
/** A token that is refused so soon after it was issued will be refused again. */
const FRESH_MS = 10_000
const LOGINS_WITHIN_MS = 60_000
const MOST_LOGINS = 3
const NO_FACTS: ChallengeFacts = { scopes: [], resourceMetadata: undefined, wantsDpop: false, error: undefined }

/** Logs in to one server by OAuth 2.1, for one principal. */
export class OAuthAuthorizer implements Authorizer {
  readonly #session: OAuthSession
  readonly #keeper: TokenKeeper
  #renewing: Promise<void> | undefined
  /** Of the last refusal: what a login asks for. */
  #facts = NO_FACTS
  /** The scopes of the last login or grant. */
  #lastGrant: { readonly scopes: readonly string[]; readonly at: number } | undefined
  /** The token that a refresh gave after a refusal. */
  #lastRefresh: string | undefined
  #logins: number[] = []

  constructor(options: OAuthOptions) {
    this.#session = oauthSession(options)
    this.#keeper = new TokenKeeper(this.#session)
  }

  headers(request: AuthorizedRequest): Headers | Promise<Headers> {
    const keeper = this.#keeper
    if (!keeper.isLoaded) return keeper.load().then(() => this.headers(request))
    const { tokens } = keeper
    if (!tokens) return {}
    if (!isStale(tokens)) return keeper.headersFor(tokens, request)
    return this.#refreshEarly(tokens).then(() => (keeper.tokens ? keeper.headersFor(keeper.tokens, request) : {}))
  }

  onResponse(headers: ResponseHeaders): void {
    this.#keeper.learnNonce(headers)
  }

  async onRefused(refusal: Refusal): Promise<void> {
    const facts = factsOf(refusal)
    const { sent, attempt, headers, status } = refusal
    if (facts.error === 'use_dpop_nonce' && sent['dpop'] !== undefined && headers['dpop-nonce'] !== undefined) return
    if (attempt > MOST_ATTEMPTS) throw new OAuthError('refused', 'The server refused every token it was given')
    const used = sent['authorization']?.replace(/^\S+ /, '')
    // Another request was refused first, and has renewed it.
    if (this.#keeper.tokens && this.#keeper.tokens.accessToken !== used) return
    this.#facts = facts
    await this.#once(() => this.#renew(status, facts))
  }

  /**
   * Begin a login whose browser comes back elsewhere: keep what it returns, which is secret, and pass it to `finishLogin`.
   * It asks for what the last refused request needs; before any request, for what the server says that it needs.
   */
  async beginLogin(redirectUri: string = this.#session.redirectUri): Promise<PendingLogin> {
    await this.#keeper.load()
    if (this.#facts === NO_FACTS) this.#facts = await askChallenge(this.#session)
    const source = await this.#discover(this.#facts)
    return this.#begin(source, this.#scopesFor(source, this.#facts), redirectUri)
  }

  /** Finish a login with the whole URL that the browser was sent back to; the next request uses its tokens. */
  async finishLogin(pending: PendingLogin, redirectedUrl: string): Promise<void> {
    const tokens = await finishLogin(this.#session, pending, redirectedUrl)
    this.#lastGrant = { scopes: pending.scopes, at: Date.now() }
    await this.#keeper.keep(tokens)
  }

  /** Who is logged in; undefined if there is no login. */
  async status(): Promise<LoginStatus | undefined> {
    const tokens = await this.#session.store.get(this.#session.key)
    if (!tokens) return undefined
    const { issuer, scopes, expiresAt, refreshToken, dpopKey } = tokens
    return { issuer, scopes, expiresAt, canRefresh: refreshToken !== undefined, isBound: dpopKey !== undefined }
  }

  /** Delete the tokens here and in the store, and ask their issuer to revoke them. */
  logout(): Promise<void> {
    return this.#keeper.delete()
  }

  /** Read the tokens from the store before the next request, since another process logged in or out. */
  reload(): void {
    this.#keeper.reload()
  }

  /** All requests wait for the same renewal. */
  #once(renew: () => Promise<void>): Promise<void> {
    return (this.#renewing ??= renew().finally(() => (this.#renewing = undefined)))
  }

  /** Before a token ends. If that fails and it is still valid, it is used; if not, the server will ask. */
  async #refreshEarly(tokens: StoredTokens): Promise<void> {
    try {
      if (tokens.refreshToken !== undefined) await this.#once(() => this.#keeper.refresh(tokens))
    } catch (error) {
      if (isOver(tokens) && !isRejected(error)) throw error
    }
    const { tokens: current } = this.#keeper
    if (current?.accessToken === tokens.accessToken && isOver(current)) this.#keeper.drop()
  }

  /** Better credentials than those that were refused, or an error. */
  async #renew(status: 401 | 403, facts: ChallengeFacts): Promise<void> {
    const { tokens: refused } = this.#keeper
    if (await this.#keeper.adoptOthers()) return
    const source = await this.#discover(facts)
    const isSame = refused?.issuer === source.metadata.issuer
    if (status === 401 && isSame && (await this.#isRefreshed(refused))) return
    if (status === 401 && isSame && Date.now() - refused.obtainedAt < FRESH_MS)
      throw new OAuthError('refused', 'The server refuses the token that its authorization server has just issued')
    if (status === 403) this.#checkStepUp(facts)
    const scopes = this.#scopesFor(source, facts)
    const { grant } = this.#session.options
    if (grant.type === 'authorization_code') return this.#login(source, scopes)
    const tokens = await grantTokens(this.#session, grant, { source, scopes, useDpop: this.#usesDpop(source, facts) })
    this.#lastGrant = { scopes, at: Date.now() }
    await this.#keeper.keep(tokens)
  }

  async #discover({ resourceMetadata }: ChallengeFacts): Promise<TokenSource> {
    const { server, options, fetchJson } = this.#session
    const { issuer, clientSecret } = options
    const source = await discover(server, { resourceMetadata, issuer }, fetchJson)
    const before = this.#keeper.tokens?.issuer
    if (clientSecret === undefined || issuer !== undefined || before === undefined || before === source.metadata.issuer)
      return source
    throw new OAuthError(
      'issuer_mismatch',
      `The server moved from the authorization server ${before} to ${source.metadata.issuer}. The client secret is not ` +
        'sent there. If the move is intended, configure the new issuer and its client.',
    )
  }

  /** Try the refresh token, unless that is how the refused token was got. */
  async #isRefreshed(refused: StoredTokens): Promise<boolean> {
    if (refused.refreshToken === undefined || this.#lastRefresh === refused.accessToken) return false
    try {
      await this.#keeper.refresh(refused)
    } catch (error) {
      if (!isRejected(error)) throw error
    }
    this.#lastRefresh = this.#keeper.tokens?.accessToken
    return this.#lastRefresh !== undefined && this.#lastRefresh !== refused.accessToken
  }

  #scopesFor({ metadata, scopesSupported }: TokenSource, { scopes }: ChallengeFacts): readonly string[] {
    const { tokens } = this.#keeper
    const held = tokens?.issuer === metadata.issuer ? tokens.scopes : []
    const { scopes: configured = [] } = this.#session.options
    return chosenScopes({ challenged: scopes, held, configured, supported: scopesSupported })
  }

  /** Asking again for what was asked for a moment ago changes nothing. */
  #checkStepUp({ scopes }: ChallengeFacts): void {
    const { scopes: before = [], at = 0 } = this.#lastGrant ?? {}
    const isFutile = scopes.every(scope => before.includes(scope)) && Date.now() - at < LOGINS_WITHIN_MS
    if (isFutile || scopes.length === 0)
      throw new OAuthError('insufficient_scope', `The server wants more rights (${scopes.join(' ')}) than were granted`)
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
      throw new OAuthError('timeout', `The login to ${server} was not finished in time`)
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

/** What the server wants of a request without credentials. */
async function askChallenge({ server, fetchJson }: OAuthSession): Promise<ChallengeFacts> {
  try {
    const { status, headers } = await fetchJson({ url: server.href })
    return status === 401 ? factsOf({ challenges: challengesIn(headers) }) : NO_FACTS
  } catch {
    // It may not answer such a request at all, and still have metadata.
    return NO_FACTS
  }
}

/** An authorizer that logs in to a server by OAuth: pass it to the transports of that server. */
export const oauthAuthorizer = (options: OAuthOptions): OAuthAuthorizer => new OAuthAuthorizer(options)
