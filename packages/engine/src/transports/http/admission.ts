import { challengeOf } from '../../auth/authenticator.ts'
import type { AuthenticationRequest, Authenticator, ChallengeReason } from '../../auth/authenticator.ts'
import { tokenIn } from '../../auth/bearer.ts'
import type { Principal } from '../../auth/principal.ts'
import { missingScopes, needs } from '../../auth/scopes.ts'
import { after } from '../../awaitable.ts'
import type { Awaitable } from '../../call.ts'
import { codes } from '../../jsonrpc/errors.ts'
import type { Server } from '../../server.ts'
import { within } from '../../support/deadline.ts'
import { Refusal } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { createGuard } from './origin-check.ts'
import type { Guard, GuardOptions } from './origin-check.ts'

/** Who may use a server, and from where. */
export interface AdmissionOptions extends GuardOptions {
  readonly authenticator?: Authenticator
}

/** Who asks for a path: an exchange, or a request to upgrade. */
export type Visitor = Pick<Exchange, 'method' | 'path' | 'header' | 'address' | 'tlsPeer' | 'principal'>

// How long an authenticator may take to look at one token.
const AUTHENTICATE_MS = 10_000

/** The one place where requests are let in, upgrades included: first where they come from, then who sends them. */
export class Admission {
  readonly #guard: Guard
  readonly #authenticator: Authenticator | undefined
  readonly #log: Server['log']

  constructor(options: AdmissionOptions, log: Server['log']) {
    this.#guard = createGuard({ ...options, needsToken: options.authenticator !== undefined })
    this.#authenticator = options.authenticator
    this.#log = log
  }

  /** Refuse a request from a web page or under a host name that is not allowed; gives the CORS headers of its answer. */
  checkOrigin(request: Pick<Exchange, 'header'>): Readonly<Record<string, string>> | undefined {
    return this.#guard.check(request)
  }

  /** Who sends this request; refused if authentication is required and missing. */
  authenticate(request: Visitor): Awaitable<Principal | undefined> {
    const authenticator = this.#authenticator
    if (!authenticator) return undefined
    const authorization = request.header('authorization')
    const seen = toAuthenticationRequest(request, tokenIn(authorization))
    return after(this.#lookUp(authenticator, seen), found => {
      if (found && 'wantedScopes' in found) throw this.forbidden(found.wantedScopes)
      if (found && !hasExpired(found)) return found
      throw this.#unauthorized(authorization === undefined && !found ? 'missing' : 'invalid')
    })
  }

  /** Refuse a principal that lacks scopes. Without an authenticator there are no scopes, and none are needed. */
  checkScopes(principal: Principal | undefined, scopes: readonly string[]): void {
    if (principal && missingScopes(principal, scopes).length > 0) throw this.forbidden(scopes)
  }

  /** The header that asks for a token with these scopes. */
  challenge(scopes: readonly string[]): string {
    return challengeOf(this.#authenticator, 'scope', scopes)
  }

  forbidden(scopes: readonly string[]): Refusal {
    return new Refusal(403, needs(scopes), codes['insufficient-scope'], { 'WWW-Authenticate': this.challenge(scopes) })
  }

  #unauthorized(why: ChallengeReason): Refusal {
    return new Refusal(401, 'Unauthorized: send a valid token as Authorization: Bearer', -32000, {
      'WWW-Authenticate': challengeOf(this.#authenticator, why),
    })
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

const toAuthenticationRequest = (request: Visitor, token: string | undefined): AuthenticationRequest => ({
  method: request.method,
  path: request.path,
  address: request.address,
  token,
  get tlsPeer() {
    return request.tlsPeer
  },
  header: name => request.header(name),
})

const tookTooLong = (): never => {
  throw new Error(`The authenticator took longer than ${AUTHENTICATE_MS} ms`)
}

const hasExpired = ({ expiresAt }: Principal): boolean => expiresAt !== undefined && expiresAt <= Date.now()

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
    timer.unref()
  }
  wait()
  return () => {
    clearTimeout(timer)
    stopHearing()
  }
}
