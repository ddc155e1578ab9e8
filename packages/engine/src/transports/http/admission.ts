import { challengeOf } from '../../auth/authenticator.ts'
import type { AuthenticationRequest, Authenticator, ChallengeDetails, RefusedToken } from '../../auth/authenticator.ts'
import { dpopTokenIn, tokenIn } from '../../auth/bearer.ts'
import type { Principal } from '../../auth/principal.ts'
import { missingScopes, needs } from '../../auth/scopes.ts'
import { after } from '../../awaitable.ts'
import type { Awaitable } from '../../call.ts'
import { codes } from '../../jsonrpc/errors.ts'
import type { Server } from '../../server.ts'
import { rarely } from '../../log/rarely.ts'
import { within } from '../../support/deadline.ts'
import { unref } from '../../support/unref.ts'
import type { EndpointScopes } from '../protected/endpoint-scopes.ts'
import type { EndpointUrls } from '../protected/endpoint-urls.ts'
import { Refusal } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { createGuard } from './origin-check.ts'
import type { Guard, GuardOptions } from './origin-check.ts'

/** Who may use a server, and from where. */
export interface AdmissionOptions extends GuardOptions {
  readonly authenticator?: Authenticator
}

/** What is known of the endpoints that requests are let in to. */
export interface AdmissionNeeds {
  readonly urls: EndpointUrls
  readonly scopes: EndpointScopes
  readonly log: Server['log']
}

/** Who asks for a path: an exchange, or a request to upgrade. */
export type Visitor = Pick<Exchange, 'method' | 'path' | 'header' | 'address' | 'tlsPeer' | 'principal' | 'connection'>

// How long an authenticator may take to look at one token.
const AUTHENTICATE_MS = 10_000
// An issuer that is away would fill the log.
const LOG_MS = 1_000

/** The one place where requests are let in, upgrades included: first where they come from, then who sends them. */
export class Admission {
  readonly #guard: Guard
  readonly #authenticator: Authenticator | undefined
  readonly #urls: EndpointUrls
  readonly #scopes: EndpointScopes
  readonly #log: Server['log']

  constructor(options: AdmissionOptions, { urls, scopes, log }: AdmissionNeeds) {
    this.#guard = createGuard({ ...options, needsToken: options.authenticator !== undefined })
    this.#authenticator = options.authenticator
    this.#urls = urls
    this.#scopes = scopes
    this.#log = rarely(log, LOG_MS)
  }

  /** Refuse a request from a web page or under a host name that is not allowed; gives the CORS headers of its answer. */
  checkOrigin(request: Pick<Exchange, 'header'>): Readonly<Record<string, string>> | undefined {
    return this.#guard.check(request)
  }

