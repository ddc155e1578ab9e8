import { insufficientScope, missingScopes } from '../auth/scopes.ts'
import type { Policy } from '../call.ts'

/** Refuse callers whose token lacks one of these scopes. Without authentication, no caller is refused. */
export function requireScope(...scopes: readonly string[]): Policy {
  return (call, next) => {
    const { principal } = call.caller
    if (principal && missingScopes(principal, scopes).length > 0) throw insufficientScope(scopes)
    return next(call)
  }
}
