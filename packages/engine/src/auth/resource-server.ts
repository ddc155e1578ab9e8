import { after } from '../awaitable.ts'
import type { Awaitable } from '../call.ts'
import { onceMemory } from '../stores/once-memory.ts'
import type { AuthenticationRequest, Authenticator, DpopMode, RefusedToken } from './authenticator.ts'
import type { TokenFile } from './bearer.ts'
import { TokenProblem, confirmationIn, principalName, scopesIn, textsIn } from './claims.ts'
import type { Claims, VerifiedToken } from './claims.ts'
import { DpopProofs } from './dpop-proof.ts'
import type { SharedOnce } from './dpop-nonces.ts'
import { LastShown } from './last-shown.ts'
import { introspector } from './introspect.ts'
import { Issuer } from './issuer.ts'
import type { IssuerOptions } from './issuer.ts'
import type { Principal } from './principal.ts'
import type { ScopeRules } from './scope-rules.ts'
import { bindingProblem } from './token-binding.ts'
import { VerifiedTokens, tokenHash } from './verified-tokens.ts'
import { looksLikeJwt, verifyJwt } from './verify-jwt.ts'

/** Whose tokens are taken, and how. */
export interface ResourceServerOptions {
  readonly issuers: readonly IssuerOptions[]
  /** Other tokens that are accepted, such as those of a file. */
  readonly tokens?: TokenFile | undefined
  /** Says which scopes imply others. */
  readonly scopes?: Pick<ScopeRules, 'expand'> | undefined
  /** Take tokens that are bound to a key (RFC 9449), or no others. Default: neither. */
  readonly dpop?: DpopMode | undefined
  /**
   * What several processes know together of proofs that were used. It must forget none before its time, but throw.
   * Default: kept in this process.
   */
  readonly shared?: SharedOnce | undefined
  /** How long an issuer may take to answer. Default: 5 s. */
  readonly timeoutMs?: number | undefined
}

const MOST_VERIFIED = 10_000
const MOST_REFUSED = 1_000
// A proof is remembered for four minutes. Where there is no room, proofs are refused.
const MOST_PROOFS = 500_000
const MOST_ISSUERS = 32
const LONGEST_TOKEN = 16 * 1024
const HOUR_MS = 3_600_000
const INTROSPECTED_MS = 60_000
// How long an issuer is not asked again about a token that it does not know.
const UNKNOWN_MS = 10_000

interface RefusedUntil {
  readonly until: number
  readonly refused: string
}

/** What can be exchanged while tokens are in use. */
export type ReplacedIssuers = Pick<ResourceServerOptions, 'issuers'>

/** Tokens of issuers that can be exchanged for others while they are in use. */
export interface FollowedIssuers extends Authenticator {
  readonly authorizationServers: readonly string[]
  /**
   * Take the tokens of these issuers from now on, or throw and change nothing; the issuers whose tokens ended. What was opened
   * with a token of an issuer that is gone, or that takes less than before, ends.
   */
  replace(changed: ReplacedIssuers): readonly string[]
}

/** An authenticator that takes the tokens of authorization servers: JWTs, and others by introspection. */
export function resourceServer(options: ResourceServerOptions): FollowedIssuers {
  const { dpop, shared = dpop && onceMemory({ maxValues: MOST_PROOFS }) } = options
  const proofs = shared && dpop ? new DpopProofs(shared) : undefined
  let server = new ResourceServer(options, proofs)
  const authenticate: Authenticator['authenticate'] = request => {
    const asked = server
    const found = asked.authenticate(request)
    // It was exchanged while a token was being verified.
    return found instanceof Promise ? found.then(it => (asked === server ? it : authenticate(request))) : found
  }
  return {
    authenticate,
    dpop,
    get authorizationServers() {
      return server.issuers.map(({ name }) => name)
    },
    replace({ issuers }) {
      const before = server
      server = new ResourceServer({ ...options, issuers }, proofs, before)
      const kept = new Set(server.issuers.map(({ revocation }) => revocation))
      const ended = before.issuers.filter(({ revocation }) => !kept.has(revocation))
      for (const { revocation } of ended) revocation.abort()
      return ended.map(({ name }) => name)
    },
  }
}

/** An issuer as it is described now. What was known of it stays, and so do its tokens unless it takes less than before. */
function issuerLike(described: IssuerOptions, timeoutMs: number | undefined, before: Issuer | undefined): Issuer {
  const made = new Issuer(described, timeoutMs)
  if (!before?.isWithin(made)) return made
  return made.isWithin(before) ? before : new Issuer(described, timeoutMs, before.revocation)
}

class ResourceServer {
  readonly issuers: readonly Issuer[]
  readonly #options: ResourceServerOptions
  readonly #byName: ReadonlyMap<unknown, Issuer>
  readonly #introspection: { readonly issuer: Issuer; readonly ask: (token: string) => Promise<Claims> } | undefined
  readonly #verified = new VerifiedTokens(MOST_VERIFIED)
  /** Only of tokens that are good. */
  readonly #last = new LastShown<VerifiedToken>()
  readonly #refused = new VerifiedTokens<RefusedUntil>(MOST_REFUSED)
  readonly #running = new Map<string, Promise<VerifiedToken | RefusedToken>>()
  readonly #expanded = new WeakMap<Principal, Principal>()
  readonly #proofs: DpopProofs | undefined

