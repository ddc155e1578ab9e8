import type { ServerMetadata } from '../../oauth/server-metadata.ts'
import type { Refusal } from './authorizer.ts'

const OFFLINE = 'offline_access'
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/
const MOST_SCOPES = 200

/** What decides which scopes are asked for. */
export interface ScopeChoice {
  /** Scopes that the server asked for, in its last challenge. */
  readonly challenged: readonly string[]
  /** Scopes that were asked for or granted before, which are not to be lost. */
  readonly held: readonly string[]
  /** Scopes of the configuration. */
  readonly configured: readonly string[]
  /** Scopes in the metadata of the server. */
  readonly supported: readonly string[]
}

/** Those of the challenge, else all that the server knows; and always those that are held or configured. */
export function chosenScopes({ challenged, held, configured, supported }: ScopeChoice): readonly string[] {
  const wanted = challenged.length > 0 ? challenged : configured.length > 0 ? [] : supported
  return [...new Set([...held, ...configured, ...wanted])].filter(scope => SCOPE.test(scope)).slice(0, MOST_SCOPES)
}

/** With the scope for a refresh token, where the authorization server has one. */
export const withOffline = (scopes: readonly string[], { scopes_supported = [] }: ServerMetadata): readonly string[] =>
  scopes.length > 0 && scopes_supported.includes(OFFLINE) && !scopes.includes(OFFLINE) ? [...scopes, OFFLINE] : scopes

/** What a refusal says, in terms of OAuth. */
export interface ChallengeFacts {
  readonly scopes: readonly string[]
  readonly resourceMetadata: string | undefined
  /** Does the server want tokens that are bound to a key? */
  readonly wantsDpop: boolean
  readonly error: string | undefined
}

/** Read the challenges of a refusal: those of DPoP and Bearer, the others do not matter. */
export function factsOf({ challenges }: Pick<Refusal, 'challenges'>): ChallengeFacts {
  const known = challenges.filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')
  const of = (name: string): string | undefined =>
    known.map(({ params }) => params[name]).find(value => value !== undefined && value !== '')
  return {
    scopes: (of('scope') ?? '').split(' ').filter(scope => SCOPE.test(scope)),
    resourceMetadata: of('resource_metadata'),
    wantsDpop: known.some(({ scheme }) => scheme === 'dpop') && !known.some(({ scheme }) => scheme === 'bearer'),
    error: of('error'),
  }
}
