import { followedScopeRules } from '@causeway/engine/policies'
import type { FollowedScopeRules } from '@causeway/engine/policies'
import type { Config } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'

/** The scopes that calls need, as configured. */
export function scopesOf({ auth, needsToken }: Pick<Config, 'auth' | 'needsToken'>): FollowedScopeRules {
  const rules = explained(() => followedScopeRules(auth.scopes))
  if (rules.restricts && !needsToken)
    throw new UsageError('auth.scopes needs tokens: name --auth-issuer URL or --token-file FILE, too.', 4)
  return rules
}

/** A mistake in the configuration, for the operator. */
export function explained<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new UsageError(`auth: ${error instanceof Error ? error.message : String(error)}.`, 4)
  }
}