  constructor(options: ResourceServerOptions, proofs: DpopProofs | undefined, before?: ResourceServer) {
    const issuers = options.issuers.map(one =>
      issuerLike(
        one,
        options.timeoutMs,
        before?.issuers.find(({ name }) => name === one.issuer),
      ),
    )
    if (issuers.length === 0 || issuers.length > MOST_ISSUERS)
      throw new TypeError(`There must be 1 to ${MOST_ISSUERS} issuers`)
    const [introspecting, another] = issuers.filter(({ introspection }) => introspection)
    if (another)
      throw new TypeError('Only one issuer may have introspection: a token that is not a JWT does not say whose it is')
    this.#options = options
    this.issuers = issuers
    this.#byName = new Map(issuers.map(issuer => [issuer.name, issuer]))
    if (this.#byName.size < issuers.length) throw new TypeError('An issuer is configured twice')
    if (introspecting?.introspection)
      this.#introspection = { issuer: introspecting, ask: introspector(introspecting, introspecting.introspection) }
    this.#proofs = proofs
  }

  authenticate(request: AuthenticationRequest): Awaitable<Principal | RefusedToken | undefined> {
    const last = this.#last.get(request)
    if (last && last.until > Date.now()) return this.#admit(last, request, true)
    const lastListed = this.#options.tokens?.shownLast?.(request)
    return lastListed ? this.#withImplied(lastListed) : this.#lookUp(request)
  }

  /** A token that the connection did not show before. */
  #lookUp(request: AuthenticationRequest): Awaitable<Principal | RefusedToken | undefined> {
    const { token: bearer } = request
    const isBearer = bearer !== undefined
    const token = bearer ?? request.dpopToken
    if (token === undefined) return undefined
    const hash = tokenHash(token)
    const known = this.#verified.get(hash)
    if (known) {
      if (isBearer) this.#last.set(request, known)
      return this.#admit(known, request, isBearer)
    }
    const listed = isBearer ? this.#options.tokens?.authenticate(request) : undefined
    if (listed) return this.#withImplied(listed)
    return this.#verifyOnce(token, hash).then(found =>
      'refused' in found ? found : this.#admit(found, request, isBearer),
    )
  }

  /** Is a token that is good in itself also good here, and in the hands of this client? */
  #admit(found: VerifiedToken, request: AuthenticationRequest, isBearer: boolean): Awaitable<Principal | RefusedToken> {
    const { principal, audiences, issuer, confirmation } = found
    const { resource } = request
    const isOurs = (name: string): boolean =>
      isSameResource(name, resource) || this.#byName.get(issuer)?.audiences.includes(name) === true
    if (audiences[0] !== resource && !audiences.some(isOurs))
      return { refused: `The token is not for this endpoint: get one for the resource ${resource}` }
    const { dpop } = this.#options
    // Nearly all tokens are bound to nothing.
    if (!confirmation && dpop !== 'require' && isBearer) return principal
    const problem = bindingProblem(confirmation ?? {}, request, { dpop, proofs: this.#proofs })
    return after(problem, why => why ?? principal)
  }

  #withImplied(principal: Principal): Principal {
    const { scopes: rules } = this.#options
    if (!rules || !principal.scopes) return principal
    const known = this.#expanded.get(principal) ?? { ...principal, scopes: rules.expand(principal.scopes) }
    this.#expanded.set(principal, known)
    return known
  }

  /** Requests that show the same token at once wait for one verification. */
  #verifyOnce(token: string, hash: string): Promise<VerifiedToken | RefusedToken> {
    const refused = this.#refused.get(hash)
    if (refused) return Promise.resolve({ refused: refused.refused })
    const running = this.#running.get(hash) ?? this.#verify(token, hash).finally(() => this.#running.delete(hash))
    this.#running.set(hash, running)
    return running
  }

  async #verify(token: string, hash: string): Promise<VerifiedToken | RefusedToken> {
    try {
      const verified = await this.#read(token)
      this.#verified.set(hash, verified)
      return verified
    } catch (error) {
      if (!(error instanceof TokenProblem)) throw error
      if (!looksLikeJwt(token)) this.#refused.set(hash, { refused: error.message, until: Date.now() + UNKNOWN_MS })
      return { refused: error.message }
    }
  }

  async #read(token: string): Promise<VerifiedToken> {
    if (token.length > LONGEST_TOKEN) throw new TokenProblem('The token is too long')
    if (looksLikeJwt(token)) {
      const { claims, issuer } = await verifyJwt(token, this.#byName)
      return this.#toVerified(claims, issuer, HOUR_MS)
    }
    // Tokens that are made here are never sent to an issuer.
    if (!this.#introspection || token.startsWith('cw_')) throw new TokenProblem('The token is not known here')
    const { issuer, ask } = this.#introspection
    return this.#toVerified(await ask(token), issuer, INTROSPECTED_MS)
  }

  #toVerified(claims: Claims, { name: issuer, revocation }: Issuer, mostMs: number): VerifiedToken {
    const scopes = scopesIn(claims)
    const now = Date.now()
    // An issuer that is asked every minute may leave the end open, but streams do not last forever.
    const expiresAt = typeof claims.exp === 'number' ? claims.exp * 1000 : now + HOUR_MS
    const name = principalName(issuer, claims)
    return {
      issuer,
      principal: {
        name,
        scopes: this.#options.scopes?.expand(scopes) ?? scopes,
        claims,
        expiresAt,
        revoked: revocation.signal,
      },
      audiences: textsIn(claims.aud),
      confirmation: confirmationIn(claims),
      until: Math.min(expiresAt, now + mostMs),
    }
  }
}

/** A WebSocket is dialled as ws(s), and named like any other endpoint in the metadata. */
const isSameResource = (audience: string, resource: string): boolean =>
  audience === resource || (/^wss?:/.test(audience) && audience.replace(/^ws/, 'http') === resource)
