import type { Awaitable } from '../call.ts'
import type { Principal } from './principal.ts'

/** Why a client is asked for a (better) token. */
export type ChallengeReason = 'missing' | 'invalid' | 'scope'

/** Tells who a token belongs to. One that answers at once costs no promise. */
export interface Authenticator {
  /** The principal, or undefined for a token nobody has. */
  authenticate(token: string): Awaitable<Principal | undefined>
  /** The `WWW-Authenticate` header of a refusal. Default: `Bearer`, with the error where there is one. */
  challenge?(why: ChallengeReason): string
}

const ERRORS = { missing: '', invalid: ' error="invalid_token"', scope: ' error="insufficient_scope"' } as const

/** What a refusal asks the client for. */
export const challengeOf = (authenticator: Authenticator, why: ChallengeReason): string =>
  authenticator.challenge?.(why) ?? `Bearer${ERRORS[why]}`
