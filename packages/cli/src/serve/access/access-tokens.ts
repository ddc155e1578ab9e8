import { isLoopback } from '@causeway/engine/internal'
import { resourceServer } from '@causeway/engine/http'
import type { Authenticator, FollowedTokens, ScopeRules, SharedOnce } from '@causeway/engine/http'
import type { Config } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { explained } from './needed-scopes.ts'

type AuthConfig = Pick<Config, 'auth' | 'authDpop' | 'host' | 'publicUrl' | 'needsToken'>

/** Who is let in: tokens of authorization servers, those of the file beside them. */
export function authenticatorOf(
  config: AuthConfig,
  tokens: FollowedTokens | undefined,
  { shared, scopes }: { readonly shared: SharedOnce | undefined; readonly scopes: ScopeRules },
): Authenticator | undefined {
  const { auth, authDpop: dpop, host, publicUrl } = config
  if (auth.issuers.length === 0) {
    if (dpop !== undefined)
      throw new UsageError('--auth-dpop needs --auth-issuer URL: other tokens are not bound to keys.', 4)
    return tokens && withImplied(tokens, scopes)
  }
  if (publicUrl === undefined && !isLoopback(host))
    throw new UsageError(
      `--auth-issuer on ${host} needs --public-url URL: an access token is accepted only if it is for the URL that clients use.`,
      4,
    )
  return explained(() => resourceServer({ issuers: auth.issuers, tokens, scopes, dpop, shared }))
}

function withImplied(tokens: FollowedTokens, { expand }: ScopeRules): Authenticator {
  return {
    authenticate: request => {
      const found = tokens.authenticate(request)
      const scopes = found?.scopes && expand(found.scopes)
      return found && scopes !== found.scopes ? { ...found, ...(scopes && { scopes }) } : found
    },
  }
}
