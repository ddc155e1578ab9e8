import { readFile } from 'node:fs/promises'
import { LoginRequired, oauthAuthorizer } from '@causeway/engine/client'
import type { Authorizer, CredentialStore, OAuthAuthorizer, OAuthGrant, TokensKey } from '@causeway/engine/client'
import { hasAuthorization } from '../config/upstream-config.ts'
import type { RemoteTarget, UpstreamAuth, UpstreamConfig } from '../config/upstream-config.ts'
import { unavailable } from '../upstream/backoff.ts'
import { loginProblem } from '../upstream/causes.ts'
import { asksForLogin, loginNeeded } from './login-need.ts'
import { principalOf } from './principals.ts'
import type { Asker } from './principals.ts'

/** What logins to all servers have in common. */
export interface LoginServices {
  readonly store: CredentialStore
  /** Are clients without a token all the one user of this machine? */
  isLocal(): boolean
  /** Where browsers come back to; empty where no page is served. */
  redirectUri(): string
  /** A server wants a login of a person. */
  onNeeded(server: string): void
}

// Whose tokens those are that the gateway has for itself. No token can have this name.
const GATEWAY = 'gateway itself'
const MOST_PRINCIPALS = 10_000
const LONGEST_ASSERTION = 64 * 1024
// How long a server is not asked again for a principal that it refused.
const REFUSED_MS = 5000

interface Refused {
  readonly error: Error
  readonly until: number
}

/** The logins to one server: one for each principal, or one of the gateway's own. */
export class UpstreamLogin {
  readonly url: string
  readonly #config: UpstreamConfig
  readonly #auth: UpstreamAuth
  readonly #services: LoginServices
  readonly #authorizers = new Map<string, OAuthAuthorizer>()
  /** For connections without a principal: they have no credentials, and ask for none. */
  readonly #nobody: Authorizer
  /** Principals that were refused a moment ago, and why. */
  readonly #refused = new Map<string, Refused>()
  #isNeeded = false
  #lister: string | undefined

