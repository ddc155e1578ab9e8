import type { Server } from '@causeway/engine'
import type { FollowedRights } from '@causeway/engine/policies'
import { resourceServer, scopeRules } from '@causeway/engine/http'
import type { Authenticator, FollowedIssuers, FollowedScopeRules } from '@causeway/engine/http'
import type { AuthSettings } from '../../config/auth-settings.ts'
import type { Config } from '../../config/config.ts'
import { exchangeRights } from './exchanged-rights.ts'
import { followFiles } from '../follow-files.ts'
import type { Reloader } from '../reload/reloader.ts'

/** What of the keys `auth` and `rights` can be exchanged while serving. */
export interface ServedAuth {
  readonly server: Pick<Server, 'changed' | 'log'>
  readonly rights: FollowedRights | undefined
  readonly scopes: FollowedScopeRules
  readonly authenticator: Authenticator | undefined
  readonly reloader: Pick<Reloader, 'add'>
}

/**
 * Follows the keys `auth` and `rights` of the configuration file, also where the rest of it is not followed: what is taken back
 * is so at once. A file that cannot be used changes nothing.
 */
export function followAuth({ configFile, readAgain, watch }: Config, served: ServedAuth): { reload(): void } {
  const { server, rights: followedRights, reloader } = served
  const { log } = server
  const reload = (): void => {
    try {
      const { auth, needsToken, rights } = readAgain()
      const ended = prepareAuth(auth, needsToken, served)()
      exchangeRights(server, followedRights, rights)
      const issuers = auth.issuers.map(({ issuer }) => issuer)
      const read = { issuers, ended, rights: rights?.length ?? 'none' }
      log('info', 'the keys auth and rights of the configuration were read again', read)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      const said = 'the configuration cannot be used; issuers, scopes and rights stay as they were'
      log('error', said, { file: configFile, problem })
    }
  }
  reloader.add({
    prepare({ auth, needsToken }) {
      const exchange = prepareAuth(auth, needsToken, served)
      return () => {
        const ended = exchange()
        if (ended.length > 0) log('info', 'issuers were removed', { ended })
      }
    },
  })
  if (configFile !== undefined && !watch) followFiles([configFile], reload)
  return { reload }
}

/** Everything is looked at before anything is exchanged. */
function prepareAuth(
  auth: AuthSettings,
  needsToken: boolean,
  { scopes, authenticator }: Pick<ServedAuth, 'scopes' | 'authenticator'>,
): () => readonly string[] {
  const { restricts } = scopeRules(auth.scopes)
  if (restricts && !needsToken) throw new Error('auth.scopes needs tokens: name an issuer or --token-file FILE, too')
  const followed = isFollowed(authenticator) ? authenticator : undefined
  if ((followed !== undefined) !== auth.issuers.length > 0)
    throw new Error(
      `The ${followed ? 'last issuer cannot be removed' : 'first issuer cannot be added'} while serving: start again`,
    )
  // Refuses what could not be exchanged.
  if (followed) resourceServer({ issuers: auth.issuers })
  return () => {
    const ended = followed?.replace({ issuers: auth.issuers }) ?? []
    scopes.replace(auth.scopes)
    return ended
  }
}

const isFollowed = (authenticator: Authenticator | undefined): authenticator is FollowedIssuers =>
  authenticator !== undefined && 'replace' in authenticator && authenticator.authorizationServers !== undefined
