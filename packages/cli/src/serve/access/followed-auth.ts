import type { Log } from '@causeway/engine'
import { scopeRules } from '@causeway/engine/http'
import type { Authenticator, FollowedIssuers, FollowedScopeRules } from '@causeway/engine/http'
import type { AuthSettings } from '../../config/auth-settings.ts'
import type { Config } from '../../config/config.ts'
import { followFiles } from '../follow-files.ts'

/** What of the key `auth` can be exchanged while serving. */
export interface ServedAuth {
  readonly scopes: FollowedScopeRules
  readonly authenticator: Authenticator | undefined
}

/** Follows the key `auth` of the configuration file; one that cannot be used changes nothing. */
export function followAuth({ configFile, readAgain }: Config, served: ServedAuth, log: Log): { reload(): void } {
  const reload = (): void => {
    try {
      const { auth, needsToken } = readAgain()
      const ended = replace(auth, needsToken, served)
      const issuers = auth.issuers.map(({ issuer }) => issuer)
      log('info', 'the key auth of the configuration was read again', { issuers, ended })
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      const said = 'the key auth of the configuration cannot be used; issuers and scopes stay as they were'
      log('error', said, { file: configFile, problem })
    }
  }
  if (configFile !== undefined) followFiles([configFile], reload)
  return { reload }
}

function replace(auth: AuthSettings, needsToken: boolean, { scopes, authenticator }: ServedAuth): readonly string[] {
  // Everything is looked at before anything is exchanged.
  const { restricts } = scopeRules(auth.scopes)
  if (restricts && !needsToken) throw new Error('auth.scopes needs tokens: name an issuer or --token-file FILE, too')
  const followed = isFollowed(authenticator) ? authenticator : undefined
  if ((followed !== undefined) !== auth.issuers.length > 0)
    throw new Error(
      `The ${followed ? 'last issuer cannot be removed' : 'first issuer cannot be added'} while serving: start again`,
    )
  const ended = followed?.replace({ issuers: auth.issuers }) ?? []
  scopes.replace(auth.scopes)
  return ended
}

const isFollowed = (authenticator: Authenticator | undefined): authenticator is FollowedIssuers =>
  authenticator !== undefined && 'replace' in authenticator && authenticator.authorizationServers !== undefined
