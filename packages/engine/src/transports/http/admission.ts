import { challengeOf } from '../../auth/authenticator.ts'
import type { Authenticator, ChallengeReason } from '../../auth/authenticator.ts'
import { tokenIn } from '../../auth/bearer.ts'
import type { Principal } from '../../auth/principal.ts'
import { after } from '../../awaitable.ts'
import type { Awaitable } from '../../call.ts'
import type { Server } from '../../server.ts'
import { Refusal } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { createGuard } from './origin-check.ts'
import type { Guard, GuardOptions } from './origin-check.ts'

/** Who may use a server, and from where. */
export interface AdmissionOptions extends GuardOptions {
  readonly authenticator?: Authenticator
}

// How long an authenticator may take to look at one token.
const AUTHENTICATE_MS = 10_000

/** The one place where requests are let in, upgrades included: first where they come from, then who sends them. */
export class Admission {
  readonly #guard: Guard
  readonly #authenticator: Authenticator | undefined
  readonly #log: Server['log']

  constructor(options: AdmissionOptions, log: Server['log']) {
    this.#guard = createGuard(options)
    this.#authenticator = options.authenticator
    this.#log = log
  }

  /** Refuse a request from a web page or under a host name that is not allowed; gives the CORS headers of its answer. */
  checkOrigin(request: Pick<Exchange, 'header'>): Readonly<Record<string, string>> | undefined {
    return this.#guard.check(request)
  }

  /** Who sends this request; refused where a token is needed and it has none that is valid. */
  authenticate(request: Pick<Exchange, 'header'>): Awaitable<Principal | undefined> {
    const authenticator = this.#authenticator
    if (!authenticator) return undefined
    const authorization = request.header('authorization')
    const token = tokenIn(authorization)
    if (token === undefined) throw unauthorized(authenticator, authorization === undefined ? 'missing' : 'invalid')
    return after(this.#lookUp(authenticator, token), principal => {
      if (principal === undefined || hasExpired(principal)) throw unauthorized(authenticator, 'invalid')
      return principal
    })
  }

  #lookUp(authenticator: Authenticator, token: string): Awaitable<Principal | undefined> {
    const fail = (error: unknown): never => {
      this.#log('error', 'a token could not be checked', { error })
      throw new Refusal(503, 'The token could not be checked. Try again later.', -32004, { 'Retry-After': '10' })
    }
    try {
      const found = authenticator.authenticate(token)
      return found instanceof Promise ? within(found, AUTHENTICATE_MS).catch(fail) : found
    } catch (error) {
      return fail(error)
    }
  }
}

const hasExpired = ({ expiresAt }: Principal): boolean => expiresAt !== undefined && expiresAt <= Date.now()

const unauthorized = (authenticator: Authenticator, why: ChallengeReason): Refusal =>
  new Refusal(401, 'Unauthorized: send a valid token as Authorization: Bearer', -32000, {
    'WWW-Authenticate': challengeOf(authenticator, why),
  })

function within<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`The authenticator took longer than ${ms} ms`)), ms)
    work.then(resolve, reject).finally(() => clearTimeout(late))
  })
}

// The longest a timer can wait.
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Calls back when a principal's token ends; the returned function stops waiting for that. */
export function onExpiry(principal: Principal | undefined, expired: () => void): () => void {
  if (principal?.expiresAt === undefined) return () => {}
  const { expiresAt } = principal
  let timer: NodeJS.Timeout
  const wait = (): void => {
    const left = expiresAt - Date.now()
    timer = setTimeout(left > LONGEST_TIMER_MS ? wait : expired, Math.min(Math.max(0, left), LONGEST_TIMER_MS))
    timer.unref()
  }
  wait()
  return () => clearTimeout(timer)
}
