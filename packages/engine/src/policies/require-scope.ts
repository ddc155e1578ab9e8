import { insufficientScope, missingScopes } from '../auth/scopes.ts'
import type { Policy } from '../call.ts'

/** Refuse callers whose token lacks one of these scopes. Where nobody has to show a token, nobody is refused. */
export function requireScope(...scopes: readonly string[]): Policy {
  return (call, next) => {
    const { principal } = call.caller
    if (principal && missingScopes(principal, scopes).length > 0) throw insufficientScope(scopes)
    return next(call)
  }
}
