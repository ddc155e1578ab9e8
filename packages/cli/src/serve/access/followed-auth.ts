import type { Server } from '@causeway/engine'
import type { FollowedRights } from '@causeway/engine/policies'
import { scopeRules } from '@causeway/engine/http'
import type { Authenticator, FollowedIssuers, FollowedScopeRules } from '@causeway/engine/http'
import type { AuthSettings } from '../../config/auth-settings.ts'
import type { Config } from '../../config/config.ts'
import { followFiles } from '../follow-files.ts'

/** What of the keys `auth` and `rights` can be exchanged while serving. */
export interface ServedAuth {
  readonly server: Pick<Server, 'changed' | 'log'>
  readonly rights: FollowedRights | undefined
  readonly scopes: FollowedScopeRules
  readonly authenticator: Authenticator | undefined
}

/** Follows the keys `auth` and `rights` of the configuration file; a file that cannot be used changes nothing. */
export function followAuth({ configFile, readAgain }: Config, served: ServedAuth): { reload(): void } {
  const { server, rights: followedRights } = served
  const { log } = server
  const reload = (): void => {
    try {
      const { auth, needsToken, rights } = readAgain()
      const ended = replace(auth, needsToken, served)
      followedRights?.replace(rights)
      // What a caller may see may be another list now.
      for (const kind of ['tools', 'prompts', 'resources'] as const) server.changed(kind)
      const issuers = auth.issuers.map(({ issuer }) => issuer)
      const read = { issuers, ended, rights: rights?.length ?? 'none' }
      log('info', 'the keys auth and rights of the configuration were read again', read)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      const said = 'the configuration cannot be used; issuers, scopes and rights stay as they were'
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