  constructor(config: UpstreamConfig, target: RemoteTarget, services: LoginServices) {
    this.#config = config
    this.#auth = config.auth ?? { grant: 'authorization_code', scopes: [] }
    this.#services = services
    this.url = target.url
    this.#nobody = {
      headers: () => ({}),
      onRefused: () => Promise.reject(new LoginRequired(target.url)),
    }
  }

  /** Do people log in, each for themselves? */
  get isPersonal(): boolean {
    return this.#auth.grant === 'authorization_code'
  }

  /** Did the server ask for a login of a person? From then on each principal has connections of its own. */
  get isNeeded(): boolean {
    return this.#isNeeded
  }

  /** Is what the server tells one user no business of the others? */
  get isPrivate(): boolean {
    return this.#isNeeded && !this.#services.isLocal()
  }

  /** Is it a call of that principal? */
  isOf(principal: string | undefined, caller: Asker['caller']): boolean {
    return principal !== undefined && principalOf({ caller, link: { address: 'unknown' } }, false) === principal
  }

  /** The principal with whose login the server's lists are asked for. */
  get lister(): string | undefined {
    return this.#lister
  }

  /** The server refused a request without a login. */
  needed(): void {
    if (this.#isNeeded || !this.isPersonal) return
    this.#isNeeded = true
    this.#services.onNeeded(this.#config.name)
  }

  /** What a call gets whose request failed because its principal has no login, or one that is of no use. */
  refusalOf(error: Error, principal: string | undefined): Error | undefined {
    if (!this.isPersonal) return undefined
    const problem = loginProblem(error)
    if (asksForLogin(error)) this.needed()
    else if (problem === undefined) return undefined
    const { name } = this.#config
    const refusal = problem === undefined ? loginNeeded(name) : unavailable(name, problem, REFUSED_MS)
    if (principal === undefined) return refusal
    if (principal === this.#lister) this.#lister = undefined
    if (this.#refused.size > MOST_PRINCIPALS) this.#refused.clear()
    this.#refused.set(principal, { error: refusal, until: Date.now() + REFUSED_MS })
    return refusal
  }

  /** Refuse at once a call whose principal was refused a moment ago. */
  check(user: Asker | undefined): void {
    const principal = this.principalOf(user)
    if (principal === undefined && this.#isNeeded && !user) throw loginNeeded(this.#config.name)
    const { error, until = 0 } = this.#refused.get(principal ?? '') ?? {}
    if (error && until > Date.now()) throw error
  }

  /** Whose connection a call needs; undefined where no credentials are used. */
  principalOf(user: Asker | undefined): string | undefined {
    if (!this.#isNeeded) return undefined
    return user ? principalOf(user, this.#services.isLocal()) : this.#lister
  }

  /** What gives the connections of a principal their credentials. */
  authorizerFor(principal: string | undefined): Authorizer {
    if (!this.isPersonal) return this.of(GATEWAY)
    return principal === undefined ? this.#nobody : this.of(principal)
  }

  /** The login of one principal. */
  of(principal: string): OAuthAuthorizer {
    const known = this.#authorizers.get(principal)
    const authorizer = known ?? this.#make(principal)
    this.#authorizers.delete(principal)
    this.#authorizers.set(principal, authorizer)
    const [oldest] = this.#authorizers.keys()
    if (this.#authorizers.size > MOST_PRINCIPALS && oldest !== undefined) this.#authorizers.delete(oldest)
    return authorizer
  }

  /** What the store has of a principal; a text that changes with each login. */
  async mark(principal: string): Promise<string | undefined> {
    const key: TokensKey = { kind: 'tokens', principal, server: this.url }
    const tokens = await this.#services.store.get(key)
    return tokens && `${tokens.obtainedAt} ${tokens.scopes.join(' ')}`
  }

  /** A principal logged in, here or in another process. */
  loggedIn(principal: string): void {
    this.#isNeeded = true
    this.#lister ??= principal
    this.#refused.delete(principal)
    this.#authorizers.get(principal)?.reload()
  }

  /** A connection with the login of a principal is open. */
  works(principal: string | undefined): void {
    this.#lister ??= principal
  }

  /** Use the login of a principal for lists, if there is one and no other is used. */
  async offer(caller: Asker['caller']): Promise<boolean> {
    // Where a caller is, lists do not know.
    const principal = principalOf({ caller, link: { address: 'unknown' } }, this.#services.isLocal())
    if (principal === undefined || (await this.mark(principal)) === undefined) return false
    this.#lister ??= principal
    return true
  }

  #make(principal: string): OAuthAuthorizer {
    const { clientId, clientSecret, privateKey, scopes, clientMetadataUrl, dpop, issuer, assumePkce } = this.#auth
    return oauthAuthorizer({
      url: this.url,
      grant: this.#grant(),
      principal,
      store: this.#services.store,
      scopes,
      isTrusted: this.#config.trusted !== false,
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret !== undefined && { clientSecret }),
      ...(privateKey && { privateKey }),
      ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
      ...(dpop !== undefined && { dpop }),
      ...(issuer !== undefined && { issuer }),
      ...(assumePkce !== undefined && { assumePkce }),
    })
  }

  #grant(): OAuthGrant {
    const { grant, assertionFile, provider, idTokenFile } = this.#auth
    if (grant === 'client_credentials') return { type: grant }
    if (grant === 'jwt_bearer') return { type: grant, assertion: () => readToken('assertionFile', assertionFile) }
    if (grant === 'enterprise' && provider)
      return { type: grant, provider, idToken: () => readToken('idTokenFile', idTokenFile) }
    return { type: 'authorization_code', redirectUri: this.#services.redirectUri() }
  }
}

/** The logins to a server; undefined for programs, and where the operator gives the server a token. */
export function upstreamLogin(config: UpstreamConfig, services: LoginServices): UpstreamLogin | undefined {
  const { target } = config
  return target.kind === 'stdio' || hasAuthorization(target) ? undefined : new UpstreamLogin(config, target, services)
}

async function readToken(key: string, file = ''): Promise<string> {
  const text = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (text === '' || text.length > LONGEST_ASSERTION)
    throw new Error(`The file in "${key}" cannot be read, is empty, or is too long`)
  return text
}