  /** Who sends this request; refused if authentication is required and missing. `scopes` are those of its route. */
  authenticate(request: Visitor, scopes: readonly string[] = []): Awaitable<Principal | undefined> {
    const authenticator = this.#authenticator
    // What the handler is mounted in may know already who it is.
    if (request.principal) {
      if (hasExpired(request.principal)) throw this.#unauthorized(request, scopes, EXPIRED)
      return request.principal
    }
    if (!authenticator) return undefined
    return after(this.#lookUp(authenticator, new SeenRequest(request, this.#urls)), found => {
      if (found && 'wantedScopes' in found) throw this.forbidden(found.wantedScopes, request)
      if (found && 'name' in found && !hasExpired(found)) return found
      const refused = found && 'refused' in found ? found : undefined
      return after(this.#scopes(request.path), needed => {
        throw this.#unauthorized(request, [...scopes, ...needed], refused ?? (found && EXPIRED))
      })
    })
  }

  /** Refuse a principal that lacks scopes. Without an authenticator there are no scopes, and none are needed. */
  checkScopes(visitor: Visitor, scopes: readonly string[]): void {
    const { principal } = visitor
    if (principal && missingScopes(principal, scopes).length > 0) throw this.forbidden(scopes, visitor)
  }

  /** The header that asks for a token with these scopes. */
  challenge(scopes: readonly string[], visitor: Pick<Visitor, 'path' | 'header'>): string {
    return challengeOf(this.#authenticator, 'scope', scopes, {
      ...this.#details(visitor),
      ...(this.#authenticator?.authorizationServers && { description: 'The token lacks scopes that this needs' }),
    })
  }

  forbidden(scopes: readonly string[], visitor: Pick<Visitor, 'path' | 'header'>): Refusal {
    const headers = { 'WWW-Authenticate': this.challenge(scopes, visitor) }
    return new Refusal(403, needs(scopes), codes['insufficient-scope'], headers)
  }

  #unauthorized(visitor: Visitor, scopes: readonly string[], refused: RefusedToken | undefined): Refusal {
    const isMissing = visitor.header('authorization') === undefined && !refused
    const hint = refused?.refused ?? 'send a valid token as Authorization: Bearer'
    const details = { ...this.#details(visitor), error: refused?.error, description: refused?.refused }
    return new Refusal(401, `Unauthorized: ${hint}`, -32000, {
      'WWW-Authenticate': challengeOf(this.#authenticator, isMissing ? 'missing' : 'invalid', scopes, details),
      ...refused?.headers,
    })
  }

  /** Where a client learns how to get a token, if one can be got. */
  #details(visitor: Pick<Visitor, 'path' | 'header'>): ChallengeDetails {
    if (!this.#authenticator?.authorizationServers) return {}
    return { resourceMetadata: this.#urls.metadataOf(visitor) }
  }

  #lookUp(authenticator: Authenticator, request: AuthenticationRequest): ReturnType<Authenticator['authenticate']> {
    const fail = (error: unknown): never => {
      this.#log('error', 'a token could not be checked', { error })
      throw new Refusal(503, 'The token could not be checked. Try again later.', -32004, { 'Retry-After': '10' })
    }
    try {
      const found = authenticator.authenticate(request)
      return found instanceof Promise ? within(found, AUTHENTICATE_MS, tookTooLong).catch(fail) : found
    } catch (error) {
      return fail(error)
    }
  }
}

const EXPIRED: RefusedToken = { refused: 'The token has expired' }

/** What an authenticator sees. Every request makes one, so what takes time to find out is found out when it is asked for. */
class SeenRequest implements AuthenticationRequest {
  readonly #request: Visitor
  readonly #urls: EndpointUrls

  constructor(request: Visitor, urls: EndpointUrls) {
    this.#request = request
    this.#urls = urls
  }

  get token(): string | undefined {
    return tokenIn(this.#request.header('authorization'))
  }

  get connection(): object | undefined {
    return this.#request.connection
  }

  get method(): string {
    return this.#request.method
  }

  get path(): string {
    return this.#request.path
  }

  get url(): string {
    return this.#urls.urlOf(this.#request)
  }

  get resource(): string {
    return this.#urls.resourceOf(this.#request)
  }

  get address(): string {
    return this.#request.address
  }

  get dpopToken(): string | undefined {
    return this.token === undefined ? dpopTokenIn(this.#request.header('authorization')) : undefined
  }

  get tlsPeer(): AuthenticationRequest['tlsPeer'] {
    return this.#request.tlsPeer
  }

  header(name: string): string | undefined {
    return this.#request.header(name)
  }
}

const tookTooLong = (): never => {
  throw new Error(`The authenticator took longer than ${AUTHENTICATE_MS} ms`)
}

const hasExpired = ({ expiresAt, revoked }: Principal): boolean =>
  (expiresAt !== undefined && expiresAt <= Date.now()) || revoked?.aborted === true

// The longest a timer can wait.
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Calls back when a principal's token ends, by its time or because it is taken back; the returned function stops waiting for that. */
export function onExpiry(principal: Principal | undefined, expired: () => void): () => void {
  const { expiresAt, revoked } = principal ?? {}
  revoked?.addEventListener('abort', expired, { once: true })
  const stopHearing = (): void => revoked?.removeEventListener('abort', expired)
  if (expiresAt === undefined) return stopHearing
  let timer: NodeJS.Timeout
  const wait = (): void => {
    const left = expiresAt - Date.now()
    timer = setTimeout(left > LONGEST_TIMER_MS ? wait : expired, Math.min(Math.max(0, left), LONGEST_TIMER_MS))
    unref(timer)
  }
  wait()
  return () => {
    clearTimeout(timer)
    stopHearing()
  }
}
